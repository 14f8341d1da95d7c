#include "window/window_end.hpp"

#include <fmt/core.h>

#include "runtime/call_error.hpp"
#include "runtime/wait_reason.hpp"

namespace pure::core {

window_end::window_end(communicator& on, window_group& shared, bool needs_epochs, std::uint64_t handle)
    : on_(on), shared_(shared), needs_epochs_(needs_epochs), handle_(handle), name_(shared.name()) {
  if (shared.spanning() != nullptr) told_holder_ = std::make_shared<told_holder>();
}

void window_end::throw_wrong(const call& by, errc code, const std::string& text) const {
  throw call_error(by, code, fmt::format("rank {} of window \"{}\": {}", rank(), name(), text));
}

bool window_end::refuse_rank(const call& by, int rank) const {
  if (rank == proc_null) return false;
  throw_wrong(by, errc::rank, fmt::format("there is no rank {}: the window has the ranks 0 to {}", rank, size() - 1));
}

wait_subject window_end::lock_at_rank(int rank) {
  wait_subject about{.name = name_, .number = static_cast<std::uint64_t>(rank)};
  if (shared_.spanning() == nullptr) {
    about.held_by = shared_.shared_locks();
  } else {
    about.held_by = told_holder_;
  }
  return about;
}

bool window_end::tell_holder(const lock_note::seen& who) {
  return told_holder_->tell(who, who.is_anybody() ? on_.number_of(who.rank) : wait_reason::nobody);
}

}  // namespace pure::core
