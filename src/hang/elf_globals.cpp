#include "hang/elf_globals.hpp"

#include <algorithm>
#include <cstring>

namespace pure::core {
namespace {

using namespace std::string_view_literals;

// What begins like these is the compiler's, the runtime's or Pure's own.
constexpr std::array foreign_beginnings{
    // the start files of programs, the linker
    "__JCR_"sv, "__TMC_END__"sv, "__aarch64_"sv, "__bss_start"sv, "__cpu_features2"sv, "__cpu_model"sv,
    "__data_start"sv, "__dso_handle"sv, "__frame_dummy"sv, "__start_"sv, "__stop_"sv, "_DYNAMIC"sv,
    "_GLOBAL_OFFSET_TABLE_"sv, "_IO_stdin_used"sv, "data_start"sv,
    // what a compiler adds: local labels, locks of OpenMP, counts of coverage, tables of sanitizers
    ".L"sv, ".gomp_critical_user_"sv, "DW.ref."sv, "__asan_"sv, "__gcov"sv, "__llvm_"sv, "__odr_asan"sv, "__prof"sv,
    "__sancov"sv, "__tsan_"sv, "__ubsan_"sv, "_ZGV"sv, "_ZTI"sv, "_ZTS"sv, "_ZTT"sv, "_ZTV"sv,
    // the library of C++, where its templates have static members, and its streams' start
    "_ZN10__cxxabiv1"sv, "_ZN9__gnu_cxx"sv, "_ZNKSt"sv, "_ZNSt"sv, "_ZSt"sv, "_ZZNKSt"sv, "_ZZNSt"sv, "_ZZSt"sv,
    // Pure, linked as a static library, or from its headers
    "_ZN3fmt"sv, "_ZN4pure"sv, "_ZNK4pure"sv, "_ZZN3fmt"sv, "_ZZN4pure"sv, "_ZZNK4pure"sv, "pure_main_runs_"sv};

// Of Open MPI, MPICH, and what is made of them. Of a program's copies only, and if it needs an MPI's library.
constexpr std::array mpi_beginnings{"MPIR_"sv, "MPIX_"sv, "MPI_"sv,  "mca_"sv,
                                    "mpi_"sv,  "ompi_"sv, "opal_"sv, "pmix_"sv};

bool begins_as_mpi(std::string_view name) noexcept {
  return std::any_of(mpi_beginnings.begin(), mpi_beginnings.end(),
                     [name](std::string_view each) { return name.starts_with(each); });
}

bool is_foreign(std::string_view name) noexcept {
  return name.empty() || std::any_of(foreign_beginnings.begin(), foreign_beginnings.end(),
                                     [name](std::string_view each) { return name.starts_with(each); });
}

bool is_copy_relocation(std::uint16_t machine, std::uint64_t info) noexcept {
  return ELF64_R_TYPE(info) == (machine == EM_X86_64 ? R_X86_64_COPY : R_AARCH64_COPY);
}

// From `offset` to the null character; the last one of `names` is null.
std::string_view text_at(std::span<const char> names, std::uint64_t offset) noexcept {
  return offset < names.size() ? std::string_view(names.data() + offset) : std::string_view();
}

// From one address of at least `low` and below `low + bytes`, without overflow.
bool is_within(std::uint64_t address, std::uint64_t low, std::uint64_t bytes) noexcept {
  return address >= low && address - low < bytes;
}

}  // namespace

elf_globals::elf_globals(std::span<const std::byte> file) noexcept : file_(file) {
  fault_ = read();
  if (fault_ != fault::none && fault_ != fault::no_symbols) symbols_ = {};
}

template <class T>
std::span<const T> elf_globals::at(std::uint64_t offset, std::uint64_t count) const noexcept {
  const bool is_inside = offset <= file_.size() && count <= (file_.size() - offset) / sizeof(T);
  if (!is_inside || reinterpret_cast<std::uintptr_t>(file_.data() + offset) % alignof(T) != 0) return {};
  return {reinterpret_cast<const T*>(file_.data() + offset), count};
}

std::span<const char> elf_globals::strings_of(std::uint32_t section) const noexcept {
  if (section >= sections_.size() || sections_[section].sh_type != SHT_STRTAB) return {};
  const auto text = at<char>(sections_[section].sh_offset, sections_[section].sh_size);
  return !text.empty() && text.back() == '\0' ? text : std::span<const char>();
}

elf_globals::fault elf_globals::read() noexcept {
  const auto identity = at<unsigned char>(0, EI_NIDENT);
  if (identity.empty() || std::memcmp(identity.data(), ELFMAG, SELFMAG) != 0) return fault::no_elf;
  if (identity[EI_CLASS] != ELFCLASS64) return fault::not_64_bit;
  if (identity[EI_DATA] != ELFDATA2LSB) return fault::big_endian;
  const auto headers = at<Elf64_Ehdr>(0, 1);
  if (headers.empty()) return fault::damaged;
  const Elf64_Ehdr& header = headers.front();
  machine_ = header.e_machine;
  if (machine_ != EM_X86_64 && machine_ != EM_AARCH64) return fault::other_machine;
  if (header.e_type == ET_REL) return fault::object_file;
  if (header.e_type == ET_CORE) return fault::core_file;
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) return fault::damaged;

