// For tests/errors/open_at_end.sh: mains that end with operations that nobody has completed: open_at_end END WHAT.
//
//   END   exit, return: how the main of the last rank ends. Rank 0 goes on when it has.
//   WHAT  receives, any_receives, freed_receives, exchanges, persistent: open, into the main's own frame; rank 0 sends
//   what
//         matches
//         freed_large_receive: a large message to a receive that was freed, which its sender need not wait for
//         large_to_receive: the same with one message that has to meet its receive
//         large_sends, small_sends, freed_sends: out of the main's own frame; rank 0 receives and looks at them
//         collective: an all-reduce in the main's own frame, which rank 0 completes
#include <pure.h>

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr pure_comm world = PURE_COMM_WORLD;
constexpr int messages = 300, small_bytes = 1000, large_bytes = messages * small_bytes;
constexpr int doubles = large_bytes / 16;

char mark(int message, int at) { return static_cast<char>(message * 7 + at % 101); }

/// What a main has in its frame: all buffers up to the end of it, where whatever is called afterwards has its frames.
struct variables {
  std::array<pure_request, messages> requests;
  alignas(double) std::array<char, large_bytes> bytes;

  char* small(int message) { return bytes.data() + message * small_bytes; }
  pure_request* request(int number) { return &requests[static_cast<std::size_t>(number)]; }
};

void open(variables& v, const std::string& what) {
  const bool from_any = what == "any_receives";
  const int from = from_any ? PURE_ANY_SOURCE : 0;
  if (what == "receives" || from_any || what == "freed_receives" || what == "persistent") {
    for (int i = 0; i < messages; ++i) {
      if (what == "persistent") {
        pure_recv_init(v.small(i), small_bytes, PURE_CHAR, from, 5, world, v.request(i));
        pure_start(v.request(i));
      } else {
        pure_irecv_msg(v.small(i), small_bytes, PURE_CHAR, from, 5, world, v.request(i));
      }
      if (what == "freed_receives") pure_request_free(v.request(i));
    }
  } else if (what == "large_to_receive" || what == "freed_large_receive") {
    pure_irecv_msg(v.small(0), large_bytes, PURE_CHAR, 0, 5, world, v.request(0));
    if (what == "freed_large_receive") pure_request_free(v.request(0));
  } else if (what == "exchanges") {
    for (int i = 0; i < messages; ++i) {
      pure_isendrecv_msg(nullptr, 0, PURE_CHAR, 0, 6, v.small(i), small_bytes, PURE_CHAR, 0, 5, world, v.request(i));
    }
  } else if (what == "small_sends") {
    for (int i = 0; i < messages; ++i) {
      for (int at = 0; at < small_bytes; ++at) v.small(i)[at] = mark(i, at);
      pure_isend_msg(v.small(i), small_bytes, PURE_CHAR, 0, 5, world, v.request(i));
    }
  } else if (what == "large_sends" || what == "freed_sends") {
    for (int at = 0; at < large_bytes; ++at) v.small(0)[at] = mark(3, at);
    pure_isend_msg(v.small(0), large_bytes, PURE_CHAR, 0, 5, world, v.request(0));
    if (what == "freed_sends") pure_request_free(v.request(0));
  } else if (what == "collective") {
    auto* const mine = reinterpret_cast<double*>(v.small(messages / 2));
    for (int i = 0; i < doubles; ++i) mine[i] = i;
    pure_iallreduce(mine, v.small(0), doubles, PURE_DOUBLE, PURE_SUM, world, v.request(0));
  }
}

constexpr int thread_tag = 99;

/// By the thread whose main ends, once all that the test opens is open; rank 0 may be in another process.
void tell_thread() {
  const std::array<std::int64_t, 2> own{getpid(), gettid()};
  pure_send_msg(own.data(), 2, PURE_INT64_T, 0, thread_tag, world);
}

/// A file of a thread in /proc; empty if the thread is gone.
std::string contents_of(const std::string& thread, const char* file) {
  std::ifstream from(thread + file);
  std::string line;
  std::getline(from, line);
  return line;
}

/// Until the last rank has left its main: it is gone, sleeps in the end of the program, or has used 5 ms of its core
/// since. However busy the machine is: no message of rank 0 may be in time for the main.
void wait_until_main_has_ended(int last) {
  std::array<std::int64_t, 2> its{};
  pure_recv_msg(its.data(), 2, PURE_INT64_T, last, thread_tag, world);
  const std::string thread = "/proc/" + std::to_string(its[0]) + "/task/" + std::to_string(its[1]) + "/";
  const auto used_ns = [&] { return std::strtoll(contents_of(thread, "schedstat").c_str(), nullptr, 10); };
  for (const long long before = used_ns(); used_ns() < before + 5'000'000; usleep(1000)) {
    const std::string status = contents_of(thread, "stat");
    const auto after_name = status.rfind(')');
    if (after_name == std::string::npos || status.substr(after_name, 3) == ") S") return;
  }
}

int check_received(const std::string& what, int from) {
  std::vector<char> got(large_bytes);
  const bool is_large = what == "large_sends" || what == "freed_sends";
  const int bytes = is_large ? large_bytes : small_bytes;
  for (int i = 0; i < (is_large ? 1 : messages); ++i) {
    pure_recv_msg(got.data(), bytes, PURE_CHAR, from, 5, world);
    for (int at = 0; at < bytes; ++at) {
      if (got[static_cast<std::size_t>(at)] != mark(is_large ? 3 : i, at)) return 1;
    }
  }
  return 0;
}

int by_rank_0(const std::string& what) {
  const int last = pure_size() - 1;
  wait_until_main_has_ended(last);
  if (what.find("sends") != std::string::npos) return check_received(what, last);
  if (what == "collective") {
    std::vector<double> mine(doubles, 1), sum(doubles);
    pure_request request = PURE_REQUEST_NULL;
    pure_iallreduce(mine.data(), sum.data(), doubles, PURE_DOUBLE, PURE_SUM, world, &request);
    pure_wait(&request);
    for (int i = 0; i < doubles; ++i) {
      if (sum[static_cast<std::size_t>(i)] != i + pure_size() - 1) return 1;
    }
    return 0;
  }
  if (what == "large_to_receive" || what == "freed_large_receive") {
    const std::vector<char> large(large_bytes);
    return pure_send_msg(large.data(), large_bytes, PURE_CHAR, last, 5, world);
  }
  const std::vector<char> ones(small_bytes, '\xff');
  for (int i = 0; i < messages; ++i) pure_send_msg(ones.data(), small_bytes, PURE_CHAR, last, 5, world);
  return 0;
}

int by_others(const std::string& what) {
  if (what != "collective") return 0;
  std::vector<double> mine(doubles, 1), sum(doubles);
  return pure_allreduce(mine.data(), sum.data(), doubles, PURE_DOUBLE, PURE_SUM, world);
}

[[gnu::noinline]] int by_last(bool exits, const std::string& what) {
  variables v{};
  open(v, what);
  tell_thread();
  if (exits) std::exit(0);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 78;
  const std::string what = argv[2];
  const int rank = pure_rank(), last = pure_size() - 1;
  const int wrong = rank == 0     ? by_rank_0(what)
                    : rank < last ? by_others(what)
                                  : by_last(std::strcmp(argv[1], "exit") == 0, what);
  if (rank == 0 && wrong == 0) std::puts("went well");
  return wrong;
}
