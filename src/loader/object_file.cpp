#include "loader/object_file.hpp"

#include <algorithm>
#include <cstring>

#include "machine/memory_pages.hpp"

namespace pure::core {
namespace {

#if defined(__x86_64__)
constexpr Elf64_Half this_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half this_machine = EM_AARCH64;
#endif

bool is_defined(const Elf64_Sym& symbol) noexcept {
  return symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL;
}

}  // namespace

object_file::object_file(const std::string& path) : path_(path), file_(path) {
  kind_ = read();
  if (is_dynamic()) read_dynamic();
}

bool object_file::is_dynamic() const noexcept {
  return kind_ == kind::program || kind_ == kind::fixed_program || kind_ == kind::library;
}

template <class T>
std::span<const T> object_file::at(std::uint64_t offset, std::uint64_t count) const noexcept {
  const auto all = content();
  const bool is_inside = offset <= all.size() && count <= (all.size() - offset) / sizeof(T);
  if (!is_inside || reinterpret_cast<std::uintptr_t>(all.data() + offset) % alignof(T) != 0) return {};
  return {reinterpret_cast<const T*>(all.data() + offset), count};
}

template <class T>
std::span<const T> object_file::loaded_at(std::uint64_t address) const noexcept {
  for (const Elf64_Phdr& each : segments_) {
    if (each.p_type != PT_LOAD || address < each.p_vaddr || address - each.p_vaddr >= each.p_filesz) continue;
    const std::uint64_t into = address - each.p_vaddr;
    return at<T>(each.p_offset + into, (each.p_filesz - into) / sizeof(T));
  }
  return {};
}

object_file::kind object_file::read() noexcept {
  const auto start = at<char>(0, 2);
  if (!start.empty() && start[0] == '#' && start[1] == '!') return kind::script;
  const auto identity = at<unsigned char>(0, EI_NIDENT);
  if (identity.empty() || std::memcmp(identity.data(), ELFMAG, SELFMAG) != 0) return kind::unknown;
  if (identity[EI_CLASS] != ELFCLASS64 || identity[EI_DATA] != ELFDATA2LSB) return kind::other_machine;
  const auto headers = at<Elf64_Ehdr>(0, 1);
  if (headers.empty()) return kind::damaged;
  const Elf64_Ehdr& header = headers.front();
  if (header.e_machine != this_machine) return kind::other_machine;
  if (header.e_type == ET_REL || header.e_type == ET_CORE) return kind::not_linked;
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) return kind::damaged;
  segments_ = at<Elf64_Phdr>(header.e_phoff, header.e_phnum);
  if (segments_.empty() || header.e_phentsize != sizeof(Elf64_Phdr)) return kind::damaged;
  for (const Elf64_Phdr& each : segments_) {  // a file that is cut off ends its reader by a signal
    if (each.p_type == PT_LOAD && at<char>(each.p_offset, each.p_filesz).size() != each.p_filesz) return kind::damaged;
  }

  if (const Elf64_Phdr* const its = segment(PT_DYNAMIC); its != nullptr) {
    dynamic_ = at<Elf64_Dyn>(its->p_offset, its->p_filesz / sizeof(Elf64_Dyn));
    const auto end = std::find_if(dynamic_.begin(), dynamic_.end(), [](auto& each) { return each.d_tag == DT_NULL; });
    dynamic_ = dynamic_.first(static_cast<std::size_t>(end - dynamic_.begin()));
  }
  const bool has_interpreter = !interpreter().empty();
  if (header.e_type == ET_EXEC) return has_interpreter ? kind::fixed_program : kind::static_program;
  if (dynamic_.empty()) return kind::static_program;
  const Elf64_Dyn* const flags = dynamic(DT_FLAGS_1);
  const bool is_program = flags != nullptr && (flags->d_un.d_val & DF_1_PIE) != 0;
  if (has_interpreter) {  // so has libc, which can be started; before binutils 2.26 no program said that it is one
    return is_program || dynamic(DT_SONAME) == nullptr ? kind::program : kind::library;
  }
  return is_program ? kind::static_program : kind::library;
}

