#include "loader/model_binder.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "libc/libc_variables.hpp"
#include "loader/linker_list.hpp"
#include "loader/machine.hpp"
#include "loader/thread_block.hpp"

namespace pure::core {

namespace {

std::uint64_t word_at(std::uint64_t address) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof(word));
  return word;
}

/// Of what all ranks share, which was there from the start, or came with the program.
void* found_shared(std::span<const scope_object> scope, const char* name) noexcept {
  if (void* const found = dlsym(RTLD_DEFAULT, name)) return found;
  for (const scope_object& each : scope)
    if (each.shared != nullptr)
      if (void* const found = dlsym(const_cast<link_map*>(each.shared), name)) return found;
  return nullptr;
}

bool is_thread_local(const Elf64_Rela& entry) noexcept {
  switch (type_of(entry)) {
    case relocation::module:
    case relocation::module_offset:
    case relocation::thread_offset:
    case relocation::thread_descriptor: return true;
    default: return false;
  }
}

void note_use(model_object& object, int other) {
  const bool is_known = std::find(object.uses.begin(), object.uses.end(), other) != object.uses.end();
  if (other != no_object && other != object.number && !is_known) object.uses.push_back(other);
}

}  // namespace

void refuse_private(const model_object& object, const std::string& why) {
  throw Error(errc::state,
              fmt::format("{}: each rank shall have it for itself, but {}.\n  With `purerun --ranks-as processes` each "
                          "rank has a process for itself.",
                          object.file.path(), why));
}

model_binder::definition model_binder::find(std::span<const scope_object> scope, std::string_view name,
                                            std::string_view version) const {
  for (std::size_t at = 0; at < scope.size(); ++at) {
    if (scope[at].number == no_object) continue;
    const model_object& object = *objects_[static_cast<std::size_t>(scope[at].number)];
    if (const Elf64_Sym* const symbol = object.find(name, version)) return {&object, symbol, at};
  }
  return {};
}

bound_address model_binder::bound_to(std::uint64_t address) const noexcept {
  const model_object* at_end = nullptr;
  for (const auto& each : objects_) {
    if (each == nullptr || !each->has(address)) continue;
    if (address < each->base + each->file.end()) return {each->number, address - each->base};
    at_end = each.get();  // or at the beginning of the next one, where no symbol is
  }
  if (at_end == nullptr) return {no_object, address};
  return {at_end->number, address - at_end->base};
}

bound_address model_binder::bound_to(const definition& own) const {
  if (own.symbol->st_shndx == SHN_ABS) return {no_object, own.symbol->st_value};
  if (ELF64_ST_TYPE(own.symbol->st_info) != STT_GNU_IFUNC) return {own.object->number, own.symbol->st_value};
  return bound_to(reinterpret_cast<std::uint64_t (*)()>(own.object->base + own.symbol->st_value)());
}

void model_binder::bind(model_object& object, std::span<const scope_object> scope) const {
  const int number = object.number;
  object.file.each_packed_relocation([&](std::uint64_t place) {
    std::uint64_t value = 0;
    std::memcpy(&value, object.file.loaded<std::byte>(place, sizeof(value)).data(), sizeof(value));
    object.words.push_back({place, {number, value}});
  });
  object.file.each_relocation([&](const Elf64_Rela& each) {
    switch (type_of(each)) {
      case relocation::relative:
        return object.words.push_back({each.r_offset, {number, static_cast<std::uint64_t>(each.r_addend)}});
      case relocation::computed:
        return object.chosen.push_back({each.r_offset, {number, static_cast<std::uint64_t>(each.r_addend)}});
      case relocation::word:
      case relocation::data:
      case relocation::call: return bind_symbolic(object, each, scope);
      case relocation::copy: return bind_copy(object, each, scope);
      case relocation::size:
        return object.words.push_back({each.r_offset, {no_object, word_at(object.base + each.r_offset)}});
      case relocation::module:
      case relocation::module_offset:
      case relocation::thread_offset:
      case relocation::thread_descriptor: return bind_thread_local(object, each, scope);
      case relocation::none: return;
      default: refuse_private(object, fmt::format("it has a relocation of type {}", ELF64_R_TYPE(each.r_info)));
    }
  });
  for (const image_word& each : object.words) note_use(object, each.to.object);
  for (const chosen_word& each : object.chosen) note_use(object, each.by.object);
  for (const image_copy& each : object.copies) note_use(object, each.from.object);
  const Elf64_Phdr* const block = object.file.segment(PT_TLS);
  if (object.thread_module == 0 || block == nullptr) return;
  const auto note = [&](std::uint64_t place) {
    if (place >= block->p_vaddr && place < block->p_vaddr + block->p_filesz)
      object.thread_words.push_back(place - block->p_vaddr);
  };
  for (const image_word& each : object.words)
    if (each.to.object != no_object || each.to.value != word_at(object.base + each.place)) note(each.place);
  for (const image_variable& each : object.variable_words) note(each.place);
}

