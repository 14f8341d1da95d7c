// A network inside one process: each gateway of a test has an end of it, and the test says what happens when.
//
// By hand: whatever may be late waits as long as the test has it wait (hold_messages() and the like), and else happens
// at the next poll of whom it concerns. By a seed: each poll decides what happens at it, so that messages and payloads
// overtake each other, sends are done late, and receives are taken back late, or too late. Nothing else than what
// network.hpp allows ever happens; what it forbids its users ends the test.
//
// Any threads; one at a time inside each end, as ever.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

#include "network/network.hpp"
#include "support/network_world.hpp"

namespace test_support {

class loopback_end;

struct loopback_limits {
  std::size_t message_bytes = 1024;
  std::size_t piece_bytes = std::size_t{1} << 20;
  std::size_t eager_bytes = 0;
  int largest_tag = 32'767;
  int processes_per_host = 1;
};

class loopback_world final : public network_world {
 public:
  explicit loopback_world(int processes, loopback_limits limits = {});
  ~loopback_world() override;

  [[nodiscard]] int processes() const noexcept override { return static_cast<int>(ends_.size()); }
  [[nodiscard]] pure::core::network& end(int process) override;

  // ---- by hand ----

  /// Messages from `from` to `to` do not arrive, while it is true.
  void hold_messages(int from, int to, bool held = true);
  /// How many are on their way.
  [[nodiscard]] std::size_t messages_held(int from, int to);
  /// One of them arrives at the next poll all the same.
  void let_message_pass(int from, int to);
  /// Payloads from `from` to `to` find no receive, while it is true.
  void hold_payloads(int from, int to, bool held = true);
  /// Sends of that process are done only when this is false again; their memory is read then.
  void hold_sends(int process, bool held = true);
  /// Receives that the process takes back stay posted until this is false again.
  void hold_cancels(int process, bool held = true);
  /// The last byte of all that arrives from `from` at `to` is another one, while it is true.
  void damage(int from, int to, bool does = true);
  /// Nothing of this process arrives any more, nor at it.
  void lose(int process);

  /// Called once, in the next call of that process that sends something, by the thread that sends: as if something
  /// happened elsewhere just then. Whoever comes inside the network meanwhile ends the test.
  void during_next_send(int process, std::function<void()> action);

  /// Calls of that process that send something take so long.
  void take_time(int process, std::chrono::nanoseconds each);

  /// From now on chance decides.
  void play(std::uint64_t seed);

  // ---- what has happened ----

  /// Receives that the process has posted and that have got nothing.
  [[nodiscard]] std::size_t posted(int process);
  /// Messages and payloads that the process has sent so far.
  [[nodiscard]] std::size_t messages_sent(int process);
  [[nodiscard]] std::size_t payloads_sent(int process);
  /// Calls that have started to take a receive back.
  [[nodiscard]] std::size_t cancels(int process);
  /// The tags of the process's payloads, in the order of sending.
  [[nodiscard]] std::vector<int> payload_tags(int process);
  /// The last message that the process has sent, once it has left.
  struct sent_message {
    int tag = -1;  // none has
    std::vector<std::byte> bytes;
  };
  [[nodiscard]] sent_message last_message(int process);

 private:
  friend loopback_end;

  struct message {
    int tag;
    const std::byte* data;        // the sender's, until it is done
    std::vector<std::byte> copy;  // then
    std::size_t bytes;
    pure::core::network_operation* sending;  // null: it is done
    bool may_pass = false;
  };
  struct payload {
    const std::byte* data;
    std::vector<std::byte> copy;
    std::size_t bytes;
    pure::core::network_operation* sending;
  };
  struct receive {
    std::byte* data;
    std::size_t capacity;
    pure::core::network_operation* receiving;
    bool is_taken_back = false;
  };
  struct channel {  // of payloads: between two processes, under one tag
    std::deque<payload> sent;
    std::list<receive> posted;
  };
  using channel_name = std::tuple<int, int, int>;

  [[nodiscard]] bool chance(unsigned percent);
  void finish_sends_of(int process);
  void match(int from, int to, int tag);
  void match_all_to(int to);

  std::mutex guard_;
  const loopback_limits limits_;
  std::vector<std::unique_ptr<loopback_end>> ends_;
  std::map<std::pair<int, int>, std::deque<message>> messages_;
  std::map<channel_name, channel> channels_;
  std::map<std::pair<int, int>, bool> hold_messages_, hold_payloads_, damage_;
  std::vector<bool> hold_sends_, hold_cancels_, lost_;
  std::optional<std::mt19937_64> dice_;
};

}  // namespace test_support
