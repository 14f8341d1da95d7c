#include "hang/source_lines.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <link.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <span>
#include <utility>

namespace pure::core {

namespace elfutils {

// ---- what elfutils/libdwfl.h says, which a build need not have; the ABI has been the same since 0.127
// ----------------

struct dwfl;
struct dwfl_module;
struct dwfl_line;
struct dwarf_files;
struct dwarf_die {
  void *addr, *cu, *abbrev;
  long padding;
};
struct dwarf_attribute {
  unsigned code, form;
  unsigned char* value;
  void* cu;
};
struct dwfl_callbacks {
  int (*find_elf)(dwfl_module*, void**, const char*, std::uint64_t, char**, void**);
  int (*find_debuginfo)(dwfl_module*, void**, const char*, std::uint64_t, const char*, const char*, unsigned, char**);
  int (*section_address)(dwfl_module*, void**, const char*, std::uint64_t, const char*, unsigned, const void*,
                         std::uint64_t*);
  char** debuginfo_path;
};

constexpr unsigned tag_inlined_subroutine = 0x1d;
constexpr unsigned at_call_file = 0x58, at_call_line = 0x59, at_linkage_name = 0x6e;

struct libdw {
  dwfl* (*dwfl_begin)(const dwfl_callbacks*);
  void (*dwfl_report_begin_add)(dwfl*);
  dwfl_module* (*dwfl_report_offline)(dwfl*, const char*, const char*, int);
  int (*dwfl_report_end)(dwfl*, int (*)(dwfl_module*, void*, const char*, std::uint64_t, void*), void*);
  int (*dwfl_linux_proc_find_elf)(dwfl_module*, void**, const char*, std::uint64_t, char**, void**);
  void* (*dwfl_module_getelf)(dwfl_module*, std::uint64_t*);
  dwfl_line* (*dwfl_module_getsrc)(dwfl_module*, std::uint64_t);
  const char* (*dwfl_lineinfo)(dwfl_line*, std::uint64_t*, int*, int*, std::uint64_t*, std::uint64_t*);
  dwarf_die* (*dwfl_module_addrdie)(dwfl_module*, std::uint64_t, std::uint64_t*);
  int (*dwarf_getscopes)(dwarf_die*, std::uint64_t, dwarf_die**);
  int (*dwarf_getscopes_die)(dwarf_die*, dwarf_die**);
  int (*dwarf_tag)(dwarf_die*);
  const char* (*dwarf_diename)(dwarf_die*);
  dwarf_attribute* (*dwarf_attr)(dwarf_die*, unsigned, dwarf_attribute*);
  dwarf_attribute* (*dwarf_attr_integrate)(dwarf_die*, unsigned, dwarf_attribute*);
  const char* (*dwarf_formstring)(dwarf_attribute*);
  int (*dwarf_formudata)(dwarf_attribute*, std::uint64_t*);
  int (*dwarf_getsrcfiles)(dwarf_die*, dwarf_files**, std::size_t*);
  const char* (*dwarf_filesrc)(dwarf_files*, std::size_t, std::uint64_t*, std::uint64_t*);

  /// Null: it is not installed, or lacks something.
  static const libdw* open() {
    static libdw found{};
    static const bool is_whole = found.load();
    return is_whole ? &found : nullptr;
  }

 private:
  bool load() {
    void* const library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    const auto find = [library](const char* name, auto& function) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    return find("dwfl_begin", dwfl_begin) && find("dwfl_report_begin_add", dwfl_report_begin_add) &&
           find("dwfl_report_offline", dwfl_report_offline) && find("dwfl_report_end", dwfl_report_end) &&
           find("dwfl_linux_proc_find_elf", dwfl_linux_proc_find_elf) &&
           find("dwfl_module_getelf", dwfl_module_getelf) && find("dwfl_module_getsrc", dwfl_module_getsrc) &&
           find("dwfl_lineinfo", dwfl_lineinfo) && find("dwfl_module_addrdie", dwfl_module_addrdie) &&
           find("dwarf_getscopes", dwarf_getscopes) && find("dwarf_getscopes_die", dwarf_getscopes_die) &&
           find("dwarf_tag", dwarf_tag) && find("dwarf_diename", dwarf_diename) && find("dwarf_attr", dwarf_attr) &&
           find("dwarf_attr_integrate", dwarf_attr_integrate) && find("dwarf_formstring", dwarf_formstring) &&
           find("dwarf_formudata", dwarf_formudata) && find("dwarf_getsrcfiles", dwarf_getsrcfiles) &&
           find("dwarf_filesrc", dwarf_filesrc);
  }
};

int find_no_debuginfo(dwfl_module*, void**, const char*, std::uint64_t, const char*, const char*, unsigned, char**) {
  return -1;
}

/// An array that libdw has allocated.
struct scopes {
  scopes() = default;
  scopes(const scopes&) = delete;
  scopes& operator=(const scopes&) = delete;
  ~scopes() { std::free(first); }
  [[nodiscard]] std::span<dwarf_die> all() const noexcept {
    return {first, count > 0 ? static_cast<std::size_t>(count) : 0};
  }
  dwarf_die* first = nullptr;
  int count = 0;
};

}  // namespace elfutils

using namespace elfutils;

class source_lines::reader {
 public:
  explicit reader(const libdw& with) : dw_(with) {
    callbacks_.find_elf = dw_.dwfl_linux_proc_find_elf;
    callbacks_.find_debuginfo = find_no_debuginfo;
    session_ = dw_.dwfl_begin(&callbacks_);
  }
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;

