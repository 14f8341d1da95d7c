#include "objects/collective_stage.hpp"

#include "layout/layout.hpp"

namespace pure::core {

std::byte* collective_stage::make_row(std::size_t bytes) {
  return held().memory.emplace_back(std::make_unique<std::byte[]>(bytes + 1)).get();  // also of no bytes: not null
}

void collective_stage::deleter::operator()(things* all) const noexcept { delete all; }

void collective_stage::copy_in() noexcept {
  for (const piece& each : held_->pieces) {
    if (!each.goes_in || each.where.bytes == 0) continue;
    copy_laid_out({each.row, each.form_of_row.get()},
                  {static_cast<const std::byte*>(each.where.base), each.where.form.get()}, 0, each.where.bytes);
  }
}

void collective_stage::copy_out() noexcept {
  for (const piece& each : held_->pieces) {
    if (!each.comes_out || each.where.bytes == 0) continue;
    copy_laid_out({static_cast<std::byte*>(each.where.base), each.where.form.get()}, {each.row, each.form_of_row.get()},
                  0, each.where.bytes);
  }
}

}  // namespace pure::core
