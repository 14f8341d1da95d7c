// Writes timeline files for the tests of `pure trace`, in the form of purerun --trace; times are microseconds.
#pragma once

#include <string>

#include <fmt/core.h>

namespace pure::test {

class trace_text {
 public:
  trace_text(int ranks, int helpers) : ranks_(ranks), helpers_(helpers) {
    add(R"({"ph":"M","pid":0,"tid":0,"name":"process_name","args":{"name":"job"}})");
    for (int i = 0; i < ranks + helpers; ++i) {
      const std::string name = i < ranks ? fmt::format("rank {}", i) : fmt::format("helper {}", i - ranks);
      add(fmt::format(R"({{"ph":"M","pid":0,"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})", i, name));
      add(fmt::format(R"({{"ph":"M","pid":0,"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})", i, i));
    }
  }

  void slice(int tid, double begin, double end, const char* category, const std::string& name,
             const std::string& arguments = "") {
    add(fmt::format(R"({{"ph":"X","pid":0,"tid":{},"ts":{:.3f},"dur":{:.3f},"cat":"{}","name":"{}","args":{{{}}}}})",
                    tid, begin, end - begin, category, name, arguments));
  }
  /// A wait in which the thread sleeps when the job fails.
  void open_wait(int tid, double begin, double end, const char* name, const char* what) {
    slice(tid, begin, end, "wait", name, fmt::format(R"("for":"{}","at":"stencil.cpp:21","open":true)", what));
  }
  /// A buffer of an aggregation that is handled.
  void items(int tid, double begin, double end, int from, int items) {
    slice(tid, begin, end, "items", "1 of world", fmt::format(R"("from":{},"items":{},"channel":0)", from, items));
  }
  /// Others have the cpu of a thread for a part of a time.
  void lost(int tid, double begin, double end, double percent) {
    add(fmt::format(
        R"({{"ph":"C","pid":0,"tid":{},"ts":{:.3f},"dur":{:.3f},"cat":"lost","name":"cpu taken, row {}","args":{{"percent":{:.1f}}}}})",
        tid, begin, end - begin, tid, percent));
    add(fmt::format(
        R"({{"ph":"C","pid":0,"tid":{},"ts":{:.3f},"cat":"lost","name":"cpu taken, row {}","args":{{"percent":0.0}}}})",
        tid, end, tid));
  }
  /// The process of a row.
  void process(int tid, int process) {
    add(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"rank {}"}}}})", process, tid,
                    tid));
  }
  void main(int tid, double begin, double end) { slice(tid, begin, end, "rank", "main"); }
  void task(int tid, double begin, double end, int id, int chunks) {
    slice(tid, begin, end, "task", "PureTask::execute",
          fmt::format(R"("task":{},"chunks":{},"at":"stencil.cpp:15")", id, chunks));
  }
  void chunk(int tid, double begin, double end, int owner, int task, int first, int last) {
    slice(tid, begin, end, "chunk", fmt::format("chunk {}", first),
          fmt::format(R"("owner":{},"task":{},"first":{},"last":{})", owner, task, first, last));
  }
  void wait(int tid, double begin, double end, const char* name, const char* what) {
    slice(tid, begin, end, "wait", name, fmt::format(R"("for":"{}","at":"stencil.cpp:21")", what));
  }
  void message(int id, int from, double sent, int to, double received) {
    slice(from, sent, sent, "message", "send", fmt::format(R"("to":{},"bytes":8,"tag":0)", to));
    add(fmt::format(R"({{"ph":"s","pid":0,"tid":{},"ts":{:.3f},"cat":"message","name":"message","id":{}}})", from, sent,
                    id));
    add(fmt::format(R"({{"ph":"f","bp":"e","pid":0,"tid":{},"ts":{:.3f},"cat":"message","name":"message","id":{}}})",
                    to, received, id));
  }
  /// Anything else, as a line of "traceEvents".
  void add(const std::string& event) { events_ += (events_.empty() ? "" : ",\n") + event; }

  [[nodiscard]] std::string text(int dropped = 0) const {
    return fmt::format(R"({{"displayTimeUnit":"ns","otherData":{{"program":"stencil","pure":"0.1.0","ranks":{},)"
                       R"("helpers":{},"dropped_events":{}}},"traceEvents":[)"
                       "\n{}\n]}}\n",
                       ranks_, helpers_, dropped, events_);
  }

 private:
  int ranks_;
  int helpers_;
  std::string events_;
};

/// The paper's Figure 1: rank 0 runs a task of 6 chunks; ranks 1 and 2 wait for its messages, and steal four of them.
inline trace_text figure1() {
  trace_text trace(3, 0);
  trace.chunk(0, 10, 22, 0, 1, 0, 0);
  trace.chunk(0, 22, 50, 0, 1, 2, 2);
  trace.wait(0, 50, 75, "PureTask::execute", "its last chunks");
  trace.task(0, 10, 75, 1, 6);
  trace.message(1, 0, 90, 1, 92);
  trace.message(2, 0, 95, 2, 97);
  trace.main(0, 0, 100);
  trace.chunk(1, 14, 26, 0, 1, 1, 1);
  trace.chunk(1, 26, 40, 0, 1, 3, 3);
  trace.chunk(1, 42, 50, 0, 1, 5, 5);
  trace.wait(1, 5, 92, "pure_recv_msg", "a message from rank 0");
  trace.main(1, 0, 100);
  trace.chunk(2, 30, 75, 0, 1, 4, 4);
  trace.wait(2, 15, 97, "pure_recv_msg", "a message from rank 0");
  trace.main(2, 0, 100);
  return trace;
}

}  // namespace pure::test
