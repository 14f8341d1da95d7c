#include "network/network_kind.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/core.h>

namespace pure::core {
namespace {

constinit built_in_network* first_built_in = nullptr;

}  // namespace

built_in_network::built_in_network(std::string_view name, std::string_view name_for_people)
    : network_kind(name, name_for_people) {
  for (const built_in_network* each = first_built_in; each != nullptr; each = each->next_) {
    if (each->name() == name) throw std::logic_error(fmt::format("two networks have the name {}", name));
  }
  next_ = std::exchange(first_built_in, this);
}

built_in_network::~built_in_network() {
  built_in_network** link = &first_built_in;
  while (*link != this) link = &(*link)->next_;
  *link = next_;
}

std::vector<const network_kind*> built_in_networks() {
  std::vector<const network_kind*> all;
  for (const built_in_network* each = first_built_in; each != nullptr; each = each->next_) all.push_back(each);
  // Not that of their making, which the linker decides.
  std::sort(all.begin(), all.end(), [](const network_kind* a, const network_kind* b) { return a->name() < b->name(); });
  return all;
}

}  // namespace pure::core
