#include "loader/program_model.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "loader/replaced_functions.hpp"
#include "loader/thread_block.hpp"

extern "C" void pure_offset_in_descriptor();
// By code that gets the address of the descriptor in rax and wants the offset there; all other registers are its own.
__asm__(
    ".text\n"
    ".hidden pure_offset_in_descriptor\n"
    ".globl pure_offset_in_descriptor\n"
    ".type pure_offset_in_descriptor, @function\n"
    "pure_offset_in_descriptor:\n"
    "  movq 8(%rax), %rax\n"
    "  ret\n"
    ".size pure_offset_in_descriptor, . - pure_offset_in_descriptor\n");

namespace pure::core {

namespace {

#if defined(__x86_64__)
enum relocation_kind : std::uint32_t {
  relocation_relative = R_X86_64_RELATIVE,
  relocation_computed = R_X86_64_IRELATIVE,
  relocation_word = R_X86_64_64,
  relocation_data = R_X86_64_GLOB_DAT,
  relocation_call = R_X86_64_JUMP_SLOT,
  relocation_copy = R_X86_64_COPY,
  relocation_size = R_X86_64_SIZE64,
  relocation_module = R_X86_64_DTPMOD64,
  relocation_module_offset = R_X86_64_DTPOFF64,
  relocation_thread_offset = R_X86_64_TPOFF64,
  relocation_thread_descriptor = R_X86_64_TLSDESC,
};
#else
#error "src/loader knows the relocations of x86-64 only"
#endif

std::uint64_t word_at(std::uint64_t address) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof(word));
  return word;
}

const link_map* map_of(const void* address) noexcept {
  Dl_info ignored{};
  link_map* map = nullptr;
  if (dladdr1(address, &ignored, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) return nullptr;
  return map;
}

/// A shared library that is there already.
const link_map* shared_map(const std::string& name) noexcept {
  void* const handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  link_map* map = nullptr;
  dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map));
  return map;  // stays open
}

/// An allocator, say: it was loaded by its path, and may have no name by which it would be found again.
bool is_preload(const program_closure& closure, const program_object& object) noexcept {
  return std::find(closure.preloads.begin(), closure.preloads.end(), object.path) != closure.preloads.end();
}

/// Exceptions cross from libpure, which has a libstdc++ that all ranks share, to the program, which has its own: who
/// counts those of a thread has to be one. Null: it is another function, or there is no other libstdc++.
void* shared_for_exceptions(std::string_view name) noexcept {
  if (name != "__cxa_get_globals" && name != "__cxa_get_globals_fast") return nullptr;
  return dlsym(RTLD_DEFAULT, name == "__cxa_get_globals" ? "__cxa_get_globals" : "__cxa_get_globals_fast");
}

/// As the dynamic linker does, which looks at the file itself.
std::string canonical_path(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path canonical = std::filesystem::canonical(path, ignored);
  return ignored ? path : canonical.string();
}

std::set<const link_map*> maps_from(const link_map* any) {
  while (any->l_prev != nullptr) any = any->l_prev;
  std::set<const link_map*> all;
  for (; any != nullptr; any = any->l_next) all.insert(any);
  return all;
}

[[noreturn]] void refuse(const model_object& object, const std::string& why) {
  throw Error(errc::state,
              fmt::format("{}: each rank shall have it for itself, but {}.\n  With `purerun --ranks-as processes` each "
                          "rank has a process for itself.",
                          object.file.path(), why));
}

}  // namespace

program_model::program_model(const program_closure& program) {
  open_objects(program, "", program_);
  for (int number = 0; number < size(); ++number) bind(number, program_.scope);
  program_.initialized = in_order_of_constructors(0);
}

std::unique_ptr<model_group> program_model::add(const program_closure& plug_in,
                                                const std::vector<scope_object>& global) {
  auto group = std::make_unique<model_group>();
  const int first = size();
  try {
    open_objects(plug_in, objects_.front().copy.path(), *group);
    std::vector<scope_object> scope = global;
    scope.insert(scope.end(), group->scope.begin(), group->scope.end());
    for (int number = first; number < size(); ++number) bind(number, scope);
  } catch (...) {
    // The dynamic linker may have it. It is not used, and made anew if it is opened once more.
    std::erase_if(by_path_, [&](const auto& each) { return each.second >= first; });
    for (int number = first; number < size(); ++number) objects_[static_cast<std::size_t>(number)].map = nullptr;
    throw;
  }
  group->initialized = in_order_of_constructors(first);
  // What the others, whose unique symbols they use, need in turn.
  const std::function<void(int)> also = [&](int number) {
    if (number == no_object || number >= first) return;
    if (std::find(group->also_loaded.begin(), group->also_loaded.end(), number) != group->also_loaded.end()) return;
    group->also_loaded.push_back(number);
    for (const int each : object(number).needs) also(each);
    for (const int each : object(number).unique_in) also(each);
  };
  for (int number = first; number < size(); ++number)
    for (const int each : object(number).unique_in) also(each);
  return group;
}