void model_binder::bind_symbolic(model_object& object, const Elf64_Rela& entry,
                                 std::span<const scope_object> scope) const {
  const std::size_t index = ELF64_R_SYM(entry.r_info);
  const std::uint64_t addend = type_of(entry) == relocation::word ? static_cast<std::uint64_t>(entry.r_addend) : 0;
  const std::uint64_t address = word_at(object.base + entry.r_offset) - addend;
  const auto put = [&](bound_address to) {
    to.value += addend;
    object.words.push_back({entry.r_offset, to});
  };
  const bound_address bound = address == 0 ? bound_address{} : bound_to(address);
  if (index == 0) return put(bound);
  const std::string_view name = object.file.name_of(object.file.symbols()[index]);
  if (bound.object != no_object) {
    if (const definition its = chosen(object, index, scope); its.object != nullptr)
      return object.chosen.push_back({entry.r_offset, {its.object->number, its.symbol->st_value}, addend});
    return put(object.is_plug_in ? bound_in_plug_in(object, index, bound, scope) : bound);
  }

  const definition own = find(scope, name, object.file.version_of(index));
  if (own.object != nullptr) {
    // The dynamic linker has found it in a shared library, which in a process of one rank would come behind.
    const link_map* const found = address == 0 ? nullptr : linked_object_at(reinterpret_cast<const void*>(address));
    const auto position = std::find_if(scope.begin(), scope.end(), [&](const scope_object& each) {
      return each.number == no_object && each.shared == found;
    });
    if (static_cast<std::size_t>(position - scope.begin()) > own.position) return put(bound_to(own));
  }
  // A plug-in's model is bound to all that the program needs, but not to other plug-ins (write_model()).
  const bool is_missing = address == 0 && ELF64_ST_BIND(object.file.symbols()[index].st_info) != STB_WEAK;
  if (is_missing && bind_late(object, entry)) return;
  if (is_missing) throw Error(errc::state, fmt::format("{}: undefined symbol: {}", object.file.path(), name));
  if (const std::string_view variable = rank_variable(name); !variable.empty() && addend == 0)
    return object.variable_words.push_back({entry.r_offset, variable});
  if (void* const function = replaced_.find(name); function != nullptr && address != 0)
    return put({no_object, reinterpret_cast<std::uint64_t>(function)});
  put(bound);
}

/// A function that each rank chooses when it is bound, as a process does; no object: it is another symbol.
model_binder::definition model_binder::chosen(const model_object& object, std::size_t index,
                                              std::span<const scope_object> scope) const {
  const bool are_there = std::any_of(scope.begin(), scope.end(), [&](const scope_object& each) {
    return each.number != no_object && objects_[static_cast<std::size_t>(each.number)]->has_chosen;
  });
  if (!are_there) return {};
  const Elf64_Sym& symbol = object.file.symbols()[index];
  const bool is_own = symbol.st_shndx != SHN_UNDEF && (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL ||
                                                       ELF64_ST_VISIBILITY(symbol.st_other) != STV_DEFAULT);
  const definition its = is_own ? definition{&object, &symbol, 0}
                                : find(scope, object.file.name_of(symbol), object.file.version_of(index));
  const bool is_one = its.object != nullptr && ELF64_ST_TYPE(its.symbol->st_info) == STT_GNU_IFUNC;
  return is_one ? its : definition{};
}

/// A function that nobody has may be found when it is called, or never be called.
bool model_binder::bind_late(model_object& object, const Elf64_Rela& entry) {
  if (!object.is_lazy || type_of(entry) != relocation::call) return false;
  const auto table = object.file.value(DT_PLTGOT);
  const auto own = object.file.loaded<std::uint64_t>(entry.r_offset, 1);
  if (!table || object.file.loaded<std::uint64_t>(*table, 3).empty() || own.empty() || own.front() == 0) return false;
  object.words.push_back({entry.r_offset, {object.number, own.front()}});
  object.has_late_calls = true;
  return true;
}

/// A unique symbol is the one that came first of all that the rank has.
bool model_binder::bind_unique(model_object& object, std::size_t index, bound_address& bound) const {
  const Elf64_Sym& symbol = object.file.symbols()[index];
  if (ELF64_ST_BIND(symbol.st_info) != STB_GNU_UNIQUE) return false;
  for (const model_object* const each : in_order_) {
    const Elf64_Sym* const first = each->find(object.file.name_of(symbol), object.file.version_of(index));
    if (first == nullptr) continue;
    if (each != &object) object.unique_in.push_back(each->number);
    bound = {each->number, first->st_value};
    return true;
  }
  return false;
}

