// The network: how the processes of a job reach each other (DESIGN D5). An interface; a plug-in implements it over an
// MPI (src/net_mpi), and another one could over something else without any change above.
//
// Two ways to send. *Messages* of at most message_bytes go to whoever polls the other process; room for them is posted
// there from the start. They hold the envelopes of ranks (gateway/wire.hpp). *Payloads* of any size go under a tag of
// their own, and the receiver, who knows the size from an envelope, posts the very memory where they shall lie.
// Messages of one process to another arrive in the order of sending; so do payloads of one tag; messages and payloads
// have no order between them. What all processes do together is made of payloads (network/process_collective.hpp).
//
// Nothing here blocks, except opening and finalize(). One thread at a time may be inside (any thread, but one at a
// time: network/network_lock.hpp), abort() excepted. Whoever is inside must not wait for anything, switch ranks, run
// tasks or user code.
//
// Nothing here throws. A failure of the network is final: it is reported once, through network_opening::failed, and
// from then on nothing is started and nothing completes; the job has to end, by abort().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pure::core {

/// Raised with every change in this file: a plug-in of another version is refused.
inline constexpr std::uint32_t network_interface_version = 15;

/// Something under way. It belongs to whoever starts it, must stay where it is until it is done, and may then be used
/// again; its memory (data sent or received) likewise.
struct network_operation {
  void* owner = nullptr;   ///< for whoever starts it
  std::size_t bytes = 0;   ///< received, once it is done
  bool cancelled = false;  ///< done, because cancel() took it back

  // ---- the network's own
  bool is_near = false;  ///< of two that are one (network/two_level_network.hpp): which has it
  std::uint32_t pieces_left = 0;
};

/// What poll() reports. The calls happen inside poll(), by its thread; they may start operations, and cancel receives,
/// but not poll.
class network_events {
 public:
  /// A message of another process, with its tag. The bytes are there until the call returns, and aligned to 16.
  virtual void message_arrived(int from_process, int tag, const std::byte* data, std::size_t bytes) = 0;
  /// The network has forgotten the operation.
  virtual void operation_done(network_operation& done) = 0;

 protected:
  ~network_events() = default;
};

/// Who is there. The same for the whole life of the network; any thread may read it.
struct network_peers {
  int process = 0;  ///< this one
  int processes = 1;
  std::vector<int> host_of;             ///< by process: the number of its host, in the order of the first processes
  std::vector<std::string> host_names;  ///< by host
  /// By process: the number of the machine whose cores it uses, likewise. Containers of one machine are hosts.
  std::vector<int> machine_of;
  int index_on_machine = 0;  ///< among the processes of this machine, in their order
  int processes_on_machine = 1;
  int largest_tag = 0;            ///< tags are 0 to this, at least 32767
  std::size_t message_bytes = 0;  ///< the most that a message holds
  std::size_t piece_bytes = 0;    ///< longer payloads travel in pieces
  /// The longest message that reaches a process of the same machine at once; for a longer one the MPI first asks there.
  /// 0: not known.
  std::size_t eager_bytes = 0;
  std::string library;  ///< "MPICH 4.0.2"
  /// No receives wait for messages, because the MPI loses those that come before one (docs/mpi_faults.md).
  bool looks_for_messages = false;

  [[nodiscard]] bool is_on_this_machine(int other) const noexcept {
    return machine_of[static_cast<std::size_t>(other)] == machine_of[static_cast<std::size_t>(process)];
  }
};

class network {
 public:
  network() = default;
  network(const network&) = delete;
  network& operator=(const network&) = delete;
  virtual ~network() = default;

  [[nodiscard]] const network_peers& peers() const noexcept { return peers_; }

  // ---- between two processes. `process` is another one. All that start something return true if it is done already:
  // ---- then operation_done is not called for it.

  /// Sends a message of 0 to message_bytes bytes. Those of one process arrive in the order of sending, whatever their
  /// tags.
  virtual bool send_message(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) = 0;

