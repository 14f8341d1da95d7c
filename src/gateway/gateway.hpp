// The gateway: how the ranks of this process exchange messages with those of other processes (DESIGN D5).
//
// To a rank, another process looks like ranks of this one. It writes its records into a ring, notifies, and reads
// records from a ring, but for two short cuts (send_now; arrivals::give_now). The other end of those rings is whoever
// has the *network lock* (network_lock.hpp), which is any thread that is there when there is something to do: a sender
// that notifies the proxy of a process, a rank that waits, the monitor while all sleep. It alone touches the parts:
//
//   outbox             record -> envelope, and payload if it is small, in the packet that is being packed for the
//                      process. Whatever the ranks have left at that moment travels together. A rank that finds the
//                      network free, and nothing before its message, sends it itself, past the ring.
//   packet_sender      packets and answers
//   stream_sender      which messages the receiver can foresee
//   text_table         what is said of messages beside their envelopes
//   arrivals           envelope -> record in the ring of the pair. What finds no room there waits here, in order.
//   payload_receiver   a large message is a record that points to a announced_payload, whose bytes the receiver asks
//   for
//                      when it has matched
//   foreseen_receives  receives of payloads that are posted before their envelopes are here
//   run_receiver       messages that come without envelopes
//   end_of_job         how all processes come to the end together
//
// This class has the lock, says what has been left, and passes on what the network reports.
//
// Missed work: whoever leaves work takes the lock and does it; or else says so (has_work), for the lock's holder, and
// then tries again to take it. Who gives the lock back looks at has_work afterwards. Both sides have a sequentially
// consistent fence between the two, so one of them sees the other. (tests/model/network_lock.pml)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/observed_count.hpp"
#include "base/open_accounts.hpp"
#include "gateway/active_messages.hpp"
#include "gateway/active_payloads.hpp"
#include "gateway/arrivals.hpp"
#include "gateway/context.hpp"
#include "gateway/control_channel.hpp"
#include "gateway/end_of_job.hpp"
#include "gateway/foreseen_receives.hpp"
#include "gateway/outbox.hpp"
#include "gateway/packet_sender.hpp"
#include "gateway/payload_receiver.hpp"
#include "gateway/run_receiver.hpp"
#include "gateway/stream_sender.hpp"
#include "gateway/text_table.hpp"
#include "match/remote_ranks.hpp"
#include "network/network.hpp"
#include "network/network_lock.hpp"

namespace pure::core {

class gateway final : public remote_ranks, private network_events {
 public:
  /// A packet that has come before there were ranks here: other processes may have begun.
  struct early_packet {
    int from_process;
    int tag;
    std::vector<std::byte> bytes;
  };

  /// `over` outlives it, and is used by one gateway at a time.
  gateway(rank_placement placement, network& over, std::vector<early_packet> arrived = {});
  ~gateway() override;

  /// What it has counted, and not got back: nothing where the job has ended well. When no rank runs any more.
  void add_open_accounts(open_accounts& to);

  // ---- remote_ranks (ranks.cpp) ----

  outbound_ring& connect(const rank_context& from, int to) override;
  departure send_now(outbound_ring& from, const bare_message& what) noexcept override;
  [[nodiscard]] bool has_own_buffer(const rank_context& by) const noexcept override {
    return context_.end_of(by).blocking_send.finished();
  }
  void request(arriving_message& wanted) noexcept override;
  arriving_message* expect(rank_context& by, int from, std::uint32_t context, std::int32_t tag, void* into,
                           std::size_t capacity, ring& way) noexcept override;
  void stop_expecting(arriving_message& expected) noexcept override;
  void release(arriving_message& received) noexcept override;
  void has_matched(const rank_context& by, const claim_reference& its) noexcept override;
  void ask_back(const rank_context& by, const claimed_send& its) override;
  [[nodiscard]] const send_log* calls_of(int sender) const noexcept override { return texts_.calls_of(sender); }
  void add_unreceived(const rank_context& rank, std::vector<unreceived_message>& to) override;

  // ---- other_processes ----