int program_model::number_of(const std::string& path) const {
  const auto found = by_path_.find(canonical_path(path));
  return found == by_path_.end() ? no_object : found->second;
}

void program_model::open_objects(const program_closure& closure, const std::string& also_needed, model_group& group) {
  const int first = size();
  for (const program_object& each : closure.objects) {
    if (!each.is_private) continue;
    int number = number_of(each.path);
    if (number == no_object) {
      number = size();
      objects_.emplace_back(each.path, each.name).is_plug_in = !also_needed.empty();
      by_path_.emplace(canonical_path(each.path), number);
    }
  }
  for (const program_object& each : closure.objects) {
    const int number = each.is_private ? number_of(each.path) : no_object;
    if (number < first || !objects_[static_cast<std::size_t>(number)].needs.empty()) continue;
    for (const std::size_t other : each.needs) {
      const program_object& needed = closure.objects[other];
      objects_[static_cast<std::size_t>(number)].needs.push_back(needed.is_private ? number_of(needed.path)
                                                                                   : no_object);
    }
  }
  for (int number = first; number < size(); ++number) find_exports(objects_[static_cast<std::size_t>(number)]);
  for (int number = first; number < size(); ++number) {
    model_object& object = objects_[static_cast<std::size_t>(number)];
    if (object.file.value(DT_TEXTREL) || (object.file.value(DT_FLAGS).value_or(0) & DF_TEXTREL) != 0)
      refuse(object, "its text has to be changed where it lies (text relocations; compile it with -fPIC)");
    std::unordered_map<std::string_view, std::string> by_name;
    std::size_t next = 0;
    for (const Elf64_Dyn& each : object.file.dynamic())
      if (each.d_tag == DT_NEEDED && next < object.needs.size())
        by_name.emplace(object.file.string(each.d_un.d_val), path_of_need(closure, object, next++));
    const auto renamed = [&](std::string_view name) -> std::string {
      const auto found = by_name.find(name);
      return found == by_name.end() ? "" : found->second;
    };
    write_model(object.copy, object.file, number == 0, renamed, number == first ? also_needed : "",
                [&](const Elf64_Rela& each) { return names_thread_local_of_program(object, each); });
  }

  if (first < size()) {
    const auto before = maps_from(map_of(reinterpret_cast<const void*>(&word_at)));
    void* const handle = dlopen(objects_[static_cast<std::size_t>(first)].copy.path().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* const why = dlerror();
      refuse(objects_[static_cast<std::size_t>(first)],
             fmt::format("the dynamic linker says: {}", why == nullptr ? "nothing" : why));
    }
    link_map* map = nullptr;
    dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map));
    for (const link_map* const each : maps_from(map)) {
      if (before.count(each) != 0) continue;
      for (int number = first; number < size(); ++number) {
        model_object& object = objects_[static_cast<std::size_t>(number)];
        if (object.copy.path() == each->l_name) object.map = each, object.base = each->l_addr;
      }
      if (const int number = number_of(each->l_name); number != no_object)
        refuse(objects_[static_cast<std::size_t>(number)], "something loads it under another name as well");
    }
  }
  for (int number = first; number < size(); ++number) {
    model_object& object = objects_[static_cast<std::size_t>(number)];
    if (object.map == nullptr) refuse(object, "the dynamic linker has not loaded its copy");
    if (number != 0 && object.file.segment(PT_TLS) != nullptr)
      dlinfo(const_cast<link_map*>(object.map), RTLD_DI_TLS_MODID, &object.thread_module);
    // For debuggers and dladdr: its symbols are those of the original.
    const_cast<link_map*>(object.map)->l_name = const_cast<char*>(object.file.path().c_str());
  }
  for (const program_object& each : closure.objects) {
    if (each.is_private) {
      group.scope.push_back({.number = number_of(each.path), .shared = nullptr});
    } else if (const link_map* const map = shared_map(is_preload(closure, each) ? each.path : each.name)) {
      group.scope.push_back({.number = no_object, .shared = map});
    }
  }
}

