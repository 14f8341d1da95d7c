#include "loader/model_object.hpp"

namespace pure::core {

namespace {

bool is_exported(const Elf64_Sym& symbol) noexcept {
  const int visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  return symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL && visibility != STV_HIDDEN &&
         visibility != STV_INTERNAL;
}

}  // namespace

model_object::model_object(int its_number, const std::string& path) : number(its_number), file(path), copy(file) {
  const auto symbols = file.symbols();
  exports_.reserve(symbols.size());
  for (std::uint32_t i = 1; i < symbols.size(); ++i)
    if (is_exported(symbols[i])) exports_.emplace(file.name_of(symbols[i]), i);
}

const Elf64_Sym* model_object::find(std::string_view symbol, std::string_view version) const {
  const auto [begin, end] = exports_.equal_range(symbol);
  for (auto each = begin; each != end; ++each) {
    const std::string_view its = file.version_of(each->second);
    if (version.empty() || its.empty() || its == version) return &file.symbols()[each->second];
  }
  return nullptr;
}

}  // namespace pure::core