  [[nodiscard]] bool is_work_left() const noexcept override {
    return context_.has_work.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t polls_of_ranks() const noexcept override { return polls_of_ranks_.read(); }
  [[nodiscard]] int wake_descriptor() const noexcept override { return context_.net.wake_descriptor(); }
  bool may_sleep_soundly() override;
  void has_slept() noexcept override { context_.net.disarm(); }
  [[nodiscard]] bool are_payloads_on_their_way() const noexcept override {
    return context_.payloads_on_their_way.read() > 0;
  }
  [[nodiscard]] int host_of(int process) const noexcept override;
  void ring_for(int process) noexcept override;
  void attach(job& of) override;
  bool poll(rank_context* calling) override;
  bool poll_for_busy_ranks() override;
  [[nodiscard]] bool try_keep_network() override;
  void let_network_go() noexcept override;
  void leave_network_to_parent() noexcept override { static_cast<void>(lock_.try_take()); }  // and never gives it back
  void own_mains_have_returned() override;
  [[nodiscard]] bool all_mains_have_returned() const noexcept override { return end_.has_ended(); }
  [[noreturn]] void abort(int status) noexcept override;
  // control.cpp
  void send_control_message(int process, std::string text) override;
  std::vector<control_message> take_control_messages() override { return control_.take_arrived(); }
  void handle_by(active_message_kind kind, active_message_handler& handler) override { active_.add(kind, handler); }
  void send_active_message(int process, active_message_kind kind, std::string bytes, active_payload* with = nullptr,
                           departs when = departs::at_once) override;
  void receive_payload(int process, active_payload& into) override { active_payloads_.receive(process, into); }
  [[nodiscard]] std::size_t least_payload_bytes() const noexcept override { return 4 * context_.largest_inside; }
  std::optional<messages_under_way> look_at_messages(std::span<const int> of,
                                                     std::span<const held_elsewhere> held) override;

 private:
  friend out_link;  // left_by_rank()

  void left_by_rank(local_end& end, out_link* with_message) noexcept;
  void leave_work() noexcept;
  void leave_for_later(local_end& end) noexcept;
  void serve_own(local_end& end, out_link* with_message = nullptr) noexcept;
  void serve() noexcept;
  void serve_newcomers() noexcept;

  /// That many messages of a rank in a row may wait for others: its ring has room for more.
  static constexpr std::uint32_t most_left_for_later = 16;

  // ---- by the holder of the network lock ----

  [[nodiscard]] bool is_anything_left() const noexcept;
  bool work();
  void work_at(local_end& end);
  bool work_for(local_end& end);
  void send_off();

  // what the network reports (events.cpp)
  void message_arrived(int from_process, int tag, const std::byte* data, std::size_t bytes) override;
  void packet_arrived(int from_process, const std::byte* data, std::size_t bytes);
  void bare_message_arrived(int from_process, int tag, const std::byte* payload, std::size_t bytes);
  void learn_tag(int from_process, const message_entry& what);
  void operation_done(network_operation& done) override;

  // control.cpp
  void send_control_messages();
  void control_arrived(int from_process, const wire_control& what, const std::byte* payload);
  [[nodiscard]] messages_under_way count_messages(std::span<const int> of, std::span<const held_elsewhere> held) const;

  gateway_context context_;
  std::vector<early_packet> early_;
  network_lock lock_;
  observed_count polls_of_ranks_;
  std::int64_t next_look_ns_ = 0;  // for large messages that nobody has asked for

  packet_sender packets_{context_};
  text_table texts_{context_, packets_};
  stream_sender streams_{context_};
  outbox out_{context_, packets_, streams_, texts_};
  payload_receiver payloads_{context_, packets_};
  arrivals in_{context_, packets_, texts_, payloads_, foreseen_, runs_};
  foreseen_receives foreseen_{context_, in_, runs_};
  run_receiver runs_{context_, packets_, payloads_, in_, foreseen_};
  control_channel control_;
  active_payloads active_payloads_{context_};
  active_message_handlers active_;
  end_of_job end_{context_, packets_, payloads_, foreseen_, control_};
};

}  // namespace pure::core