void object_file::read_dynamic() noexcept {
  const Elf64_Dyn* const table = dynamic(DT_STRTAB);
  const Elf64_Dyn* const bytes = dynamic(DT_STRSZ);
  if (table != nullptr && bytes != nullptr) {
    names_ = loaded_at<char>(table->d_un.d_ptr);
    names_ = names_.first(std::min<std::size_t>(names_.size(), bytes->d_un.d_val));
    if (!names_.empty() && names_.back() != '\0') names_ = {};
  }
  if (const Elf64_Dyn* const its = dynamic(DT_SYMTAB); its != nullptr) {
    symbols_ = loaded_at<Elf64_Sym>(its->d_un.d_ptr);
    symbols_ = symbols_.first(std::min(symbols_.size(), count_symbols()));
  }
}

// The file says it nowhere: a hash table has one entry for each, or chains of those that are defined, at the end.
std::size_t object_file::count_symbols() const noexcept {
  if (const Elf64_Dyn* const its = dynamic(DT_HASH); its != nullptr) {
    const auto words = loaded_at<Elf64_Word>(its->d_un.d_ptr);
    return words.size() < 2 ? 0 : words[1];
  }
  const Elf64_Dyn* const its = dynamic(DT_GNU_HASH);
  if (its == nullptr) return 0;
  const auto words = loaded_at<Elf64_Word>(its->d_un.d_ptr);
  if (words.size() < 4) return 0;
  const std::size_t buckets = words[0], first = words[1], begin = 4 + 2 * std::size_t{words[2]};
  if (begin > words.size() || buckets > words.size() - begin) return 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < buckets; ++i) last = std::max<std::size_t>(last, words[begin + i]);
  if (last < first) {  // it defines nothing: those that it uses lie before the table of names
    const Elf64_Dyn *const table = dynamic(DT_SYMTAB), *const text = dynamic(DT_STRTAB);
    if (table == nullptr || text == nullptr || text->d_un.d_ptr < table->d_un.d_ptr) return first;
    return (text->d_un.d_ptr - table->d_un.d_ptr) / sizeof(Elf64_Sym);
  }
  for (std::size_t at = begin + buckets + (last - first); at < words.size(); ++at, ++last) {
    if ((words[at] & 1U) != 0) return last + 1;
  }
  return 0;
}

std::string_view object_file::text_at(std::uint64_t offset) const noexcept {
  return offset < names_.size() ? std::string_view(names_.data() + offset) : std::string_view();
}

const Elf64_Phdr* object_file::segment(std::uint32_t type) const noexcept {
  const auto found = std::find_if(segments_.begin(), segments_.end(),
                                  [type](auto& each) { return each.p_type == type; });
  return found != segments_.end() ? &*found : nullptr;
}

std::string_view object_file::interpreter() const noexcept {
  const Elf64_Phdr* const its = segment(PT_INTERP);
  if (its == nullptr) return {};
  const auto text = at<char>(its->p_offset, its->p_filesz);
  return !text.empty() && text.back() == '\0' ? std::string_view(text.data()) : std::string_view();
}

const Elf64_Dyn* object_file::dynamic(std::int64_t tag) const noexcept {
  const auto found = std::find_if(dynamic_.begin(), dynamic_.end(), [tag](auto& each) { return each.d_tag == tag; });
  return found != dynamic_.end() ? &*found : nullptr;
}

std::vector<std::string_view> object_file::texts(std::int64_t tag) const {
  std::vector<std::string_view> all;
  for (const Elf64_Dyn& each : dynamic_) {
    if (each.d_tag == tag) all.push_back(text_at(each.d_un.d_val));
  }
  return all;
}

bool object_file::defines(std::string_view name) const noexcept {
  return std::any_of(symbols_.begin(), symbols_.end(),
                     [&](const Elf64_Sym& each) { return is_defined(each) && name_of(each) == name; });
}

std::uint64_t object_file::writable_bytes() const noexcept {
  const std::uint64_t page = page_bytes();
  std::uint64_t sum = 0;
  for (const Elf64_Phdr& each : segments_) {
    if (each.p_type != PT_LOAD || (each.p_flags & PF_W) == 0) continue;
    const std::uint64_t first = each.p_vaddr / page * page;
    sum += (each.p_vaddr + each.p_memsz - first + page - 1) / page * page;
  }
  return sum;
}

}  // namespace pure::core
