#include "loader/model_object.hpp"

#include <dlfcn.h>
#include <gnu/lib-names.h>

#include <string>
#include <utility>

#include "loader/mpi_libraries.hpp"

namespace pure::core {

namespace {

bool is_exported(const Elf64_Sym& symbol) noexcept {
  const int visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  return symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL && visibility != STV_HIDDEN &&
         visibility != STV_INTERNAL;
}

/// A door of Pure stands before libc in a process of one rank (api/doors/beside_mpi.cpp). Where ranks are threads, the
/// launcher has that, and what the door has of each rank is MPI alone.
bool is_of_libc(std::string_view name) {
  static void* const libc = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);
  return libc != nullptr && dlsym(libc, std::string(name).c_str()) != nullptr;
}

}  // namespace

model_object::model_object(int its_number, const std::string& path, std::string its_name)
    : number(its_number), file(path), name(std::move(its_name)), copy(file) {
  const auto symbols = file.symbols();
  exports_.reserve(symbols.size());
  const bool is_door = file.defines(door_mark);
  for (std::uint32_t i = 1; i < symbols.size(); ++i) {
    if (!is_exported(symbols[i]) || (is_door && is_of_libc(file.name_of(symbols[i])))) continue;
    exports_.emplace(file.name_of(symbols[i]), i);
    has_chosen |= ELF64_ST_TYPE(symbols[i].st_info) == STT_GNU_IFUNC;
    has_unique |= ELF64_ST_BIND(symbols[i].st_info) == STB_GNU_UNIQUE;
  }
  is_never_closed = (file.value(DT_FLAGS_1).value_or(0) & DF_1_NODELETE) != 0;
}

const Elf64_Sym* model_object::find(std::string_view symbol, std::string_view version) const {
  const auto [begin, end] = exports_.equal_range(symbol);
  for (auto each = begin; each != end; ++each) {
    const std::string_view its = file.version_of(each->second);
    const bool is_meant = version.empty() ? file.versions().is_oldest(each->second) : its.empty() || its == version;
    if (is_meant) return &file.symbols()[each->second];
  }
  return version.empty() ? find_newest(symbol) : nullptr;
}

const Elf64_Sym* model_object::find_newest(std::string_view symbol) const {
  const auto [begin, end] = exports_.equal_range(symbol);
  for (auto each = begin; each != end; ++each)
    if (!file.versions().is_hidden(each->second)) return &file.symbols()[each->second];
  return nullptr;
}

}  // namespace pure::core
