// The info objects that one rank has made, by the handles of pure.h. Own thread of the rank only.
#pragma once

#include <pure.h>

#include <cstdint>
#include <map>
#include <string>

#include "match/handle_table.hpp"

namespace pure::core {

class info_table {
 public:
  using entries = std::map<std::string, std::string>;

  explicit info_table(int rank) : made_(handle_kind::info, rank), rank_(static_cast<std::uint32_t>(rank)) {}

  pure_info add(entries of) { return static_cast<pure_info>(made_.make(std::move(of)).name.value); }
  /// Null if the rank has none of that handle.
  [[nodiscard]] entries* find(pure_info info) noexcept {
    const handle key{static_cast<std::uint64_t>(info)};
    return key.kind() == handle_kind::info && key.rank() == rank_ ? made_.find(key) : nullptr;
  }
  void free(pure_info info) noexcept { made_.free({static_cast<std::uint64_t>(info)}); }

 private:
  handle_table<entries> made_;
  const std::uint32_t rank_;
};

}  // namespace pure::core
