// An executable or shared object as the dynamic linker sees it: segments, dynamic section, symbols, relocations; read
// from its file, which stays mapped. Tables that lie outside the file are refused when it is opened.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pure::core {

class elf_object {
 public:
  /// Throws pure::Error: it cannot be read, it is no such file of this machine, or it is damaged.
  explicit elf_object(const std::string& path);
  elf_object(elf_object&& from) noexcept;
  elf_object& operator=(elf_object&&) = delete;
  ~elf_object();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] std::span<const std::byte> content() const noexcept { return content_; }

  [[nodiscard]] std::uint64_t entry() const noexcept { return header().e_entry; }
  [[nodiscard]] std::span<const Elf64_Phdr> segments() const noexcept { return segments_; }
  /// The first segment of that type; null: there is none.
  [[nodiscard]] const Elf64_Phdr* segment(std::uint32_t type) const noexcept;
  /// Behind the last byte of all that is mapped.
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }

  /// Where `address` is in the file; null: it, or what of the `bytes` follows, is not in it.
  [[nodiscard]] const std::byte* in_file(std::uint64_t address, std::uint64_t bytes) const noexcept;
  /// The same as an offset. `address` is in the file.
  [[nodiscard]] std::uint64_t offset_of(std::uint64_t address) const noexcept;

  [[nodiscard]] std::span<const Elf64_Dyn> dynamic() const noexcept { return dynamic_; }
  [[nodiscard]] std::optional<std::uint64_t> value(std::int64_t tag) const noexcept;
  [[nodiscard]] std::string_view string(std::uint64_t at) const noexcept;

  [[nodiscard]] std::span<const Elf64_Sym> symbols() const noexcept { return symbols_; }
  [[nodiscard]] std::string_view name_of(const Elf64_Sym& symbol) const noexcept { return string(symbol.st_name); }
  /// The version that a symbol has, or is asked for in; empty: none.
  [[nodiscard]] std::string_view version_of(std::size_t symbol) const noexcept;

  /// Of both tables, in their order.
  void each_relocation(const std::function<void(const Elf64_Rela&)>& visit) const;
  /// Places of words to which the load address is added (DT_RELR).
  void each_packed_relocation(const std::function<void(std::uint64_t place)>& visit) const;

 private:
  [[nodiscard]] const Elf64_Ehdr& header() const noexcept {
    return *reinterpret_cast<const Elf64_Ehdr*>(content_.data());
  }
  template <class T>
  [[nodiscard]] std::span<const T> table(std::int64_t where, std::int64_t size, const char* name) const;
  [[nodiscard]] std::size_t number_of_symbols() const;
  void read_segments();
  void read_dynamic();
  void read_versions();
  [[noreturn]] void refuse(const std::string& why) const;

  std::string path_;
  int descriptor_ = -1;
  std::span<const std::byte> content_;
  std::span<const Elf64_Phdr> segments_;
  std::uint64_t end_ = 0;
  std::span<const Elf64_Dyn> dynamic_;  // without its end
  std::string_view strings_;
  std::span<const Elf64_Sym> symbols_;
  std::span<const Elf64_Rela> relocations_, plt_relocations_;
  std::span<const std::uint64_t> packed_;
  std::span<const std::uint16_t> version_numbers_;
  std::vector<std::string_view> versions_;  // by number
};

}  // namespace pure::core
