#include "runtime/service_table.hpp"

#include <fmt/core.h>

#include <span>
#include <stdexcept>
#include <typeinfo>
#include <utility>

#include "base/text.hpp"

namespace pure::core {

namespace {

std::string name_of(const service& one) { return type_name(typeid(one).name()); }

/// Nobody may be where `made` belongs.
void expect_free(const service* there, const service& made, const std::string& place) {
  if (there == nullptr) return;
  throw std::logic_error(fmt::format("{} of a rank is for one service, but is asked for by {} and {}", place,
                                     name_of(*there), name_of(made)));
}

}  // namespace

void service_table::attach(service_slot slot, std::unique_ptr<service> made) {
  expect_free(at(slot), *made, fmt::format("slot {}", slot.number()));
  if (made->helps_others()) {
    expect_free(helper_, *made, "the help for other ranks");
    helper_ = made.get();
  }
  if (made->helps_receivers()) {
    expect_free(copier_, *made, "the help for receivers");
    copier_ = made.get();
  }
  if (made->advances()) advancing_[advancing_count_++] = made.get();
  order_[attached_++] = index(slot);
  by_slot_[index(slot)] = std::move(made);
}

bool service_table::acts_for_others() const noexcept {
  for (const service* const each : std::span(advancing_).first(advancing_count_)) {
    if (each->acts_for_others()) return true;
  }
  return false;
}

bool service_table::end_main() noexcept {
  bool is_used = false;
  for (const std::size_t each : std::span(order_).first(attached_)) is_used |= by_slot_[each]->end_main();
  return is_used;
}

void service_table::close_all() noexcept {
  for (const std::size_t each : std::span(order_).first(attached_)) by_slot_[each]->close();
}

void service_table::destroy_all() noexcept {
  advancing_count_ = 0;
  helper_ = copier_ = nullptr;
  while (attached_ > 0) by_slot_[order_[--attached_]].reset();
}

void service_table::add_leftovers(leftovers& to) const {
  for (const std::size_t each : std::span(order_).first(attached_)) by_slot_[each]->add_leftovers(to);
}

}  // namespace pure::core
