#include "window/window_table.hpp"

#include <fmt/core.h>

#include "runtime/job.hpp"
#include "runtime/leftovers.hpp"

namespace pure::core {

window_table::window_table(const rank_context& owner) : made_(handle_kind::window, owner.number()), owner_(owner) {
  job& running = owner.owner();
  if (running.others() == nullptr) return;
  // The ranks get their tables one after the other, before they run.
  spanning_ = owner.index() == 0 ? std::make_shared<process_windows>(running) : of(running.worker(0)).spanning_;
}

window& window_table::add(communicator& on, window_group& shared, bool needs_epochs) {
  try {
    const auto made = made_.make();
    made.entry = std::make_unique<window>(on, shared, needs_epochs, made.name.value, spanning_.get());
    return *made.entry;
  } catch (...) {
    shared.release();
    throw;
  }
}

bool window_table::end_main() noexcept {
  bool is_used = false;  // by operations of others that have begun
  made_.for_each([&](const std::unique_ptr<window>& each) {
    if (each != nullptr && each->remote() != nullptr) is_used |= !each->remote()->are_all_answered();
    if (each == nullptr || each->shared().has_own_memory()) return;
    each->shared().end_part(each->rank(), part_end::main_ended);
    is_used = true;
  });
  return is_used;
}

void window_table::add_leftovers(leftovers& to) {
  made_.for_each([&](const std::unique_ptr<window>& each) {
    if (each != nullptr)
      to.windows.push_back(fmt::format("rank {}: window \"{}\" was not freed", owner_.number(), each->name()));
  });
}

}  // namespace pure::core