  segments_ = at<Elf64_Phdr>(header.e_phoff, header.e_phnum);
  if (segments_.empty() || header.e_phentsize != sizeof(Elf64_Phdr)) return fault::damaged;
  entry_ = header.e_entry;
  bool has_loaded = false;
  for (const Elf64_Phdr& each : segments_) {
    has_loaded = has_loaded || each.p_type == PT_LOAD;
    has_interpreter_ = has_interpreter_ || each.p_type == PT_INTERP;
  }
  if (!has_loaded) return fault::damaged;
  is_static_ = header.e_type == ET_EXEC && !has_interpreter_;

  if (header.e_shoff == 0) return fault::no_symbols;
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return fault::damaged;
  const auto first = at<Elf64_Shdr>(header.e_shoff, 1);
  if (first.empty()) return fault::damaged;
  sections_ = at<Elf64_Shdr>(header.e_shoff, header.e_shnum != 0 ? header.e_shnum : first.front().sh_size);
  if (sections_.empty()) return fault::damaged;
  section_names_ = strings_of(header.e_shstrndx == SHN_XINDEX ? first.front().sh_link : header.e_shstrndx);

  const Elf64_Shdr* table = nullptr;
  for (const Elf64_Shdr& each : sections_) {
    if (each.sh_type == SHT_SYMTAB || (each.sh_type == SHT_DYNSYM && table == nullptr)) table = &each;
    if (each.sh_type == SHT_DYNAMIC) {
      dynamic_ = at<Elf64_Dyn>(each.sh_offset, each.sh_size / sizeof(Elf64_Dyn));
      dynamic_names_ = strings_of(each.sh_link);
    }
  }
  for (const Elf64_Dyn& each : dynamic_) {
    if (each.d_tag == DT_FLAGS_1 && (each.d_un.d_val & DF_1_PIE) != 0) is_static_ = !has_interpreter_;
  }
  std::string_view library;
  for (std::size_t at = 0; next_dynamic(DT_NEEDED, at, library);) needs_mpi_ = needs_mpi_ || is_of_mpi(library);
  if (table == nullptr) return fault::no_symbols;
  is_stripped_ = table->sh_type == SHT_DYNSYM;
  symbols_ = at<Elf64_Sym>(table->sh_offset, table->sh_size / sizeof(Elf64_Sym));
  names_ = strings_of(table->sh_link);
  if (names_.empty() || (symbols_.empty() && table->sh_size >= sizeof(Elf64_Sym))) return fault::damaged;
  for (const Elf64_Shdr& each : sections_) {
    if (each.sh_type == SHT_RELA && (each.sh_flags & SHF_ALLOC) != 0) find_copies(each);
  }
  return fault::none;
}

void elf_globals::find_copies(const Elf64_Shdr& relocations) noexcept {
  // Which symbols of the dynamic linker's table have versions: numbers 0 and 1 mean none.
  std::span<const Elf64_Half> versions;
  for (const Elf64_Shdr& each : sections_) {
    if (each.sh_type == SHT_GNU_versym && each.sh_link == relocations.sh_link) {
      versions = at<Elf64_Half>(each.sh_offset, each.sh_size / sizeof(Elf64_Half));
    }
  }
  for (const Elf64_Rela& each : at<Elf64_Rela>(relocations.sh_offset, relocations.sh_size / sizeof(Elf64_Rela))) {
    if (!is_copy_relocation(machine_, each.r_info) || copies_count_ == most_copies) continue;
    const std::uint64_t symbol = ELF64_R_SYM(each.r_info);
    constexpr unsigned hidden_bit = 0x8000;
    const bool has_version = symbol < versions.size() && (versions[symbol] & ~hidden_bit) > VER_NDX_GLOBAL;
    copies_[copies_count_++] = {each.r_offset, has_version};
  }
}