/// The dynamic linker has looked in the plug-in and what it needs first. In a process of one rank, the program comes
/// first.
bound_address model_binder::bound_in_plug_in(model_object& object, std::size_t index, const bound_address& bound,
                                             std::span<const scope_object> scope) const {
  const Elf64_Sym& symbol = object.file.symbols()[index];
  if (bound_address unique; bind_unique(object, index, unique)) return unique;
  const bool is_bound_inside = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL ||
                               ELF64_ST_VISIBILITY(symbol.st_other) != STV_DEFAULT || object.file.value(DT_SYMBOLIC) ||
                               (object.file.value(DT_FLAGS).value_or(0) & DF_SYMBOLIC) != 0;
  if (object.has_own_first || (symbol.st_shndx != SHN_UNDEF && is_bound_inside)) return bound;
  const definition first = find(scope, object.file.name_of(symbol), object.file.version_of(index));
  return first.object == nullptr ? bound : bound_to(first);
}

void model_binder::bind_copy(model_object& object, const Elf64_Rela& entry, std::span<const scope_object> scope) const {
  const std::size_t index = ELF64_R_SYM(entry.r_info);
  const Elf64_Sym& symbol = object.file.symbols()[index];
  const std::string name(object.file.name_of(symbol));
  image_copy copy{.place = entry.r_offset, .bytes = symbol.st_size, .from = {}};
  // In all but the object itself.
  std::vector<scope_object> others(scope.begin(), scope.end());
  std::erase_if(others, [&](const scope_object& each) { return each.number == object.number; });
  const definition own = find(others, name, object.file.version_of(index));
  if (own.object != nullptr) {
    copy.bytes = std::min(copy.bytes, own.symbol->st_size);
    copy.from = {own.object->number, own.symbol->st_value};
  } else if (void* const shared = found_shared(scope, name.c_str())) {
    copy.from = {no_object, reinterpret_cast<std::uint64_t>(shared)};
  } else if (ELF64_ST_BIND(symbol.st_info) == STB_WEAK) {
    return;
  } else {
    refuse_private(object, fmt::format("no library has {}", name));
  }
  object.copies.push_back(copy);
  if (const std::string_view variable = rank_variable(name); !variable.empty())
    object.variables.push_back({entry.r_offset, variable});
}

// The program's variables lie in the launcher's block, which ends at the thread pointer.
void model_binder::bind_thread_local(model_object& object, const Elf64_Rela& entry,
                                     std::span<const scope_object> scope) const {
  const std::size_t index = ELF64_R_SYM(entry.r_info);
  const relocation type = type_of(entry);
  std::uint64_t value = static_cast<std::uint64_t>(entry.r_addend);
  bool is_of_program = object.number == 0;
  if (index != 0 && index < object.file.symbols().size()) {
    const Elf64_Sym& symbol = object.file.symbols()[index];
    const definition own = find(scope, object.file.name_of(symbol), object.file.version_of(index));
    if (own.object != nullptr) {
      is_of_program = own.object->number == 0;
      value += own.symbol->st_value;
    } else {
      is_of_program = is_of_program && symbol.st_shndx != SHN_UNDEF;
      value += symbol.st_value;
    }
  }
  const std::uint64_t bytes_of_block = bytes_of_thread_block(objects_.front()->file.segment(PT_TLS));
  const auto put = [&](std::uint64_t place, std::uint64_t word) { object.words.push_back({place, {no_object, word}}); };
  const std::uint64_t place = entry.r_offset;
  if (!is_of_program) {
    put(place, word_at(object.base + place));
    if (type == relocation::thread_descriptor) put(place + 8, word_at(object.base + place + 8));
    return;
  }
  switch (type) {
    case relocation::module: return put(place, 1);  // the launcher's, as that of any executable
    case relocation::module_offset: return put(place, value + bytes_of_launcher_block() - bytes_of_block);
    case relocation::thread_offset: return put(place, value - bytes_of_block);
    default:  // a descriptor: a function that makes an offset of the word behind it
      put(place, resolver_of_thread_descriptors());
      put(place + 8, value - bytes_of_block);
  }
}

bool names_thread_local_of_program(const model_object& program, const model_object& object, const Elf64_Rela& entry) {
  if (!is_thread_local(entry)) return false;
  const std::size_t index = ELF64_R_SYM(entry.r_info);
  if (index == 0) return object.number == program.number;
  return program.find(object.file.name_of(object.file.symbols()[index]), "") != nullptr;
}

}  // namespace pure::core
