// The services of one worker, by slot: what a wait drives, and what ends with the rank's main and with the job.
//
// All of this belongs to the worker's own thread, but for attach() and destroy_all(), which are for the thread that
// makes the job and ends it. Services are advanced, and closed, in the order in which they were attached, and destroyed
// in the reverse order. No two have the same slot; at most one helps other ranks, and one receivers.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "runtime/service.hpp"

namespace pure::core {

class service_table {
 public:
  /// Throws std::logic_error, which names both services, if there is one already where this one belongs.
  void attach(service_slot slot, std::unique_ptr<service> made);

  /// Null: there is none.
  [[nodiscard]] service* at(service_slot slot) const noexcept { return by_slot_[index(slot)].get(); }

  /// Advances every service. True if anything moved.
  bool advance() {
    bool moved = false;
    for (std::size_t i = 0; i < advancing_count_; ++i) moved |= advancing_[i]->advance();
    return moved;
  }

  /// The same before the rank sleeps, for what advance() leaves for later.
  bool settle_before_sleep() {
    bool moved = false;
    for (std::size_t i = 0; i < advancing_count_; ++i) moved |= advancing_[i]->before_sleep();
    return moved;
  }

  /// Gives memory back. True if a service had some that it has not used since the last call.
  bool give_back_unused() noexcept {
    bool has_given = false;
    for (std::size_t i = 0; i < advancing_count_; ++i) has_given |= advancing_[i]->give_back_unused();
    return has_given;
  }

  /// Whether one of them may still do something for other ranks (service::acts_for_others).
  [[nodiscard]] bool acts_for_others() const noexcept;

  /// Does some work of another rank. True if there was any.
  bool help_others() { return helper_ != nullptr && helper_->help_others(); }
  /// True if there is some (service::sees_work_of_others).
  [[nodiscard]] bool see_work_of_others() const noexcept {
    return helper_ != nullptr && helper_->sees_work_of_others();
  }
  /// Until when it leaves that to others (service::rests_until_ns).
  [[nodiscard]] std::int64_t rests_until_ns() const noexcept {
    return helper_ != nullptr ? helper_->rests_until_ns() : 0;
  }

  /// Does this rank's part of copies that others have begun (service::help_receivers).
  void help_receivers() noexcept {
    if (copier_ != nullptr) copier_->help_receivers();
  }

  /// After the rank's main. True if a service still uses memory of the program.
  bool end_main() noexcept;
  /// The job has failed, and every rank has stopped.
  void close_all() noexcept;
  /// Nobody may address this rank any more.
  void destroy_all() noexcept;

  /// What the program has left undone with each service.
  void add_leftovers(leftovers& to) const;

 private:
  static constexpr std::size_t index(service_slot slot) noexcept { return static_cast<std::size_t>(slot.number()); }

  std::array<std::unique_ptr<service>, service_slot::most> by_slot_;
  std::array<service*, service_slot::most> advancing_{};
  std::size_t advancing_count_ = 0;
  service* helper_ = nullptr;
  service* copier_ = nullptr;
  std::array<std::size_t, service_slot::most> order_{};  // the slots, in the order of attaching
  std::size_t attached_ = 0;
};

}  // namespace pure::core
