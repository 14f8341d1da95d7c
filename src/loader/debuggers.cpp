#include "loader/debuggers.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "loader/linker_list.hpp"

namespace pure::core {

namespace {

/// Empty where the table is not inside of the file.
std::vector<Elf64_Shdr> sections_of(const loadable_object& file) {
  Elf64_Ehdr header;
  std::memcpy(&header, file.content().data(), sizeof(header));
  const std::uint64_t size = file.content().size();
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > size ||
      (size - header.e_shoff) / sizeof(Elf64_Shdr) < header.e_shnum)
    return {};
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), file.content().data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  std::erase_if(sections, [size](const Elf64_Shdr& each) {
    return each.sh_type != SHT_NOBITS && (each.sh_offset > size || size - each.sh_offset < each.sh_size);
  });
  return sections;
}

void write_local_variables(object_copy& copy, const loadable_object& original, const Elf64_Shdr& table) {
  std::vector<Elf64_Sym> symbols(table.sh_size / sizeof(Elf64_Sym));
  const std::uint64_t bytes = symbols.size() * sizeof(Elf64_Sym);
  std::memcpy(symbols.data(), original.content().data() + table.sh_offset, bytes);
  for (Elf64_Sym& each : symbols)
    if (ELF64_ST_TYPE(each.st_info) == STT_OBJECT && each.st_shndx != SHN_UNDEF)
      each.st_info = static_cast<unsigned char>(ELF64_ST_INFO(STB_LOCAL, STT_OBJECT));
  copy.write(table.sh_offset, symbols.data(), bytes);
}

}  // namespace

bool has_symbols_for_debuggers(const loadable_object& original) {
  const auto sections = sections_of(original);
  return std::any_of(sections.begin(), sections.end(), [](auto& each) { return each.sh_type == SHT_SYMTAB; });
}

void write_for_debuggers(object_copy& copy, const loadable_object& original) {
  copy.write_original(0, original.content().size());
  for (const Elf64_Shdr& each : sections_of(original))
    if (each.sh_type == SHT_SYMTAB || each.sh_type == SHT_DYNSYM) write_local_variables(copy, original, each);
  // Names are looked for in the frame's own object first. The entry that gives way says nothing about the file.
  std::vector<Elf64_Dyn> dynamic(original.dynamic().begin(), original.dynamic().end());
  const auto free = std::find_if(dynamic.begin(), dynamic.end(), [](const Elf64_Dyn& each) {
    return each.d_tag == DT_DEBUG || each.d_tag == DT_RELACOUNT || each.d_tag == DT_BIND_NOW;
  });
  if (free == dynamic.end()) return;
  *free = {.d_tag = DT_SYMBOLIC, .d_un = {.d_val = 0}};
  copy.write(original.offset_of(original.segment(PT_DYNAMIC)->p_vaddr), dynamic.data(),
             dynamic.size() * sizeof(Elf64_Dyn));
}

void let_debuggers_look(const loadable_object& any) {
  object_copy copy(any);
  write_image(copy, any);
  const linker_list changing;
  void* const handle = dlopen(copy.unique_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) dlclose(handle);
}

}  // namespace pure::core