  /// Sends a payload. The network may be done with it before it is received. A tag may be used again while an earlier
  /// payload of it to the same process has not been received only if these are received in the order of sending.
  virtual bool send(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) = 0;

  /// As send(), for a payload of piece_bytes at most. Looks whether it is done at once, as one of message_bytes at most
  /// may well be.
  virtual bool send_short(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) = 0;

  /// Receives a payload of exactly that many bytes, or, where these are one piece at most, of no more, from that
  /// process, with that tag, straight into `data`. One that was sent longer is a failure of the network.
  virtual bool receive(network_operation& receiving, int process, int tag, void* data, std::size_t bytes) = 0;

  /// Takes back a receive for which nothing has arrived. Either way it is done soon: `cancelled` tells. As for what
  /// starts something, true if it is done already.
  virtual bool cancel(network_operation& receiving) = 0;

  /// Moves everything on, and reports what has happened: one message at most, so that it can be answered at once. True
  /// if something has happened; then there may be more. A call costs about as much as one test of the MPI below.
  virtual bool poll(network_events& events) = 0;

  // ---- sleeping. A network may wake a thread that sleeps until something comes; where it does not, who sleeps looks
  // ---- again and again.

  /// Readable when there is something to poll for, or the network has failed, behind arm(). -1: this network wakes
  /// nobody. The same for its whole life; any thread.
  [[nodiscard]] virtual int wake_descriptor() const noexcept { return -1; }
  /// By whoever is inside, and is about to sleep; then polls once more.
  virtual void arm() noexcept {}
  /// By the thread that has slept, inside or not.
  virtual void disarm() noexcept {}

  // ---- the end

  /// Whoever has started the processes may have ended before them: that is a failure of this network, where it can
  /// tell. Now and then; any thread, inside or not.
  virtual void look_at_starter() noexcept {}

  /// Ends all processes of the job with this status, soon. On a thread where exit() is libc's (run_apart), also while
  /// another one is inside; does not return.
  [[noreturn]] virtual void abort(int status) noexcept = 0;

  /// The good end, by the thread that opened the network, in every process, when all its operations are done: may wait
  /// for the other processes. Then only the destructor may be called. `status`: with which the process ends.
  virtual void finalize(int status) = 0;

  /// The process leaves at once, in good order, and without finalize(). Allocates nothing, takes no lock, never waits.
  virtual void leave_at_once() noexcept {}

 protected:
  network_peers peers_;
};

/// What a plug-in is told when it opens the network, and what it answers if it cannot.
struct network_opening {
  std::uint32_t interface_version = network_interface_version;  // the first member, in every version
  int expected_processes = 0;                                   ///< what the launcher says; 0: not known
  bool is_on_one_host = false;                                  ///< all of them; false: or not known
  std::size_t message_bytes = 17 * 1024;                        ///< the same in all processes
  int message_slots = 16;                                       ///< how many messages have room posted for them
  std::size_t piece_bytes = std::size_t{1}
                            << 30;  ///< longer payloads travel in pieces (MPI counts in int); the same in all
  bool sums_messages = false;       ///< PURE_CHECK: damaged ones are found, where the network is Pure's own
  void (*failed)(void* context, const char* text) = nullptr;  ///< by whoever is inside when the network fails
  /// What is below is about to be ended by the program: the last moment for finalize(). By the thread that ends it,
  /// before it does.
  void (*ends_below)(void* context) = nullptr;
  void* context = nullptr;
  std::array<char, 2048> error{};  ///< the answer: why there is no network
};

/// A plug-in's only symbol. Blocks until all processes of the job have called it; null if that fails. Once in a
/// process, by the thread that will finalize.
extern "C" using open_network_function = network * (*)(network_opening&);
inline constexpr const char* open_network_symbol = "pure_open_network";

}  // namespace pure::core
