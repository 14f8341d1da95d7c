// A program or a library as the dynamic linker reads it: by its program headers, which are there in a stripped file,
// too.
//
// Trusts nothing in the file: a file whose tables do not lie in it is `damaged`, and its tables are empty. The file
// stays open and mapped for as long as this object lives; any thread may read it. What loading needs in addition has
// loader/loadable_object.hpp.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <optional>
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
  explicit object_file(const std::string& path, mapped_file::keep what = mapped_file::keep::content);

  [[nodiscard]] kind what() const noexcept { return kind_; }
  [[nodiscard]] bool is_dynamic() const noexcept;  ///< program, fixed_program or library
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// -1: it was not to be kept.
  [[nodiscard]] int descriptor() const noexcept { return file_.descriptor(); }
  [[nodiscard]] std::span<const std::byte> content() const noexcept { return file_.content(); }

  [[nodiscard]] std::uint64_t entry() const noexcept { return entry_; }
  [[nodiscard]] std::span<const Elf64_Phdr> segments() const noexcept { return segments_; }
  /// The first of that type; null: none.
  [[nodiscard]] const Elf64_Phdr* segment(std::uint32_t type) const noexcept;
  /// The first byte of all that is mapped, and behind the last one.
  [[nodiscard]] std::uint64_t begin() const noexcept;
  [[nodiscard]] std::uint64_t end() const noexcept;
  /// The dynamic linker that it asks for (PT_INTERP); empty: none.
  [[nodiscard]] std::string_view interpreter() const noexcept;

  /// What lies at an address, as far as it comes from the file: `count` objects; empty: they are not all there.
  template <class T>
  [[nodiscard]] std::span<const T> loaded(std::uint64_t address, std::uint64_t count) const noexcept {
    const auto all = loaded_from<T>(address);
    return count <= all.size() ? all.first(count) : std::span<const T>{};
  }
  /// The same, of one object, as an offset in the file. Throws std::out_of_range: it is not there.
  [[nodiscard]] std::uint64_t offset_of(std::uint64_t address) const;

  /// Up to DT_NULL, without it.
  [[nodiscard]] std::span<const Elf64_Dyn> dynamic() const noexcept { return dynamic_; }
  /// Of the first entry of that kind.
  [[nodiscard]] std::optional<std::uint64_t> value(std::int64_t tag) const noexcept;
  /// In the order of the file: DT_NEEDED, DT_SONAME, ...
  [[nodiscard]] std::vector<std::string_view> texts(std::int64_t tag) const;
  /// Of the dynamic linker's names, the one at that offset; empty: there is none. A null character follows it.
  [[nodiscard]] std::string_view text_at(std::uint64_t offset) const noexcept;

  /// The dynamic linker's symbols, the first, empty one as well.
  [[nodiscard]] std::span<const Elf64_Sym> symbols() const noexcept { return symbols_; }
  [[nodiscard]] std::string_view name_of(const Elf64_Sym& symbol) const noexcept { return text_at(symbol.st_name); }
  /// Whether it defines that function or variable, for others.
  [[nodiscard]] bool defines(std::string_view name) const noexcept;

  /// Bytes that each copy has for itself: writable segments in memory, in whole pages.
  [[nodiscard]] std::uint64_t writable_bytes() const noexcept;

 private:
  template <class T>
  [[nodiscard]] std::span<const T> at(std::uint64_t offset, std::uint64_t count) const noexcept {
    const auto all = content();
    const bool is_inside = offset <= all.size() && count <= (all.size() - offset) / sizeof(T);
    if (!is_inside || reinterpret_cast<std::uintptr_t>(all.data() + offset) % alignof(T) != 0) return {};
    return {reinterpret_cast<const T*>(all.data() + offset), count};
  }
  /// As many as the file has from that address on.
  template <class T>
  [[nodiscard]] std::span<const T> loaded_from(std::uint64_t address) const noexcept {
    for (const Elf64_Phdr& each : segments_) {
      if (each.p_type != PT_LOAD || address < each.p_vaddr || address - each.p_vaddr >= each.p_filesz) continue;
      const std::uint64_t into = address - each.p_vaddr;
      return at<T>(each.p_offset + into, (each.p_filesz - into) / sizeof(T));
    }
    return {};
  }
  [[nodiscard]] kind read() noexcept;
  [[nodiscard]] bool has_whole_segments() const noexcept;
  [[nodiscard]] bool read_dynamic_section() noexcept;
  [[nodiscard]] bool read_names() noexcept;
  [[nodiscard]] bool read_symbols() noexcept;

  std::string path_;
  mapped_file file_;
  std::uint64_t entry_ = 0;
  std::span<const Elf64_Phdr> segments_;
  std::span<const Elf64_Dyn> dynamic_;
  std::span<const char> names_;
  std::span<const Elf64_Sym> symbols_;
  kind kind_ = kind::unknown;
};

}  // namespace pure::core
