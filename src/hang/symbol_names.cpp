#include "hang/symbol_names.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

namespace pure::core {

std::string readable_name(const char* name) {
  if (std::string_view(name).substr(0, 2) != "_Z") return name;  // of C: what it might mean is a type
  int status = 0;
  char* const text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return result;
}

namespace {

std::atomic<const char*> loaded_path{nullptr};

/// The module that address is in, or null.
const void* module_of(const void* address) {
  Dl_info found{};
  return dladdr(address, &found) != 0 ? found.dli_fbase : nullptr;
}

}  // namespace

/// The functions of one ELF file, as it lies on the disk. Nothing in it is trusted to be inside of the file.
class symbol_names::table {
 public:
  explicit table(const char* path) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    struct stat status {};
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
      bytes_ = static_cast<std::size_t>(status.st_size);
      void* const mapped = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, fd, 0);
      if (mapped != MAP_FAILED) file_ = static_cast<const std::byte*>(mapped);
    }
    close(fd);
    if (file_ != nullptr) read();
  }
  table(const table&) = delete;
  table& operator=(const table&) = delete;
  ~table() {
    if (file_ != nullptr) munmap(const_cast<std::byte*>(file_), bytes_);
  }

  /// The address that the file gives to its first byte in memory.
  [[nodiscard]] std::uintptr_t first_address() const noexcept { return first_address_; }

  /// The name of the function that `address`, one of the file's, is in; null: none.
  [[nodiscard]] const char* function_at(std::uintptr_t address) const noexcept {
    for (const ElfW(Sym) & each : symbols_) {
      if (ELF64_ST_TYPE(each.st_info) != STT_FUNC || address < each.st_value) continue;
      if (address - each.st_value >= each.st_size || each.st_name >= names_.size()) continue;
      return names_.data() + each.st_name;
    }
    return nullptr;
  }

 private:
  template <class T>
  [[nodiscard]] std::span<const T> at(std::size_t offset, std::size_t count) const noexcept {
    const bool is_inside = offset <= bytes_ && count <= (bytes_ - offset) / sizeof(T) && offset % alignof(T) == 0;
    if (!is_inside) return {};
    return {reinterpret_cast<const T*>(file_ + offset), count};
  }

  void read() noexcept {
    const auto header = at<ElfW(Ehdr)>(0, 1);
    if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return;
    std::uintptr_t lowest = std::numeric_limits<std::uintptr_t>::max();
    for (const ElfW(Phdr) & each : at<ElfW(Phdr)>(header[0].e_phoff, header[0].e_phnum)) {
      if (each.p_type == PT_LOAD) lowest = std::min<std::uintptr_t>(lowest, each.p_vaddr);
    }
    if (lowest != std::numeric_limits<std::uintptr_t>::max()) {
      first_address_ = lowest & ~(static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)) - 1);
    }
    const auto sections = at<ElfW(Shdr)>(header[0].e_shoff, header[0].e_shnum);
    for (const ElfW(Shdr) & each : sections) {
      if (each.sh_type != SHT_SYMTAB || each.sh_link >= sections.size()) continue;
      const ElfW(Shdr)& strings = sections[each.sh_link];
      names_ = at<char>(strings.sh_offset, strings.sh_size);
      symbols_ = at<ElfW(Sym)>(each.sh_offset, each.sh_size / sizeof(ElfW(Sym)));
      if (names_.empty() || names_.back() != '\0') symbols_ = {};
    }
  }

  const std::byte* file_ = nullptr;
  std::size_t bytes_ = 0;
  std::uintptr_t first_address_ = 0;
  std::span<const ElfW(Sym)> symbols_;
  std::span<const char> names_;
};

void program_is_loaded_from(const char* path) noexcept { loaded_path.store(path, std::memory_order_relaxed); }

symbol_names::symbol_names() = default;
symbol_names::~symbol_names() = default;

const std::vector<code_place>& symbol_names::of(const void* address) {
  const auto [places, is_new] = known_.try_emplace(address);
  if (is_new) places->second = look_up(address);
  return places->second;
}

std::vector<code_place> symbol_names::look_up(const void* address) {
  Dl_info found{};
  if (dladdr(address, &found) == 0 || found.dli_fbase == nullptr) return {code_place{}};
  code_place place;
  if (found.dli_fname != nullptr) place.file = found.dli_fname;
  static const void* const own = module_of(reinterpret_cast<const void*>(&module_of));
  place.is_own_library = found.dli_fbase == own;
  const auto entry = reinterpret_cast<const void*>(getauxval(AT_ENTRY));  // NOLINT(performance-no-int-to-ptr)
  const bool is_executable = found.dli_fbase == module_of(entry);
  const char* const loaded = loaded_path.load(std::memory_order_relaxed);  // relaxed: set before there are ranks
  place.is_program = loaded != nullptr ? place.file == loaded : is_executable;
  // The executable's own name is what it was started with, which need not lead to it from here.
  const std::string path = is_executable ? "/proc/self/exe" : place.file;
  std::unique_ptr<table>& names = tables_[path];
  if (names == nullptr) names = std::make_unique<table>(path.c_str());
  place.offset = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(found.dli_fbase) +
                 names->first_address();
  const char* name = names->function_at(place.offset);
  if (name == nullptr) name = found.dli_sname;
  if (name != nullptr) place.function = readable_name(name);

  std::vector<code_place> places;
  for (source_line& each : lines_.of(address)) {
    code_place& made = places.emplace_back(place);
    made.source = std::move(each.place);
    if (!each.function.empty()) made.function = readable_name(each.function.c_str());
  }
  if (places.empty()) places.push_back(std::move(place));
  return places;
}

}  // namespace pure::core