  [[nodiscard]] std::vector<source_line> of(const void* at) {
    const place_in_file place_of_address = place_in(at);
    dwfl_module* const module = module_of(place_of_address.path);
    std::uint64_t shift = 0;
    if (module == nullptr || dw_.dwfl_module_getelf(module, &shift) == nullptr) return {};
    const std::uint64_t address = place_of_address.address + shift;
    dwfl_line* const line = dw_.dwfl_module_getsrc(module, address);
    int number = 0;
    const char* const file = line != nullptr ? dw_.dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr)
                                             : nullptr;
    if (file == nullptr) return {};
    std::vector<source_line> lines;
    std::string place = fmt::format("{}:{}", file, number);
    std::uint64_t bias = 0;
    if (dwarf_die* const unit = dw_.dwfl_module_addrdie(module, address, &bias)) {
      scopes found, nested;
      found.count = dw_.dwarf_getscopes(unit, address - bias, &found.first);
      if (found.count > 0) nested.count = dw_.dwarf_getscopes_die(found.first, &nested.first);
      for (dwarf_die& each : nested.all()) {
        if (dw_.dwarf_tag(&each) != static_cast<int>(tag_inlined_subroutine)) continue;
        lines.push_back({name_of(each), std::exchange(place, place_of_call(*unit, each))});
      }
    }
    lines.push_back({"", std::move(place)});
    return lines;
  }

 private:
  struct place_in_file {
    std::string path;  // empty: in none
    std::uint64_t address = 0;
  };

  static place_in_file place_in(const void* at) {
    Dl_info ignored{};
    link_map* map = nullptr;
    if (dladdr1(at, &ignored, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr) return {};
    const bool is_executable = map->l_prev == nullptr;  // by whose name it cannot always be found
    return {is_executable ? "/proc/self/exe" : map->l_name, reinterpret_cast<std::uintptr_t>(at) - map->l_addr};
  }

  /// Each file once, wherever in memory it lies: a program that ranks have for themselves lies there many times.
  dwfl_module* module_of(const std::string& path) {
    if (session_ == nullptr || path.empty()) return nullptr;
    const auto [known, is_new] = modules_.try_emplace(path, nullptr);
    if (is_new && path.front() == '/') {
      dw_.dwfl_report_begin_add(session_);
      known->second = dw_.dwfl_report_offline(session_, path.c_str(), path.c_str(), -1);
      dw_.dwfl_report_end(session_, nullptr, nullptr);
    }
    return known->second;
  }

  [[nodiscard]] std::string name_of(dwarf_die& inlined) const {
    dwarf_attribute linkage;
    if (dw_.dwarf_attr_integrate(&inlined, at_linkage_name, &linkage) != nullptr) {
      if (const char* const name = dw_.dwarf_formstring(&linkage)) return name;
    }
    const char* const name = dw_.dwarf_diename(&inlined);
    return name != nullptr ? name : "?";
  }

  [[nodiscard]] std::string place_of_call(dwarf_die& unit, dwarf_die& inlined) const {
    dwarf_attribute attribute;
    std::uint64_t file = 0, line = 0;
    dwarf_files* files = nullptr;
    std::size_t count = 0;
    const bool is_known = dw_.dwarf_formudata(dw_.dwarf_attr(&inlined, at_call_file, &attribute), &file) == 0 &&
                          dw_.dwarf_formudata(dw_.dwarf_attr(&inlined, at_call_line, &attribute), &line) == 0 &&
                          dw_.dwarf_getsrcfiles(&unit, &files, &count) == 0 && file < count;
    const char* const name = is_known ? dw_.dwarf_filesrc(files, file, nullptr, nullptr) : nullptr;
    return name != nullptr ? fmt::format("{}:{}", name, line) : "";
  }

  const libdw& dw_;
  dwfl_callbacks callbacks_{};
  dwfl* session_ = nullptr;
  std::map<std::string, dwfl_module*> modules_;  // by the file's path; null: libdw does not read it
};

source_lines::source_lines() {
  static std::mutex one_at_a_time;
  // Never destroyed, for it takes seconds to read what a large program has: jobs that come later find it read.
  static reader* of_process = nullptr;
  in_use_ = std::unique_lock(one_at_a_time);
  const libdw* const found = libdw::open();
  if (found != nullptr && of_process == nullptr) of_process = new reader(*found);
  reader_ = of_process;
}
source_lines::~source_lines() = default;

std::vector<source_line> source_lines::of(const void* address) {
  return reader_ != nullptr ? reader_->of(address) : std::vector<source_line>();
}

}  // namespace pure::core
