#include "loader/rank_program.hpp"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <system_error>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "loader/object_copy.hpp"
#include "loader/replaced_functions.hpp"
#include "loader/thread_block.hpp"
#include "machine/memory_pages.hpp"

extern "C" void* __tls_get_addr(void* module_and_offset);

namespace pure::core {

namespace {

constinit thread_local rank_program* here = nullptr;

std::uint64_t page_of(std::uint64_t address) noexcept { return address / page_bytes() * page_bytes(); }

char* at(std::uint64_t address) noexcept { return reinterpret_cast<char*>(address); }

void write_word(std::uint64_t place, std::uint64_t word) noexcept { std::memcpy(at(place), &word, sizeof(word)); }

[[noreturn]] void fail(const model_object& object, int rank, const std::string& why) {
  throw Error(errc::state, fmt::format("{}: it cannot be loaded for rank {}: {}", object.file.path(), rank, why));
}

/// From the original file, in place of what the dynamic linker has mapped of the copy. Pages that the rank does not
/// write to are the same memory for all ranks.
bool map_original(const elf_object& file, std::uint64_t base) {
  for (const Elf64_Phdr& each : file.segments()) {
    if (each.p_type != PT_LOAD || each.p_filesz == 0) continue;
    const std::uint64_t begin = page_of(each.p_vaddr), into = each.p_vaddr - begin;
    const int protection = ((each.p_flags & PF_R) != 0 ? PROT_READ : 0) |
                           ((each.p_flags & PF_W) != 0 ? PROT_WRITE : 0) | ((each.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
    if (mmap(at(base + begin), each.p_filesz + into, protection, MAP_PRIVATE | MAP_FIXED, file.descriptor(),
             static_cast<off_t>(each.p_offset - into)) == MAP_FAILED) {
      return false;
    }
    const std::uint64_t end = base + each.p_vaddr + each.p_filesz, page_end = page_of(end + page_bytes() - 1);
    if (each.p_memsz > each.p_filesz && end < page_end) std::memset(at(end), 0, page_end - end);
  }
  return true;
}

char* thread_block_of(std::size_t module) {
  std::uint64_t index[2] = {module, 0};
  return static_cast<char*>(__tls_get_addr(index));
}

}  // namespace

rank_program* program_here() noexcept { return here; }

rank_program::rank_program(const program_model& model, int rank)
    : model_(model), rank_(rank), path_of_program_(model.object(0).file.path()) {
  state_.rank = rank;
  state_.program_path = path_of_program_.c_str();
}

std::uint64_t rank_program::base_of(int object) const noexcept {
  const auto number = static_cast<std::size_t>(object);
  return number < images_.size() ? images_[number].base : 0;
}

int rank_program::object_at(std::uint64_t address) const noexcept {
  const std::shared_lock lock(changing_images_);
  for (std::size_t i = 0; i < images_.size(); ++i)
    if (images_[i].base != 0 && address >= images_[i].base && address < images_[i].end) return static_cast<int>(i);
  return no_object;
}

void* rank_program::handle_of(int object) const noexcept {
  const std::shared_lock lock(changing_images_);
  return images_[static_cast<std::size_t>(object)].handle;
}

void* rank_program::address_in(int object, std::string_view name, std::string_view version) const {
  const std::uint64_t base = base_of(object);
  if (base == 0) return nullptr;
  const model_object& its = model_object_of(object);
  const Elf64_Sym* const symbol = its.find(name, version);
  if (symbol == nullptr) return nullptr;
  switch (ELF64_ST_TYPE(symbol->st_info)) {
    case STT_TLS:
      if (object == 0) return thread_pointer() - model_.thread_block_bytes() + symbol->st_value;
      return thread_block_of(its.thread_module) + symbol->st_value;
    case STT_GNU_IFUNC: return reinterpret_cast<void* (*)()>(base + symbol->st_value)();
    default: return at((symbol->st_shndx == SHN_ABS ? 0 : base) + symbol->st_value);
  }
}

rank_program::image rank_program::load_image(const model_object& object) const {
  const elf_object& file = object.file;
  object_copy copy(file);
  write_image(copy, file);
  void* const handle = dlopen(copy.unique_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = dlerror();
    fail(object, rank_, why == nullptr ? "the dynamic linker does not say why" : why);
  }
  link_map* map = nullptr;
  dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map));
  const std::uint64_t base = map->l_addr;
  const Elf64_Phdr& dynamic = *file.segment(PT_DYNAMIC);
  const std::string known_to_linker(at(base + dynamic.p_vaddr), dynamic.p_memsz);  // it has changed that, and keeps it
  if (!map_original(file, base)) {
    fail(object, rank_,
         fmt::format("{} (a process may have {} pieces of memory: sysctl vm.max_map_count)",
                     std::generic_category().message(errno), "so many"));
  }
  std::memcpy(at(base + dynamic.p_vaddr), known_to_linker.data(), known_to_linker.size());
  char* const name_of_copy = map->l_name;
  map->l_name = const_cast<char*>(file.path().c_str());  // for debuggers, dladdr, reports of crashes
  return {&object, base, base + file.end(), handle, name_of_copy};
}

void rank_program::load(const model_group& group) {
  std::vector<int> added;
  std::vector<int> wanted = group.also_loaded;
  wanted.insert(wanted.end(), group.initialized.begin(), group.initialized.end());
  for (const int number : wanted) {
    if (base_of(number) != 0) continue;
    const image its = load_image(model_.object(number));
    const std::unique_lock lock(changing_images_);
    if (images_.size() <= static_cast<std::size_t>(number)) images_.resize(static_cast<std::size_t>(number) + 1);
    images_[static_cast<std::size_t>(number)] = its;
    added.push_back(number);
  }
  for (const int number : added) bind(model_.object(number), base_of(number));
  // Copies are made of what has been bound.
  for (const int number : added) {
    const std::uint64_t base = base_of(number);
    for (const image_copy& each : model_.object(number).copies)
      std::memcpy(at(base + each.place), at(address_of(each.from)), each.bytes);
    if (here == this) begin_thread_in(model_.object(number));
  }
}

bool rank_program::lacks(const model_group& group) const noexcept {
  return std::any_of(group.initialized.begin(), group.initialized.end(),
                     [&](int number) { return base_of(number) == 0; });
}

void rank_program::unload(int object) {
  const std::unique_lock lock(changing_images_);
  if (base_of(object) == 0) return;
  image& its = images_[static_cast<std::size_t>(object)];
  static_cast<link_map*>(its.handle)->l_name = its.name_of_copy;  // which the dynamic linker frees
  dlclose(its.handle);
  its = {};
}

std::vector<int> rank_program::take_constructed(const std::vector<int>& objects) {
  std::vector<int> taken;
  for (auto each = constructed.rbegin(); each != constructed.rend(); ++each)
    if (std::find(objects.begin(), objects.end(), *each) != objects.end()) taken.push_back(*each);
  std::erase_if(constructed, [&](int each) { return std::find(taken.begin(), taken.end(), each) != taken.end(); });
  return taken;
}

void rank_program::bind(const model_object& object, std::uint64_t base) {
  for (const image_word& each : object.words) write_word(base + each.place, address_of(each.to));
  for (const image_variable& each : object.variables) point_to(state_.variables, each.name, at(base + each.place));
  for (const image_variable& each : object.variable_words)
    write_word(base + each.place, reinterpret_cast<std::uint64_t>(pure::core::address_of(state_.variables, each.name)));
}

void rank_program::begin_thread() {
  here = this;
  set_hidden_state_here(&state_);
  const std::shared_lock lock(changing_images_);
  const Elf64_Phdr* const block = model_object_of(0).file.segment(PT_TLS);
  if (block != nullptr) set_thread_block(model_.thread_block_bytes(), *block, at(base_of(0) + block->p_vaddr));
  for (const image& each : images_)
    if (each.base != 0) begin_thread_in(*each.object);
}

/// (Threads that were there before the library was opened have these words only if they open it.)
void rank_program::begin_thread_in(const model_object& object) const {
  if (object.thread_words.empty()) return;
  char* const begin = thread_block_of(object.thread_module);
  for (const thread_word& each : object.thread_words)
    write_word(reinterpret_cast<std::uint64_t>(begin) + each.offset, address_of(each.to));
}

void rank_program::run(int object, std::int64_t array, std::int64_t size, char** environment, bool is_backwards) const {
  const elf_object& file = model_object_of(object).file;
  const auto where = file.value(array), bytes = file.value(size);
  if (!where || !bytes) return;
  using function = void (*)(int, char**, char**);
  const auto* const functions = reinterpret_cast<const function*>(base_of(object) + *where);
  const std::size_t number = *bytes / sizeof(function);
  for (std::size_t i = 0; i < number; ++i)
    functions[is_backwards ? number - 1 - i : i](argument_count_, arguments_, environment);
}

void rank_program::construct_before_libraries(char** environment) const {
  run(0, DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ, environment, false);
}

void rank_program::construct(int object, char** environment) const {
  using function = void (*)(int, char**, char**);
  if (const auto first = model_object_of(object).file.value(DT_INIT))
    reinterpret_cast<function>(base_of(object) + *first)(argument_count_, arguments_, environment);
  run(object, DT_INIT_ARRAY, DT_INIT_ARRAYSZ, environment, false);
}

void rank_program::destroy(int object) const {
  run(object, DT_FINI_ARRAY, DT_FINI_ARRAYSZ, nullptr, true);
  if (const auto last = model_object_of(object).file.value(DT_FINI))
    reinterpret_cast<void (*)()>(base_of(object) + *last)();
}

}  // namespace pure::core