std::string program_model::path_of_need(const program_closure& closure, const model_object& object,
                                        std::size_t entry) const {
  if (object.needs[entry] != no_object) return this->object(object.needs[entry]).copy.path();
  const auto its = std::find_if(closure.objects.begin(), closure.objects.end(),
                                [&](const program_object& each) { return each.path == object.file.path(); });
  if (its == closure.objects.end()) return {};
  const program_object& needed = closure.objects[its->needs[entry]];
  return is_preload(closure, needed) ? needed.path : "";
}

void program_model::find_exports(model_object& object) {
  const auto symbols = object.file.symbols();
  object.exports.reserve(symbols.size());
  for (std::uint32_t i = 1; i < symbols.size(); ++i) {
    const Elf64_Sym& each = symbols[i];
    const int binding = ELF64_ST_BIND(each.st_info), visibility = ELF64_ST_VISIBILITY(each.st_other);
    if (each.st_shndx == SHN_UNDEF || binding == STB_LOCAL) continue;
    if (visibility == STV_HIDDEN || visibility == STV_INTERNAL) continue;
    object.exports.emplace(object.file.name_of(each), i);
  }
}

const Elf64_Sym* model_object::find(std::string_view symbol, std::string_view version) const {
  const auto [begin, end] = exports.equal_range(symbol);
  for (auto each = begin; each != end; ++each) {
    const std::string_view its = file.version_of(each->second);
    if (version.empty() || its.empty() || its == version) return &file.symbols()[each->second];
  }
  return nullptr;
}

program_model::definition program_model::find_private(std::span<const scope_object> scope, std::string_view name,
                                                      std::string_view version) const {
  for (std::size_t at = 0; at < scope.size(); ++at) {
    if (scope[at].number == no_object) continue;
    if (const Elf64_Sym* const symbol = object(scope[at].number).find(name, version))
      return {scope[at].number, symbol, at};
  }
  return {};
}

std::uint64_t program_model::thread_block_bytes() const noexcept {
  return bytes_of_thread_block(objects_.front().file.segment(PT_TLS));
}

bound_address program_model::bound_to(std::uint64_t address) const noexcept {
  int at_end = no_object;
  for (int number = 0; number < size(); ++number) {
    const model_object& object = this->object(number);
    if (object.map == nullptr || !object.has(address)) continue;
    if (address < object.base + object.file.end()) return {number, address - object.base};
    at_end = number;  // or at the beginning of the next one, where no symbol is
  }
  if (at_end == no_object) return {no_object, address};
  return {at_end, address - object(at_end).base};
}

void program_model::bind(int number, std::span<const scope_object> scope) {
  model_object& object = objects_[static_cast<std::size_t>(number)];
  object.file.each_packed_relocation([&](std::uint64_t place) {
    const std::byte* const word = object.file.in_file(place, 8);
    if (word == nullptr) refuse(object, "a relocation is not in it");
    std::uint64_t value = 0;
    std::memcpy(&value, word, sizeof(value));
    object.words.push_back({place, {number, value}});
  });
  object.file.each_relocation([&](const Elf64_Rela& each) {
    if (each.r_offset + 8 > object.file.end()) refuse(object, "a relocation is not in it");
    switch (ELF64_R_TYPE(each.r_info)) {
      case relocation_relative:
        return object.words.push_back({each.r_offset, {number, static_cast<std::uint64_t>(each.r_addend)}});
      case relocation_computed:
        return object.words.push_back({each.r_offset, bound_to(word_at(object.base + each.r_offset))});
      case relocation_word:
      case relocation_data:
      case relocation_call: return bind_symbolic(object, each, scope);
      case relocation_copy: return bind_copy(object, each, scope);
      case relocation_size:
        return object.words.push_back({each.r_offset, {no_object, word_at(object.base + each.r_offset)}});
      case relocation_module:
      case relocation_module_offset:
      case relocation_thread_offset:
      case relocation_thread_descriptor: return bind_thread_local(object, each, scope);
      case 0: return;
      default: refuse(object, fmt::format("it has a relocation of type {}", ELF64_R_TYPE(each.r_info)));
    }
  });
  const Elf64_Phdr* const block = object.file.segment(PT_TLS);
  if (object.thread_module == 0 || block == nullptr) return;
  for (const image_word& each : object.words) {
    if (each.place < block->p_vaddr || each.place >= block->p_vaddr + block->p_filesz) continue;
    if (each.to.object != no_object) object.thread_words.push_back({each.place - block->p_vaddr, each.to});
  }
}

