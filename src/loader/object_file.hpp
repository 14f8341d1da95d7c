// A program or a library as the dynamic linker reads it: by its program headers, which are there in a stripped file,
// too.
//
// Trusts nothing in the file: every offset is checked, and what is not there is empty. The file stays open and mapped
// for as long as this object lives; any thread may read it.
#pragma once

#include <elf.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.hpp"

namespace pure::core {

class object_file {
 public:
  enum class kind {
    program,         ///< position independent, for a dynamic linker
    fixed_program,   ///< for a dynamic linker, at addresses of its own
    static_program,  ///< without a dynamic linker, at whatever addresses
    library,
    script,         ///< it begins with #!
    other_machine,  ///< ELF, but not for this processor, or for 32 bits
    not_linked,     ///< an object file, a core file
    damaged,        ///< cut off, or it contradicts itself
    unknown,        ///< no ELF file at all
  };

  /// Throws std::runtime_error if it is no file that can be read.
  explicit object_file(const std::string& path);

  [[nodiscard]] kind what() const noexcept { return kind_; }
  [[nodiscard]] bool is_dynamic() const noexcept;  ///< program, fixed_program or library
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::span<const std::byte> content() const noexcept { return file_.content(); }

  [[nodiscard]] std::span<const Elf64_Phdr> segments() const noexcept { return segments_; }
  /// The first of that type; null: none.
  [[nodiscard]] const Elf64_Phdr* segment(std::uint32_t type) const noexcept;
  /// The dynamic linker that it asks for (PT_INTERP); empty: none.
  [[nodiscard]] std::string_view interpreter() const noexcept;

  /// Up to DT_NULL, without it.
  [[nodiscard]] std::span<const Elf64_Dyn> dynamic() const noexcept { return dynamic_; }
  [[nodiscard]] const Elf64_Dyn* dynamic(std::int64_t tag) const noexcept;
  /// In the order of the file: DT_NEEDED, DT_SONAME, ...
  [[nodiscard]] std::vector<std::string_view> texts(std::int64_t tag) const;

  /// The dynamic linker's symbols, the first, empty one as well.
  [[nodiscard]] std::span<const Elf64_Sym> symbols() const noexcept { return symbols_; }
  [[nodiscard]] std::string_view name_of(const Elf64_Sym& symbol) const noexcept { return text_at(symbol.st_name); }
  /// Whether it defines that function or variable, for others.
  [[nodiscard]] bool defines(std::string_view name) const noexcept;

  /// Bytes that each copy has for itself: writable segments in memory, in whole pages.
  [[nodiscard]] std::uint64_t writable_bytes() const noexcept;

 private:
  template <class T>
  [[nodiscard]] std::span<const T> at(std::uint64_t offset, std::uint64_t count) const noexcept;
  /// As many as the file has from that address on.
  template <class T>
  [[nodiscard]] std::span<const T> loaded_at(std::uint64_t address) const noexcept;
  [[nodiscard]] std::string_view text_at(std::uint64_t offset) const noexcept;
  [[nodiscard]] kind read() noexcept;
  void read_dynamic() noexcept;
  [[nodiscard]] std::size_t count_symbols() const noexcept;

  std::string path_;
  mapped_file file_;
  std::span<const Elf64_Phdr> segments_;
  std::span<const Elf64_Dyn> dynamic_;
  std::span<const char> names_;
  std::span<const Elf64_Sym> symbols_;
  kind kind_ = kind::unknown;
};

}  // namespace pure::core
