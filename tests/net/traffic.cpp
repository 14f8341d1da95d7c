// Processes that use the network as the layers above will, and check everything that arrives: traffic MODE.
//
//   messages     every process sends envelopes, alone and packed together, and payloads of many sizes to all others;
//                two threads take turns inside
//   cancels      many receives are posted before it is known which payloads will come; messages say so, and the others
//                are taken back while they are read
//   collectives  sums, gathers, broadcasts and barriers of all processes, made of payloads
//   peers        prints who is there
//   abort        process 1 ends the job with status 7 while the others poll
//   too_long     a payload that is longer than its receive is a failure that is reported
//   wait         prints "process N is PID", and polls for ever
//
// Started by an MPI's launcher; PURE_NETWORK, PURE_PLUGIN_DIR as always.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "network/network_lock.hpp"
#include "network/open_network.hpp"
#include "network/process_collective.hpp"

#include "exchange.hpp"

namespace {

using namespace pure::core;
using namespace net_test;

struct nothing_expected final : network_events {
  void message_arrived(int from, int, const std::byte*, std::size_t) override {
    wrong(fmt::format("a message of process {} that nobody has sent", from));
  }
  void operation_done(network_operation& done) override { *static_cast<bool*>(done.owner) = true; }
};

/// Operations that are started, and then waited for together.
class together {
 public:
  template <class Start>
  void add(Start start) {
    pending& made = all_.emplace_back();
    made.operation.owner = &made.is_done;
    if (start(made.operation)) made.is_done = true;
  }
  void wait() {
    nothing_expected events;
    while (!std::all_of(all_.begin(), all_.end(), [](const pending& each) { return each.is_done; })) {
      if (!net->poll(events)) std::this_thread::yield();
    }
    all_.clear();
  }
  [[nodiscard]] network_operation& last() { return all_.back().operation; }

 private:
  struct pending {
    network_operation operation;
    bool is_done = false;
  };
  std::deque<pending> all_;
};

void run_messages() {
  exchange traffic;
  network_lock turn;
  std::atomic<bool> is_done{false};
  const auto work = [&] {
    while (!is_done.load()) {
      if (const network_visit inside(turn); inside) {
        traffic.work();
        if (traffic.is_done()) is_done.store(true);
      }
      std::this_thread::yield();
    }
  };
  std::thread other(work);
  work();
  other.join();

  together receives;  // one that nothing will match
  std::byte memory[8];
  const int other_process = net->peers().process == 0 ? 1 : 0;
  receives.add([&](network_operation& operation) {
    return net->receive(operation, other_process, tags_in_use + 1, memory, sizeof memory);
  });
  network_operation& cancelled = receives.last();
  nothing_expected events;
  if (!net->cancel(cancelled)) {
    while (!*static_cast<bool*>(cancelled.owner)) net->poll(events);
  }
  check(cancelled.cancelled && cancelled.bytes == 0, "a receive that was taken back");
}

/// Payloads of the next process to this one, of which only every other one is sent, by chance. All are expected: more
/// receives than a network tests in one call, and it has fewer of them after a message than before. Round after round;
/// the others may be some ahead.
class expectations final : public network_events {
 public:
  void run(unsigned round) {
    round_ = round;
    open_ = unheard_ = payloads;
    all_.clear();
    sending_.clear();
    notices_.clear();
    payloads_.clear();
    post_receives();
    for (const notice& each : std::exchange(early_, {})) hear(each);
    for (int begin = 0; begin < payloads;) {
      const int count = std::min(1 + begin % 5, payloads - begin);
      say(begin, count);
      begin += count;
    }
    while (open_ > 0 || unheard_ > 0 || sends_ > 0) net->poll(*this);
  }

  void message_arrived(int from, int, const std::byte* data, std::size_t bytes) override {
    check(from == giver_ && bytes == sizeof(notice), "a message of the giver");
    notice what;
    std::memcpy(&what, data, sizeof what);
    hear(what);
  }
  void operation_done(network_operation& done) override {
    if (done.owner == nullptr)
      --sends_;
    else
      end(*static_cast<expected*>(done.owner));
  }

