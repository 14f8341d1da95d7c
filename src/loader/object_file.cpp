#include "loader/object_file.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

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

/// As many as lie between the first one and whatever table comes next.
std::size_t symbols_before_next_table(const object_file& file) noexcept {
  const std::uint64_t table = file.value(DT_SYMTAB).value_or(0);
  std::uint64_t next = 0;
  for (const std::int64_t tag :
       {DT_STRTAB, DT_GNU_HASH, DT_VERSYM, DT_VERDEF, DT_VERNEED, DT_RELA, DT_JMPREL, DT_INIT}) {
    const std::uint64_t other = file.value(tag).value_or(0);
    if (other > table && (next == 0 || other < next)) next = other;
  }
  const std::uint64_t number = next == 0 ? 0 : (next - table) / sizeof(Elf64_Sym);
  return file.loaded<Elf64_Sym>(table, number).size();
}

/// How many the dynamic linker's hash table knows, if it is whole: the file says it nowhere else. Of the older kind one
/// entry is there for each; the newer one has chains of those that are defined, which are the last ones.
std::optional<std::size_t> number_of_symbols(const object_file& file) noexcept {
  if (const auto old = file.value(DT_HASH)) {
    const auto head = file.loaded<Elf64_Word>(*old, 2);
    return head.empty() ? std::nullopt : std::optional<std::size_t>(head[1]);
  }
  const auto where = file.value(DT_GNU_HASH);
  if (!where) return 0;
  const auto head = file.loaded<Elf64_Word>(*where, 4);
  if (head.empty()) return std::nullopt;
  const std::size_t buckets = head[0], first = head[1], begin = 4 + 2 * std::size_t{head[2]};
  const auto words = file.loaded<Elf64_Word>(*where, begin + buckets);
  if (words.empty()) return std::nullopt;
  const auto last_of_each = words.subspan(begin);
  std::size_t last = last_of_each.empty() ? 0 : *std::max_element(last_of_each.begin(), last_of_each.end());
  if (last < first) return std::max(first, symbols_before_next_table(file));  // it defines nothing
  const std::uint64_t chains = *where + (begin + buckets) * sizeof(Elf64_Word);
  for (;; ++last) {
    const auto word = file.loaded<Elf64_Word>(chains + (last - first) * sizeof(Elf64_Word), 1);
    if (word.empty()) return std::nullopt;
    if ((word.front() & 1U) != 0) return last + 1;
  }
}

}  // namespace

object_file::object_file(const std::string& path, mapped_file::keep what) : path_(path), file_(path, what) {
  kind_ = read();
}

bool object_file::is_dynamic() const noexcept {
  return kind_ == kind::program || kind_ == kind::fixed_program || kind_ == kind::library;
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
  entry_ = header.e_entry;
  segments_ = at<Elf64_Phdr>(header.e_phoff, header.e_phnum);
  if (segments_.empty() || header.e_phentsize != sizeof(Elf64_Phdr)) return kind::damaged;
  if (!has_whole_segments() || !read_dynamic_section()) return kind::damaged;

  const bool has_interpreter = !interpreter().empty();
  if (header.e_type == ET_EXEC && !has_interpreter) return kind::static_program;
  if (dynamic_.empty()) return header.e_type == ET_EXEC ? kind::damaged : kind::static_program;
  if (!read_names() || !read_symbols()) return kind::damaged;
  if (header.e_type == ET_EXEC) return kind::fixed_program;
  const bool is_program = (value(DT_FLAGS_1).value_or(0) & DF_1_PIE) != 0;
  if (has_interpreter) {  // so has libc, which can be started; before binutils 2.26 no program said that it is one
    return is_program || !value(DT_SONAME) ? kind::program : kind::library;
  }
  return is_program ? kind::static_program : kind::library;
}

// A file that is cut off ends its reader by a signal.
bool object_file::has_whole_segments() const noexcept {
  return std::all_of(segments_.begin(), segments_.end(), [&](const Elf64_Phdr& each) {
    if (each.p_type != PT_LOAD && each.p_type != PT_TLS) return true;
    return at<char>(each.p_offset, each.p_filesz).size() == each.p_filesz && each.p_memsz >= each.p_filesz &&
           each.p_vaddr + each.p_memsz >= each.p_vaddr;
  });
}

bool object_file::read_dynamic_section() noexcept {
  const Elf64_Phdr* const its = segment(PT_DYNAMIC);
  if (its == nullptr) return true;
  const auto all = loaded<Elf64_Dyn>(its->p_vaddr, its->p_filesz / sizeof(Elf64_Dyn));
  const auto end = std::find_if(all.begin(), all.end(), [](auto& each) { return each.d_tag == DT_NULL; });
  if (end == all.end()) return false;
  dynamic_ = all.first(static_cast<std::size_t>(end - all.begin()));
  return true;
}

bool object_file::read_names() noexcept {
  const auto table = value(DT_STRTAB), bytes = value(DT_STRSZ);
  if (!table && !bytes) return true;
  if (!table || !bytes) return false;
  names_ = loaded<char>(*table, *bytes);
  if (!names_.empty() && names_.back() == '\0') return true;
  names_ = {};
  return false;
}

bool object_file::read_symbols() noexcept {
  const auto table = value(DT_SYMTAB);
  const auto number = number_of_symbols(*this);
  if (!number) return false;
  if (!table || *number == 0) return *number == 0;
  symbols_ = loaded<Elf64_Sym>(*table, *number);
  return !symbols_.empty();
}

std::string_view object_file::text_at(std::uint64_t offset) const noexcept {
  return offset < names_.size() ? std::string_view(names_.data() + offset) : std::string_view();
}

std::uint64_t object_file::offset_of(std::uint64_t address) const {
  const auto there = loaded<std::byte>(address, 1);
  if (there.empty()) throw std::out_of_range(path_);
  return static_cast<std::uint64_t>(there.data() - content().data());
}

std::uint64_t object_file::begin() const noexcept {
  const Elf64_Phdr* const first = segment(PT_LOAD);  // they are in order
  return first != nullptr ? first->p_vaddr : 0;
}

std::uint64_t object_file::end() const noexcept {
  std::uint64_t last = 0;
  for (const Elf64_Phdr& each : segments_)
    if (each.p_type == PT_LOAD) last = std::max(last, each.p_vaddr + each.p_memsz);
  return last;
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

std::optional<std::uint64_t> object_file::value(std::int64_t tag) const noexcept {
  for (const Elf64_Dyn& each : dynamic_)
    if (each.d_tag == tag) return each.d_un.d_val;
  return std::nullopt;
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
