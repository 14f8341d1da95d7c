// What an upper layer hangs on a rank: its per-rank state, and the work that any wait of that rank drives.
//
// The runtime layer knows messages, collectives and tasks only as services; that keeps includes pointing downward.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace pure::core {

struct leftovers;

/// Where a rank keeps a layer's service: a number that the layer gives itself, as a constant of its service's class, so
/// that service_table::at() is one load from a place that the compiler knows. The runtime has no list of the layers;
/// start/services.cpp compares the numbers when it is compiled, and service_table::attach() when a rank is made.
class service_slot {
 public:
  static constexpr int most = 12;

  /// Throws std::out_of_range, which as a constant is an error of the compiler.
  constexpr explicit service_slot(int number) : number_(number) {
    if (number < 0 || number >= most) throw std::out_of_range("a service's slot: service_slot::most says how many");
  }
  [[nodiscard]] constexpr int number() const noexcept { return number_; }

 private:
  int number_;
};

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

  /// Gives memory back that has not been used since the last call, seconds ago. True if there was some. Called by the
  /// owning rank only, from inside its waits.
  virtual bool give_back_unused() noexcept { return false; }

  /// True for the one service of a rank whose help_others() does something.
  [[nodiscard]] virtual bool helps_others() const noexcept { return false; }
  /// Does some work of another rank, for a rank that has nothing to do but wait. True if there was any.
  /// Called by the owning rank only, from inside its waits (not its tests), with a condition that is not met.
  virtual bool help_others() { return false; }
  /// True if there is such work. By a rank that has just been counted as parked, does not rest, and sleeps otherwise:
  /// whoever has work publishes it, and then wakes somebody if that count says that anybody sleeps. Called by the
  /// owning rank only.
  [[nodiscard]] virtual bool sees_work_of_others() const noexcept { return false; }

  /// When the rank looks at such work again, if it leaves it to others now, in the time of base/clock.hpp: then it
  /// wakes by itself. 0: it does not. Called by the owning rank only.
  [[nodiscard]] virtual std::int64_t rests_until_ns() const noexcept { return 0; }

  /// True for the one service of a rank whose help_receivers() does something.
  [[nodiscard]] virtual bool helps_receivers() const noexcept { return false; }
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

}  // namespace pure::core