void program_model::bind_symbolic(model_object& object, const Elf64_Rela& relocation,
                                  std::span<const scope_object> scope) {
  const std::size_t index = ELF64_R_SYM(relocation.r_info);
  const std::uint64_t addend = ELF64_R_TYPE(relocation.r_info) == relocation_word
                                   ? static_cast<std::uint64_t>(relocation.r_addend)
                                   : 0;
  const std::uint64_t address = word_at(object.base + relocation.r_offset) - addend;
  const auto put = [&](bound_address to) {
    to.value += addend;
    object.words.push_back({relocation.r_offset, to});
  };
  const bound_address bound = address == 0 ? bound_address{} : bound_to(address);
  if (index == 0 || index >= object.file.symbols().size()) return put(bound);
  if (void* const shared = shared_for_exceptions(object.file.name_of(object.file.symbols()[index])))
    return put({no_object, reinterpret_cast<std::uint64_t>(shared)});
  if (bound.object != no_object) return put(object.is_plug_in ? bound_in_plug_in(object, index, bound, scope) : bound);

  const std::string_view name = object.file.name_of(object.file.symbols()[index]);
  const definition own = find_private(scope, name, object.file.version_of(index));
  if (own.object != no_object && own.symbol->st_shndx == SHN_ABS) return put(bound);
  if (own.object != no_object && ELF64_ST_TYPE(own.symbol->st_info) != STT_GNU_IFUNC) {
    // The dynamic linker has found it in a shared library, which in a process of one rank would come behind.
    const link_map* const found = address == 0 ? nullptr : map_of(reinterpret_cast<const void*>(address));
    const auto position = std::find_if(scope.begin(), scope.end(), [&](const scope_object& each) {
      return each.number == no_object && each.shared == found;
    });
    if (static_cast<std::size_t>(position - scope.begin()) > own.position)
      return put({own.object, own.symbol->st_value});
  }
  // A plug-in's model is bound to all that the program needs, but not to other plug-ins (write_model()).
  const bool is_missing = address == 0 && ELF64_ST_BIND(object.file.symbols()[index].st_info) != STB_WEAK;
  if (is_missing) throw Error(errc::state, fmt::format("{}: undefined symbol: {}", object.file.path(), name));
  if (const std::string_view variable = rank_variable(name); !variable.empty() && addend == 0)
    return object.variable_words.push_back({relocation.r_offset, variable});
  if (void* const function = replaced_function(name); function != nullptr && address != 0)
    return put({no_object, reinterpret_cast<std::uint64_t>(function)});
  put(bound);
}

// The dynamic linker has looked in the plug-in and what it needs first. In a process of one rank, the program comes
// first, and a unique symbol (STB_GNU_UNIQUE) is the one that came first of all.
bound_address program_model::bound_in_plug_in(model_object& object, std::size_t index, const bound_address& bound,
                                              std::span<const scope_object> scope) {
  const Elf64_Sym& symbol = object.file.symbols()[index];
  if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC) return bound;
  const std::string_view name = object.file.name_of(symbol);
  if (ELF64_ST_BIND(symbol.st_info) == STB_GNU_UNIQUE) {
    for (int number = 0; number < size(); ++number) {
      model_object& other = objects_[static_cast<std::size_t>(number)];
      const Elf64_Sym* const first = other.map == nullptr ? nullptr : other.find(name, object.file.version_of(index));
      if (first == nullptr) continue;
      other.is_kept |= &other != &object;
      if (&other != &object) object.unique_in.push_back(number);
      return {number, first->st_value};
    }
  }
  const bool is_own = symbol.st_shndx != SHN_UNDEF;
  const bool is_bound_inside = ELF64_ST_VISIBILITY(symbol.st_other) == STV_PROTECTED ||
                               object.file.value(DT_SYMBOLIC) ||
                               (object.file.value(DT_FLAGS).value_or(0) & DF_SYMBOLIC) != 0;
  if (is_own && is_bound_inside) return bound;
  const definition first = find_private(scope, name, object.file.version_of(index));
  if (first.object == no_object || ELF64_ST_TYPE(first.symbol->st_info) == STT_GNU_IFUNC) return bound;
  return {first.object, first.symbol->st_value};
}

