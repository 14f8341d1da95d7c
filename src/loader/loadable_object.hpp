// An object that can be loaded: all that is used of it while it is loaded, and in each of its copies, lies where the
// file says.
//
// Checked once, when it is opened: segments, names, symbols, versions, the places of all relocations, the functions
// that run before and after main. Who loads it computes addresses without further checks. Any thread may read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "loader/object_file.hpp"
#include "loader/symbol_versions.hpp"

namespace pure::core {

class loadable_object : public object_file {
 public:
  /// Throws pure::Error: it cannot be read, it is no program or library of this machine, or it is damaged.
  explicit loadable_object(const std::string& path);

  /// The version that a symbol has, or is asked for in; empty: none.
  [[nodiscard]] std::string_view version_of(std::size_t symbol) const noexcept { return versions_.of(symbol); }
  [[nodiscard]] const symbol_versions& versions() const noexcept { return versions_; }

  /// Of both tables, in their order. The place is in a writable segment, the symbol's number below symbols().size().
  void each_relocation(const std::function<void(const Elf64_Rela&)>& visit) const;
  /// Of functions that are called by the linkage table, by whose numbers that table names them (DT_JMPREL).
  [[nodiscard]] std::span<const Elf64_Rela> calls() const noexcept { return plt_relocations_; }
  /// Places of words in the file to which the load address is added (DT_RELR).
  void each_packed_relocation(const std::function<void(std::uint64_t place)>& visit) const;

 private:
  template <class T>
  [[nodiscard]] std::span<const T> table(std::int64_t where, std::int64_t size, const char* name) const;
  [[nodiscard]] bool has(std::uint64_t address, std::uint64_t bytes, Elf64_Word flags) const noexcept;
  void read_relocations();
  void check_segments() const;
  void check_relocations() const;
  void check_functions() const;
  [[noreturn]] void refuse(const std::string& why) const;

  symbol_versions versions_;
  std::span<const Elf64_Rela> relocations_, plt_relocations_;
  std::span<const std::uint64_t> packed_;
};

}  // namespace pure::core
