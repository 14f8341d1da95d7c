#include "loader/loadable_object.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "loader/machine.hpp"
#include "machine/memory_pages.hpp"

#ifndef DT_RELR
#define DT_RELRSZ 35
#define DT_RELR 36
#endif

namespace pure::core {

namespace {

constexpr std::uint64_t word_bytes = 8;

symbol_versions checked_versions(const object_file& file) {
  try {
    return symbol_versions(file);
  } catch (const std::out_of_range& error) {
    throw Error(errc::state, fmt::format("{}: the file is damaged: {}", file.path(), error.what()));
  }
}

}  // namespace

loadable_object::loadable_object(const std::string& path) try
    : object_file(path, mapped_file::keep::descriptor_too), versions_(checked_versions(*this)) {
  switch (what()) {
    case kind::program:
    case kind::fixed_program:
    case kind::library: break;
    case kind::static_program: throw Error(errc::state, fmt::format("{} is linked statically", path));
    case kind::damaged: refuse("it is cut off, or contradicts itself");
    case kind::script:
    case kind::other_machine:
    case kind::not_linked:
    case kind::unknown: throw Error(errc::state, fmt::format("{} is no program or library of this machine", path));
  }
  check_segments();
  read_relocations();
  check_relocations();
  check_functions();
} catch (const Error&) {
  throw;
} catch (const std::runtime_error& error) {  // there is no such file
  throw Error(errc::state, error.what());
}

void loadable_object::refuse(const std::string& why) const {
  throw Error(errc::state, fmt::format("{}: the file is damaged: {}", path(), why));
}

/// Whether some segment with all of these flags has all of these bytes, in memory.
bool loadable_object::has(std::uint64_t address, std::uint64_t bytes, Elf64_Word flags) const noexcept {
  return std::any_of(segments().begin(), segments().end(), [&](const Elf64_Phdr& each) {
    return each.p_type == PT_LOAD && (each.p_flags & flags) == flags && address >= each.p_vaddr &&
           address - each.p_vaddr <= each.p_memsz && bytes <= each.p_memsz - (address - each.p_vaddr);
  });
}

void loadable_object::check_segments() const {
  const std::uint64_t page = page_bytes();
  constexpr std::uint64_t end_of_memory = std::uint64_t{1} << 47;
  std::uint64_t next = 0;
  for (const Elf64_Phdr& each : segments()) {
    if (each.p_type == PT_TLS) {
      if ((each.p_align & (each.p_align - 1)) != 0)
        refuse("the alignment of its thread-local variables is no power of two");
      if (each.p_filesz > 0 && !has(each.p_vaddr, each.p_filesz, 0)) refuse("its thread-local variables are not in it");
      if (each.p_memsz > end_of_memory || each.p_align > end_of_memory)
        refuse("its thread-local variables are too large");
    }
    if (each.p_type != PT_LOAD) continue;
    if (each.p_vaddr < next || each.p_vaddr + each.p_memsz > end_of_memory) refuse("its segments are in no order");
    if ((each.p_vaddr - each.p_offset) % page != 0) refuse("a segment does not begin where its page does");
    next = each.p_vaddr + each.p_memsz;
  }
  if (segment(PT_DYNAMIC) == nullptr || dynamic().empty()) refuse("it has no dynamic section");
}

template <class T>
std::span<const T> loadable_object::table(std::int64_t where, std::int64_t size, const char* name) const {
  const auto address = value(where), bytes = value(size);
  if (!bytes || *bytes == 0) return {};
  const auto found = address ? loaded<T>(*address, *bytes / sizeof(T)) : std::span<const T>{};
  if (found.empty() || *bytes % sizeof(T) != 0) refuse(fmt::format("{} are not in it", name));
  return found;
}

void loadable_object::read_relocations() {
  if (value(DT_REL)) refuse("it has relocations of a kind that this machine has not");
  relocations_ = table<Elf64_Rela>(DT_RELA, DT_RELASZ, "its relocations");
  plt_relocations_ = table<Elf64_Rela>(DT_JMPREL, DT_PLTRELSZ, "its relocations");
  // Some linkers count those of the second table as a part of the first.
  if (!plt_relocations_.empty() && plt_relocations_.data() >= relocations_.data() &&
      plt_relocations_.data() < relocations_.data() + relocations_.size()) {
    relocations_ = relocations_.first(static_cast<std::size_t>(plt_relocations_.data() - relocations_.data()));
  }
  packed_ = table<std::uint64_t>(DT_RELR, DT_RELRSZ, "its relocations");
}

void loadable_object::check_relocations() const {
  each_relocation([&](const Elf64_Rela& each) {
    const relocation type = type_of(each);
    if (type == relocation::none) return;
    const std::size_t symbol = ELF64_R_SYM(each.r_info);
    if (symbol != 0 && symbol >= symbols().size()) refuse("a relocation names no symbol of it");
    const std::uint64_t bytes = type == relocation::copy ? symbol < symbols().size() ? symbols()[symbol].st_size : 0
                                : type == relocation::thread_descriptor ? 2 * word_bytes
                                                                        : word_bytes;
    if (!has(each.r_offset, bytes, PF_W)) refuse("a relocation is not in it");
  });
  each_packed_relocation([&](std::uint64_t place) {
    if (!has(place, word_bytes, PF_W) || loaded<std::byte>(place, word_bytes).empty())
      refuse("a relocation is not in it");
  });
}

void loadable_object::check_functions() const {
  if (what() != kind::library && !has(entry(), 1, PF_X)) refuse("it begins nowhere");
  for (const std::int64_t tag : {DT_INIT, DT_FINI}) {
    const auto function = value(tag);
    if (function && !has(*function, 1, PF_X)) refuse("its constructors are not in it");
  }
  struct array {
    std::int64_t where, size;
  };
  for (const array& each : {array{DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ}, array{DT_INIT_ARRAY, DT_INIT_ARRAYSZ},
                            array{DT_FINI_ARRAY, DT_FINI_ARRAYSZ}}) {
    const auto where = value(each.where), bytes = value(each.size);
    if (where && bytes && *bytes > 0 && (*where % word_bytes != 0 || !has(*where, *bytes, 0)))
      refuse("its constructors are not in it");
  }
}

void loadable_object::each_relocation(const std::function<void(const Elf64_Rela&)>& visit) const {
  for (const auto& relocations : {relocations_, plt_relocations_})
    for (const Elf64_Rela& each : relocations) visit(each);
}

// An even word is a place; an odd one a bit map of the 63 words behind the latest.
void loadable_object::each_packed_relocation(const std::function<void(std::uint64_t place)>& visit) const {
  std::uint64_t next = 0;
  for (const std::uint64_t word : packed_) {
    if ((word & 1) == 0) {
      visit(word);
      next = word + word_bytes;
      continue;
    }
    for (std::uint64_t bits = word >> 1, place = next; bits != 0; bits >>= 1, place += word_bytes)
      if ((bits & 1) != 0) visit(place);
    next += 63 * word_bytes;
  }
}

}  // namespace pure::core
