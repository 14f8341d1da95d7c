// The other processes of a job, as the runtime knows them: who has which ranks, and what has to be asked of the network
// at the start, in waits, when ranks seem to wait for ever, and at the end. The layers above implement it
// (gateway/gateway.hpp); a job of one process has none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "machine/rank_placement.hpp"
#include "runtime/active_message.hpp"
#include "runtime/proxy.hpp"

namespace pure::core {

class job;
class rank_context;

/// What the runtime of another process, or of this one, tells this one.
struct control_message {
  int from = 0;
  std::string text;
};

/// A large message whose bytes its sender's network still holds: the process at the other end, and the number by which
/// the sender knows it.
struct held_elsewhere {
  int process = 0;
  std::uint32_t number = 0;
};

/// What of some ranks' messages is on its way, at one moment. Packets are counted from the start of the job.
struct messages_under_way {
  /// This process has passed on everything that these ranks have left for others, and everything that has come for
  /// them; no bytes that they have asked for are missing, and no answer to a cancelled send.
  bool is_settled = false;
  std::vector<std::uint64_t> sent, arrived;  // packets, by process
  std::vector<held_elsewhere> held;          // large messages of these ranks
};

class other_processes : public doorbell {
 public:
  other_processes(int process, rank_placement placement) : process_(process), placement_(std::move(placement)) {}
  other_processes(const other_processes&) = delete;
  other_processes& operator=(const other_processes&) = delete;
  virtual ~other_processes() = default;

  [[nodiscard]] int process() const noexcept { return process_; }
  /// The number of the machine that a process runs on, among those of the job.
  [[nodiscard]] virtual int host_of(int process) const noexcept = 0;
  [[nodiscard]] int host() const noexcept { return host_of(process_); }
  [[nodiscard]] const rank_placement& placement() const noexcept { return placement_; }
  [[nodiscard]] bool is_here(int rank) const noexcept { return placement_.process_of(rank) == process_; }

  /// Once, when the workers of the job have their services, before they run.
  virtual void attach(job& of) = 0;

  /// Moves the network on, unless another thread does so at the moment. True if something has happened. Any thread.
  /// `calling`: its rank, whose receives may end here, as in advance(); null: none may.
  virtual bool poll(rank_context* calling) = 0;
  /// Whether a rank has left something for whoever polls next, and nobody has done it yet. Any thread; a moment ago.
  [[nodiscard]] virtual bool is_work_left() const noexcept = 0;
  /// How many of these polls there have been by ranks: if their number grows, somebody looks after the network.
  [[nodiscard]] virtual std::uint64_t polls_of_ranks() const noexcept = 0;
  /// For a thread that sleeps until other processes have something for this one: readable then, behind
  /// may_sleep_soundly(). -1: nothing tells; look again and again.
  [[nodiscard]] virtual int wake_descriptor() const noexcept { return -1; }
  /// Before such a sleep. False: something has moved, or another thread is inside the network; do not sleep for long.
  virtual bool may_sleep_soundly() { return false; }
  /// Behind such a sleep.
  virtual void has_slept() noexcept {}
  /// Now and then, by the thread that waits for the ranks: ends the process if whoever has started it has ended.
  void look_at_starter() const {
    if (look_at_starter_) look_at_starter_();
  }
  /// How. Before the ranks run.
  void look_at_starter_by(std::function<void()> look) { look_at_starter_ = std::move(look); }
  /// Whether large messages are on their way, from or to this process: these move on by polls. Any thread; a moment
  /// ago.
  [[nodiscard]] virtual bool are_payloads_on_their_way() const noexcept = 0;
  /// The same for a thread that stands in for ranks which compute (progress_thread.hpp): large messages that no rank
  /// asks for are received all the same, PURE_ASYNC_PROGRESS_BYTES of them at most. True if something has happened, or
  /// is under way.
  virtual bool poll_for_busy_ranks() = 0;

  // ---- for calls that the program itself makes of what is below (mpi_lock.hpp) ----

  /// Nobody else is inside the network from now on, until the caller lets it go, and what ranks have left before is on
  /// its way. False: not yet; try again. Any thread.
  [[nodiscard]] virtual bool try_keep_network() = 0;
  /// Also does what has been left meanwhile.
  virtual void let_network_go() noexcept = 0;

  // ---- for the search for ranks that wait for ever (hang/coordinator.hpp) ----

  /// Tells the runtime of that process, which may be this one, something: it gets it through take_control_messages().
  /// Control messages to one process arrive in the order of sending, after all messages that had left this process for
  /// it before. Dropped when all mains have returned. Any thread.
  virtual void send_control_message(int process, std::string text) = 0;
  /// The control messages that have come. When there are some, job::control_messages_have_come() is called. Any thread.
  virtual std::vector<control_message> take_control_messages() = 0;

  // ---- for one-sided operations and aggregation ----

  /// Before the ranks run. The handler outlives them. Throws std::logic_error if `kind` has a handler already.
  virtual void handle_by(active_message_kind kind, active_message_handler& handler) = 0;
  /// Ordered as control messages, and with them. Any thread, also inside a handler. Throws std::bad_alloc.
  /// `with`: its payload, or none.
  virtual void send_active_message(int process, active_message_kind kind, std::string bytes,
                                   active_payload* with = nullptr, departs when = departs::at_once) = 0;
  /// By a handler: the payload of the message that it is called for, as many bytes as were sent.
  virtual void receive_payload(int process, active_payload& into) = 0;
  /// From so many bytes on a payload takes less time than the same bytes in messages.
  [[nodiscard]] virtual std::size_t least_payload_bytes() const noexcept = 0;

  /// Moves everything on, and then looks at the messages of these ranks, which are here. `held`: not settled unless
  /// nobody here has asked for any of these either. Nothing if another thread moves the network on: try again. Any
  /// thread.
  virtual std::optional<messages_under_way> look_at_messages(std::span<const int> of,
                                                             std::span<const held_elsewhere> held) = 0;

  /// In a child of fork(), which has copies of the network's connections: nobody there is ever inside it. By its only
  /// thread.
  virtual void leave_network_to_parent() noexcept = 0;

  // ---- the end ----

  /// The mains of this process have all returned. By one thread, once.
  virtual void own_mains_have_returned() = 0;
  /// The mains of all processes have returned, and every message between them has arrived. Any thread; all workers are
  /// notified when it becomes true.
  [[nodiscard]] virtual bool all_mains_have_returned() const noexcept = 0;

  /// Ends all processes of the job. Any thread, at any moment.
  [[noreturn]] virtual void abort(int status) noexcept = 0;

 private:
  const int process_;
  const rank_placement placement_;
  std::function<void()> look_at_starter_;
};

}  // namespace pure::core
