#include "window/window_table.hpp"

#include <fmt/core.h>

#include "runtime/leftovers.hpp"

namespace pure::core {

window& window_table::add(communicator& on, window_group& shared, bool needs_epochs) {
  try {
    const auto made = made_.make();
    made.entry = std::make_unique<window>(on, shared, needs_epochs, made.name.value);
    return *made.entry;
  } catch (...) {
    shared.release();
    throw;
  }
}

void window_table::add_leftovers(leftovers& to) {
  made_.for_each([&](const std::unique_ptr<window>& each) {
    if (each != nullptr)
      to.windows.push_back(fmt::format("rank {}: window \"{}\" was not freed", owner_.number(), each->name()));
  });
}

}  // namespace pure::core