void program_model::bind_copy(model_object& object, const Elf64_Rela& relocation, std::span<const scope_object> scope) {
  const std::size_t index = ELF64_R_SYM(relocation.r_info);
  if (index >= object.file.symbols().size()) refuse(object, "a relocation names no symbol");
  const Elf64_Sym& symbol = object.file.symbols()[index];
  const std::string name(object.file.name_of(symbol));
  image_copy copy{.place = relocation.r_offset, .bytes = symbol.st_size, .from = {}};
  // In all but the object itself.
  std::vector<scope_object> others(scope.begin(), scope.end());
  std::erase_if(others, [&](const scope_object& each) {
    return each.number != no_object && &this->object(each.number) == &object;
  });
  const definition own = find_private(others, name, object.file.version_of(index));
  if (own.object != no_object) {
    copy.bytes = std::min(copy.bytes, own.symbol->st_size);
    copy.from = {own.object, own.symbol->st_value};
  } else if (void* const shared = dlsym(RTLD_DEFAULT, name.c_str())) {
    copy.from = {no_object, reinterpret_cast<std::uint64_t>(shared)};
  } else if (ELF64_ST_BIND(symbol.st_info) == STB_WEAK) {
    return;
  } else {
    refuse(object, fmt::format("no library has {}", name));
  }
  object.copies.push_back(copy);
  if (const std::string_view variable = named_variable(name); !variable.empty())
    object.variables.push_back({relocation.r_offset, variable});
}

bool program_model::names_thread_local_of_program(const model_object& object, const Elf64_Rela& relocation) const {
  switch (ELF64_R_TYPE(relocation.r_info)) {
    case relocation_module:
    case relocation_module_offset:
    case relocation_thread_offset:
    case relocation_thread_descriptor: break;
    default: return false;
  }
  const std::size_t index = ELF64_R_SYM(relocation.r_info);
  if (index == 0 || index >= object.file.symbols().size()) return &object == &objects_.front();
  const scope_object program{.number = 0, .shared = nullptr};
  return find_private({&program, 1}, object.file.name_of(object.file.symbols()[index]), "").object == 0;
}

// The program's lie in the launcher's block, which ends at the thread pointer.
void program_model::bind_thread_local(model_object& object, const Elf64_Rela& relocation,
                                      std::span<const scope_object> scope) {
  const std::size_t index = ELF64_R_SYM(relocation.r_info);
  const std::uint32_t type = ELF64_R_TYPE(relocation.r_info);
  std::uint64_t value = static_cast<std::uint64_t>(relocation.r_addend);
  bool is_of_program = &object == &objects_.front();
  if (index != 0 && index < object.file.symbols().size()) {
    const Elf64_Sym& symbol = object.file.symbols()[index];
    const definition own = find_private(scope, object.file.name_of(symbol), object.file.version_of(index));
    if (own.object != no_object) {
      is_of_program = own.object == 0;
      value += own.symbol->st_value;
    } else {
      is_of_program = is_of_program && symbol.st_shndx != SHN_UNDEF;
      value += symbol.st_value;
    }
  }
  const auto put = [&](std::uint64_t place, std::uint64_t word) { object.words.push_back({place, {no_object, word}}); };
  const std::uint64_t place = relocation.r_offset;
  if (!is_of_program) {
    put(place, word_at(object.base + place));
    if (type == relocation_thread_descriptor) put(place + 8, word_at(object.base + place + 8));
    return;
  }
  switch (type) {
    case relocation_module: return put(place, 1);  // the launcher's, as that of any executable
    case relocation_module_offset: return put(place, value + bytes_of_launcher_block() - thread_block_bytes());
    case relocation_thread_offset: return put(place, value - thread_block_bytes());
    default:  // a descriptor: a function that makes an offset of the word behind it
      put(place, reinterpret_cast<std::uint64_t>(&pure_offset_in_descriptor));
      put(place + 8, value - thread_block_bytes());
  }
}

std::vector<int> program_model::in_order_of_constructors(int first) const {
  std::vector<int> order;
  std::vector<bool> seen(objects_.size(), false);
  const std::function<void(int)> visit = [&](int number) {
    seen[static_cast<std::size_t>(number)] = true;
    for (const int other : object(number).needs)
      if (other >= first && !seen[static_cast<std::size_t>(other)]) visit(other);
    order.push_back(number);
  };
  for (int number = first; number < size(); ++number)
    if (!seen[static_cast<std::size_t>(number)]) visit(number);
  return order;
}

}  // namespace pure::core