bool elf_globals::is_writable(std::uint64_t address, std::uint64_t bytes) const noexcept {
  bool is_in_data = false;
  for (const Elf64_Phdr& each : segments_) {
    if (each.p_type == PT_GNU_RELRO && is_within(address, each.p_vaddr, each.p_memsz)) return false;
    if (each.p_type != PT_LOAD || (each.p_flags & PF_W) == 0) continue;
    is_in_data = is_in_data ||
                 (is_within(address, each.p_vaddr, each.p_memsz) && bytes <= each.p_memsz - (address - each.p_vaddr));
  }
  return is_in_data;
}

global_variable::origin elf_globals::origin_of(const Elf64_Sym& symbol) const noexcept {
  using enum global_variable::origin;
  for (std::size_t i = 0; i < copies_count_; ++i) {
    if (copies_[i].address != symbol.st_value) continue;
    if (copies_[i].is_of_system) return system_copy;
    return needs_mpi_ && begins_as_mpi(text_at(names_, symbol.st_name)) ? mpi_copy : copy;
  }
  return own;
}

bool elf_globals::has_symbol(std::string_view beginning) const noexcept {
  return std::any_of(symbols_.begin(), symbols_.end(),
                     [&](const Elf64_Sym& each) { return text_at(names_, each.st_name).starts_with(beginning); });
}

bool elf_globals::is_of_mpi(std::string_view library) noexcept {
  // libmpich, libmpi_cxx; libopen-rte, -pal. MUMPS's libmpiseq has MPI's names for one process, in the program's stead.
  return (library.starts_with("libmpi") && !library.starts_with("libmpiseq")) || library.starts_with("libopen-");
}

bool elf_globals::is_of_start_file(std::size_t number) const noexcept {
  const Elf64_Sym& symbol = symbols_[number];
  if (ELF64_ST_BIND(symbol.st_info) != STB_LOCAL) return false;
  constexpr std::array names{"completed."sv, "dtor_idx."sv, "object."sv};
  const std::string_view name = text_at(names_, symbol.st_name);
  if (std::none_of(names.begin(), names.end(), [name](std::string_view each) { return name.starts_with(each); }))
    return false;
  while (number > 0 && ELF64_ST_TYPE(symbols_[number].st_info) != STT_FILE) --number;  // before the symbols of a file
  return text_at(names_, symbols_[number].st_name) == "crtstuff.c";
}

bool elf_globals::next(std::size_t& at, global_variable& found) const noexcept {
  while (at < symbols_.size()) {
    const Elf64_Sym& each = symbols_[at++];
    if (ELF64_ST_TYPE(each.st_info) != STT_OBJECT || each.st_size == 0) continue;
    if (each.st_shndx == SHN_UNDEF || each.st_shndx >= sections_.size()) continue;
    const Elf64_Shdr& section = sections_[each.st_shndx];
    if ((section.sh_flags & SHF_WRITE) == 0 || (section.sh_flags & SHF_TLS) != 0) continue;
    if (!is_writable(each.st_value, each.st_size)) continue;
    const std::string_view name = text_at(names_, each.st_name);
    const global_variable::origin from = origin_of(each);
    const bool is_left_out = is_foreign(name) || is_of_start_file(at - 1);
    if (is_left_out && from != global_variable::origin::system_copy) continue;
    found = {name, each.st_value, each.st_size, text_at(section_names_, section.sh_name), from};
    return true;
  }
  return false;
}

bool elf_globals::next_dynamic(std::int64_t tag, std::size_t& at, std::string_view& text) const noexcept {
  while (at < dynamic_.size()) {
    const Elf64_Dyn& each = dynamic_[at++];
    if (each.d_tag == DT_NULL) at = dynamic_.size();
    if (each.d_tag != tag) continue;
    text = text_at(dynamic_names_, each.d_un.d_val);
    if (!text.empty()) return true;
  }
  return false;
}

}  // namespace pure::core
