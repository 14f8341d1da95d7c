// Which version each of an object's symbols has, or is asked for in (DT_VERSYM, DT_VERDEF, DT_VERNEED).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "loader/object_file.hpp"

namespace pure::core {

class symbol_versions {
 public:
  /// The file outlives it. Throws std::out_of_range: the tables do not lie in it.
  explicit symbol_versions(const object_file& file);

  /// By the symbol's number; empty: none.
  [[nodiscard]] std::string_view of(std::size_t symbol) const noexcept;
  /// Found only by who asks for that version.
  [[nodiscard]] bool is_hidden(std::size_t symbol) const noexcept;
  /// For who was linked when there were no versions: it has none, or the first that the object defines.
  [[nodiscard]] bool is_oldest(std::size_t symbol) const noexcept;

 private:
  void note(std::size_t number, std::string_view name);
  void read_defined(const object_file& file);
  void read_needed(const object_file& file);

  std::span<const std::uint16_t> numbers_;  // by symbol
  std::vector<std::string_view> names_;     // by number
};

/// Each library of which the object asks for versions (DT_VERNEED), and the address of that entry. Throws as above.
void each_needed_version(const object_file& file,
                         const std::function<void(std::uint64_t address, const Elf64_Verneed&)>& visit);

}  // namespace pure::core
