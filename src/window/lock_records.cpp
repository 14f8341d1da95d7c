#include "window/lock_records.hpp"

#include "match/message_checks.hpp"

namespace pure::core {

std::vector<holder> lock_records::of(std::uint64_t target) const {
  std::vector<holder> all;
  for (const own& each : of_) {
    const record* const records = each.records.load(std::memory_order_acquire);  // acquire: pairs with prepare()
    if (records == nullptr) continue;
    const record& its = records[target];
    const char* const operation = its.operation.load(std::memory_order_relaxed);
    if (operation == nullptr) continue;
    const site_of_call site{its.where.load(std::memory_order_relaxed), its.line.load(std::memory_order_relaxed)};
    all.push_back({each.number, to_text(operation, site)});
  }
  return all;
}

}  // namespace pure::core