 private:
  static constexpr int payloads = 200;
  static constexpr std::size_t words = 3000;
  struct notice {
    unsigned round = 0;
    int begin = 0, count = 0;  // the payloads of which it tells that they come or not
  };
  struct expected {
    network_operation operation;
    int number = 0;
    bool is_done = false;
    std::vector<int> memory = std::vector<int>(words);
  };

  void post_receives() {
    for (int i = 0; i < payloads; ++i) {
      expected& next = all_.emplace_back();
      next.number = i;
      next.operation.owner = &next;
      if (net->receive(next.operation, giver_, tag(i), next.memory.data(), words * sizeof(int))) end(next);
    }
  }

  void hear(const notice& what) {
    if (what.round != round_) {
      early_.push_back(what);
      return;
    }
    unheard_ -= what.count;
    for (int i = what.begin; i < what.begin + what.count; ++i) {
      expected& its = all_[static_cast<std::size_t>(i)];
      if (is_sent(giver_, i)) continue;
      check(!its.is_done, "a payload came that was not sent");
      if (net->cancel(its.operation)) end(its);
    }
  }

  [[nodiscard]] bool is_sent(int by, int number) const {
    return std::mt19937(round_ * 1'000'003 + static_cast<unsigned>(by * 10'007 + number))() % 2 == 0;
  }
  [[nodiscard]] int tag(int number) const { return static_cast<int>(round_) * payloads + number; }
  [[nodiscard]] int word(int by, int number) const { return static_cast<int>(round_) * 1000 + by * 300 + number; }

  network_operation& start_send() {
    ++sends_;
    return sending_.emplace_back();
  }
  void say(int begin, int count) {
    notice& what = notices_.emplace_back();
    what.round = round_;
    what.begin = begin;
    what.count = count;
    if (net->send_message(start_send(), taker_, 0, &what, sizeof what)) --sends_;
    const int me = net->peers().process;
    for (int i = begin; i < begin + count; ++i) {
      if (!is_sent(me, i)) continue;
      const std::vector<int>& data = payloads_.emplace_back(words, word(me, i));
      if (net->send(start_send(), taker_, tag(i), data.data(), words * sizeof(int))) --sends_;
    }
    net->poll(*this);
  }
  void end(expected& its) {
    check(!its.is_done, "a receive ended twice");
    its.is_done = true;
    --open_;
    const bool is_expected = is_sent(giver_, its.number);
    check(its.operation.cancelled == !is_expected, fmt::format("what came of receive {}", its.number));
    check(its.memory == std::vector<int>(words, is_expected ? word(giver_, its.number) : 0), "the words of a payload");
  }

  const int giver_ = (net->peers().process + 1) % net->peers().processes;
  const int taker_ = (net->peers().process + net->peers().processes - 1) % net->peers().processes;
  unsigned round_ = 0;
  int open_ = 0, unheard_ = 0, sends_ = 0;
  std::deque<expected> all_;
  std::deque<network_operation> sending_;
  std::deque<notice> notices_;
  std::deque<std::vector<int>> payloads_;
  std::vector<notice> early_;  // of later rounds
};

void run_cancels() {
  expectations its;
  for (unsigned round = 1; round <= 20; ++round) its.run(round);
}

/// Calls of all processes, one after the other; each process starts late in turn.
class meeting {
 public:
  template <class Start>
  void wait(Start start) {
    if (++calls_ % net->peers().processes == net->peers().process)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (start(together_)) return;
    while (together_.is_under_way()) {
      if (!net->poll(events_)) std::this_thread::yield();
    }
  }

 private:
  struct step_done final : network_events {
    explicit step_done(process_collective& of) : of_(of) {}
    void message_arrived(int from, int, const std::byte*, std::size_t) override {
      wrong(fmt::format("a message of process {} that nobody has sent", from));
    }
    void operation_done(network_operation&) override { of_.one_is_done(); }
    process_collective& of_;
  };

  process_collective together_{*net, nullptr};
  step_done events_{together_};
  int calls_ = 0;
};

void run_collectives() {
  const auto processes = static_cast<std::size_t>(net->peers().processes);
  const auto own = static_cast<std::uint64_t>(net->peers().process);
  meeting all;
  for (std::uint64_t round = 0; round < 20; ++round) {
    const std::size_t count = round % 4 == 0 ? piece_bytes / 8 * 2 + 17 : round;
    std::vector<std::uint64_t> sums(count);
    for (std::size_t i = 0; i < count; ++i) sums[i] = own * round + i;
    all.wait([&](process_collective& its) { return its.start_sum(sums); });
    for (std::size_t i = 0; i < count; ++i)
      check(sums[i] == processes * (processes - 1) / 2 * round + processes * i, "a sum");

    std::vector<std::uint64_t> mine(count, own * 100 + round), gathered(count * processes);
    all.wait([&](process_collective& its) { return its.start_all_gather(mine.data(), count * 8, gathered.data()); });
    for (std::size_t i = 0; i < gathered.size(); ++i)
      check(gathered[i] == i / count * 100 + round, "what was gathered");

    std::vector<std::uint64_t> shared(count, own == 0 ? round + 1 : 0);
    all.wait([&](process_collective& its) { return its.start_broadcast(shared.data(), count * 8); });
    check(shared == std::vector<std::uint64_t>(count, round + 1), "what was broadcast");
    all.wait([&](process_collective& its) { return its.start_barrier(); });
  }
}

void run_peers() {
  const network_peers& peers = net->peers();
  check(peers.host_of.size() == static_cast<std::size_t>(peers.processes) && peers.is_on_this_machine(peers.process),
        "hosts");
  check(peers.largest_tag >= 32767 && !peers.library.empty(), "what is known of the MPI");
  const char* const of_ucx = std::getenv("UCX_RNDV_THRESH");
  fmt::print("process {} of {}, {} of {} on its machine, on host {} of {}, {} bytes at once, {}, UCX {}, messages {}\n",
             peers.process, peers.processes, peers.index_on_machine, peers.processes_on_machine,
             peers.host_of[static_cast<std::size_t>(peers.process)], peers.host_names.size(), peers.eager_bytes,
             peers.library, of_ucx == nullptr ? "as it is" : of_ucx,
             peers.looks_for_messages ? "are looked for" : "are awaited");
}

[[noreturn]] void poll_for_ever() {
  nothing_expected events;
  for (;;) {
    net->poll(events);
    std::this_thread::yield();
  }
}

void run_too_long() {
  std::vector<std::byte> memory(1000);
  network_operation operation;
  bool is_done = false;
  operation.owner = &is_done;
  if (net->peers().process == 0) net->send(operation, 1, 3, memory.data(), 1000);
  if (net->peers().process == 1) net->receive(operation, 0, 3, memory.data(), 10);
  poll_for_ever();
}

}  // namespace

int main(int argc, char** argv) {
  alarm(120);  // never a stuck test
  const std::string mode = argc > 1 ? argv[1] : "";
  try {
    const settings values = read_settings();
    const process_launch launched = recognise_launch(environ);
    check_launch(values, launched);
    network_opening opening;
    opening.failed = network_failed;
    opening.piece_bytes = piece_bytes;
    opening.message_slots = 4;
    const std::unique_ptr<network> opened = open_network(values, launched, opening);
    net = opened.get();
    if (mode == "messages") {
      run_messages();
    } else if (mode == "cancels") {
      run_cancels();
    } else if (mode == "collectives") {
      run_collectives();
    } else if (mode == "peers") {
      run_peers();
    } else if (mode == "abort") {
      if (net->peers().process == 1) net->abort(7);
      poll_for_ever();
    } else if (mode == "too_long") {
      run_too_long();
    } else if (mode == "wait") {
      fmt::print("process {} is {}\n", net->peers().process, getpid());
      std::fflush(stdout);
      poll_for_ever();
    } else {
      wrong("which mode?");
    }
    // Before the end: where an MPI's takes too long, the process ends in the midst of it (net_mpi/close.cpp).
    if (net->peers().process == 0) fmt::print("{}: right\n", mode);
    std::fflush(stdout);
    net->finalize(0);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
