// A rank's end of a window: on which communicator and in which group it is, and what it is called there. Errors and
// reports name it.
//
// Belongs to the rank, on whose thread all is called but tell_holder().
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <pure/error.hpp>

#include "base/call.hpp"
#include "comm/communicator.hpp"
#include "window/lock_note.hpp"
#include "window/window_group.hpp"

namespace pure::core {

class window_end {
 public:
  using target = window_group::target;

  /// `needs_epochs`: operations outside an epoch are errors.
  window_end(communicator& on, window_group& shared, bool needs_epochs, std::uint64_t handle);
  window_end(const window_end&) = delete;
  window_end& operator=(const window_end&) = delete;

  [[nodiscard]] communicator& comm() const noexcept { return on_; }
  [[nodiscard]] window_group& shared() const noexcept { return shared_; }
  [[nodiscard]] rank_context& owner() const noexcept { return on_.owner(); }
  [[nodiscard]] int rank() const noexcept { return on_.rank(); }
  [[nodiscard]] int size() const noexcept { return on_.size(); }
  [[nodiscard]] std::uint64_t handle() const noexcept { return handle_; }
  [[nodiscard]] bool needs_epochs() const noexcept { return needs_epochs_; }
  [[nodiscard]] target& at(int rank) const noexcept { return shared_.at(rank); }
  [[nodiscard]] target& own() const noexcept { return shared_.at(rank()); }
  [[nodiscard]] bool is_addressable(int rank) const noexcept { return at(rank).control != nullptr; }

  /// How errors and hang reports call it; each rank names its own.
  [[nodiscard]] const std::string& name() const noexcept { return *name_; }
  [[nodiscard]] const shared_name& name_to_share() const noexcept { return name_; }
  void rename(std::string name) { name_ = std::make_shared<const std::string>(std::move(name)); }

  /// Throws rank. False: it is proc_null.
  [[nodiscard]] bool is_rank(const call& by, int rank) const {
    return static_cast<unsigned>(rank) < static_cast<unsigned>(size()) || refuse_rank(by, rank);
  }
  /// "OPERATION: rank R of window "NAME": TEXT\n  at SITE".
  [[noreturn]] void throw_wrong(const call& by, errc code, const std::string& text) const;

  /// For reports, of who waits for the lock of that rank. Of several processes: what tell_holder() has been told.
  [[nodiscard]] wait_subject lock_at_rank(int rank);
  /// `who` holds the lock that this rank waits for. False: it knows that. Any thread, while the rank has asked for one.
  bool tell_holder(const lock_note::seen& who);

 protected:
  ~window_end() = default;
  bool refuse_rank(const call& by, int rank) const;

 private:
  communicator& on_;
  window_group& shared_;
  const bool needs_epochs_;
  const std::uint64_t handle_;
  shared_name name_;
  std::shared_ptr<told_holder> told_holder_;  // of several processes
};

}  // namespace pure::core
