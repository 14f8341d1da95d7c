// What an upper layer hangs on a rank: its per-rank state, and the work that any wait of that rank drives.
//
// The runtime layer knows messages, collectives and tasks only as services; that keeps includes pointing downward.
#pragma once

namespace pure::core {

struct leftovers;

class service {
 public:
  service() = default;
  service(const service&) = delete;
  service& operator=(const service&) = delete;
  virtual ~service() = default;

  /// Moves this rank's pending operations as far as they go without blocking. True if anything moved.
  /// Called by the owning rank only, from inside its waits and tests.
  virtual bool advance() { return false; }
  /// False for a service that has no operations: advance() is then never called.
  [[nodiscard]] virtual bool advances() const noexcept { return true; }

  /// True if advance() may do something for other ranks that waits for third ones: then nobody can say that those who
  /// wait for this rank wait for ever, though it is parked itself. (A collective passes things on; a message does not.)
  [[nodiscard]] virtual bool acts_for_others() const noexcept { return false; }

  /// The rank is about to sleep in a wait, in which advance() has found nothing: does what cannot stay undone until
  /// somebody wakes it. True if anything moved. Called by the owning rank only.
  virtual bool before_sleep() { return false; }

  /// Does some work of another rank, for a rank that has nothing to do but wait. True if there was any.
  /// Called by the owning rank only, from inside its waits (not its tests), with a condition that is not met.
  virtual bool help_others() { return false; }

  /// Does this rank's part of copies that other ranks have begun, and ends no operation. Called by the owning rank
  /// only, inside its own copies, while these wait for others' parts.
  virtual void help_receivers() noexcept {}

  /// The rank's main has ended, and with it some of the memory that its operations use: takes back what has not begun.
  /// True if operations are left that use the program's memory, or may. Called by the owning rank, once.
  virtual bool end_main() noexcept { return false; }

  /// The job has failed and every rank has stopped: forgets all operations, whose memory the unwinding rank frees.
  virtual void close() noexcept {}

  /// All ranks have returned, and none has failed: adds what the program has left undone (runtime/leftovers.hpp). Only
  /// where PURE_CHECK is on. Called by the thread that ends the job, before any service is destroyed.
  virtual void add_leftovers(leftovers& /*to*/) {}
};

/// One slot per layer; a wait advances them in this order.
enum class service_slot { messages, requests, communicators, collectives, windows, aggregations, c_door, tasks, count };

}  // namespace pure::core
