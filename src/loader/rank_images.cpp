#include "loader/rank_images.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <system_error>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/tracer.hpp"
#include "loader/debuggers.hpp"
#include "loader/dynamic_linker.hpp"
#include "loader/linker_list.hpp"
#include "loader/machine.hpp"
#include "loader/object_copy.hpp"
#include "loader/thread_block.hpp"
#include "machine/memory_pages.hpp"

extern "C" void* __tls_get_addr(void* module_and_offset);

namespace pure::core {

namespace {

std::uint64_t page_of(std::uint64_t address) noexcept { return address / page_bytes() * page_bytes(); }

char* at(std::uint64_t address) noexcept { return reinterpret_cast<char*>(address); }

void write_word(std::uint64_t place, std::uint64_t word) noexcept { std::memcpy(at(place), &word, sizeof(word)); }

[[noreturn]] void fail(const model_object& object, int rank, const std::string& why) {
  throw Error(errc::state, fmt::format("{}: it cannot be loaded for rank {}: {}", object.file.path(), rank, why));
}

/// From the original file, in place of what the dynamic linker has mapped of the copy. Pages that the rank does not
/// write to are the same memory for all ranks.
bool map_original(const loadable_object& file, std::uint64_t base) {
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
    if (each.p_memsz <= each.p_filesz || end == page_end) continue;
    // Also constants may begin with zero, and be not in the file.
    const bool is_writable = (protection & PROT_WRITE) != 0;
    char* const last_page = at(page_end - page_bytes());
    if (!is_writable && mprotect(last_page, page_bytes(), protection | PROT_WRITE) != 0) return false;
    std::memset(at(end), 0, page_end - end);
    if (!is_writable && mprotect(last_page, page_bytes(), protection) != 0) return false;
  }
  return true;
}

char* thread_block_of(std::size_t module) {
  std::uint64_t index[2] = {module, 0};
  return static_cast<char*>(__tls_get_addr(index));
}

}  // namespace

rank_images::rank_images(program_model& model, int rank, libc_variables& variables) noexcept
    : model_(model), rank_(rank), variables_(variables) {}

std::uint64_t rank_images::base_of(int object) const noexcept {
  const auto number = static_cast<std::size_t>(object);
  return number < images_.size() ? images_[number].base : 0;
}

bool rank_images::is_kept(int number) const noexcept {
  return base_of(number) != 0 && (images_[static_cast<std::size_t>(number)].is_kept || object(number).is_never_closed);
}

int rank_images::object_at(std::uint64_t address) const noexcept {
  const std::shared_lock lock(changing_);
  for (std::size_t i = 0; i < images_.size(); ++i)
    if (address >= images_[i].begin && address < images_[i].end) return static_cast<int>(i);
  return no_object;
}

std::vector<std::uint64_t> rank_images::beginnings() const {
  const std::shared_lock lock(changing_);
  std::vector<std::uint64_t> all;
  for (const image& each : images_) all.push_back(each.begin);
  return all;
}

const std::string* rank_images::file_at(std::uint64_t address) const noexcept {
  const int number = object_at(address);
  const std::shared_lock lock(changing_);
  return number == no_object ? nullptr : &images_[static_cast<std::size_t>(number)].object->file.path();
}

void* rank_images::in_place_of_libc(std::string_view name) const noexcept {
  const std::string_view variable = rank_variable(name);
  return variable.empty() ? model_.replaced().find(name) : pure::core::address_of(variables_, variable);
}

void* rank_images::handle_of(int object) const noexcept {
  const std::shared_lock lock(changing_);
  return images_[static_cast<std::size_t>(object)].handle;
}

void* rank_images::address_in(int object, std::string_view name, std::string_view version,
                              without_version otherwise) const {
  const std::uint64_t base = base_of(object);
  if (base == 0) return nullptr;
  const model_object& its = this->object(object);
  const bool is_newest = version.empty() && otherwise == without_version::newest;
  const Elf64_Sym* const symbol = is_newest ? its.find_newest(name) : its.find(name, version);
  if (symbol == nullptr) return nullptr;
  switch (ELF64_ST_TYPE(symbol->st_info)) {
    case STT_TLS:
      if (object == 0) return thread_pointer() - model_.thread_block_bytes() + symbol->st_value;
      return thread_block_of(its.thread_module) + symbol->st_value;
    case STT_GNU_IFUNC: return reinterpret_cast<void* (*)()>(base + symbol->st_value)();
    default: return at((symbol->st_shndx == SHN_ABS ? 0 : base) + symbol->st_value);
  }
}

rank_images::image rank_images::make(const model_object& object) const {
  const loadable_object& file = object.file;
  object_copy copy(file);
  write_image(copy, file);
  void* handle = nullptr;
  {
    const linker_list changing;
    handle = dlopen(copy.unique_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (handle == nullptr) fail(object, rank_, explained_by_linker(dlerror()));
  link_map* map = nullptr;
  dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map));
  const std::uint64_t base = map->l_addr;
  const Elf64_Phdr& dynamic = *file.segment(PT_DYNAMIC);
  const std::string known_to_linker(at(base + dynamic.p_vaddr), dynamic.p_memsz);  // it has changed that, and keeps it
  if (!map_original(file, base)) {
    fail(object, rank_,
         fmt::format("{}: memory (ulimit -v, or that of the machine), or the number of its pieces (sysctl "
                     "vm.max_map_count), does not suffice",
                     std::generic_category().message(errno)));
  }
  std::memcpy(at(base + dynamic.p_vaddr), known_to_linker.data(), known_to_linker.size());
  char* const name_of_copy = map->l_name;
  const linker_list changing;  // others take a new name for a new object
  map->l_name = const_cast<char*>(object.listed_path().c_str());
  return {&object, base, base + file.begin(), base + file.end(), handle, name_of_copy};
}

void rank_images::load(const model_group& group) {
  std::vector<const model_object*> added;
  for (const model_object* const each : group.constructors)
    if (base_of(each->number) == 0) added.push_back(each);
  try {
    for (const model_object* const each : added) put(each->number, make(*each));
  } catch (...) {
    for (const model_object* const each : added) {
      take_away(each->number);
      model_.leave(*each, this);
    }
    throw;
  }
  for (const model_object* const each : added) {
    in_order_.push_back(each);
    for (const int other : each->unique_in) images_[static_cast<std::size_t>(other)].is_kept = true;
  }
  for (const model_object* const each : added) bind(*each);
  // Functions that choose others may change what copies are made of, and these are made of what has been bound.
  for (const model_object* const each : added) {
    choose_functions(*each);
    for (const image_copy& copy : each->copies)
      std::memcpy(at(base_of(each->number) + copy.place), at(address_of(copy.from)), copy.bytes);
    begin_thread_in(*each);
  }
  if (!added.empty() && is_traced()) let_debuggers_look(added.back()->file);
}

void rank_images::put(int object, const image& next) {
  const std::unique_lock lock(changing_);
  const auto number = static_cast<std::size_t>(object);
  if (images_.size() <= number) images_.resize(number + 1);
  images_[number] = next;
}

void rank_images::unload(int object) {
  const model_object* const its = images_[static_cast<std::size_t>(object)].object;
  take_away(object);
  std::erase(in_order_, its);
  model_.leave(*its, this);
}

void rank_images::take_away(int object) {
  if (base_of(object) == 0) return;
  const image its = images_[static_cast<std::size_t>(object)];
  put(object, {});
  const linker_list changing;
  static_cast<link_map*>(its.handle)->l_name = its.name_of_copy;  // which the dynamic linker frees
  dlclose(its.handle);
}

std::uint64_t rank_images::address_of(const bound_address& bound) const noexcept {
  return bound.object == no_object ? bound.value : base_of(bound.object) + bound.value;
}

void rank_images::bind(const model_object& object) {
  const std::uint64_t base = base_of(object.number);
  for (const image_word& each : object.words) write_word(base + each.place, address_of(each.to));
  for (const image_variable& each : object.variables) point_to(variables_, each.name, at(base + each.place));
  for (const image_variable& each : object.variable_words)
    write_word(base + each.place, reinterpret_cast<std::uint64_t>(pure::core::address_of(variables_, each.name)));
  if (!object.has_late_calls) return;
  image& its = images_[static_cast<std::size_t>(object.number)];
  its.late = std::make_shared<calls_of_image>();
  its.late->bind = late_binder_;
  its.late->object = object.number;
  const std::uint64_t table = base + *object.file.value(DT_PLTGOT);
  write_word(table + 8, reinterpret_cast<std::uint64_t>(its.late.get()));
  write_word(table + 16, reinterpret_cast<std::uint64_t>(&enter_late_call));
}

void rank_images::choose_functions(const model_object& object) const {
  using choosing_function = std::uint64_t (*)();
  for (const chosen_word& each : object.chosen) {
    const std::uint64_t chosen = reinterpret_cast<choosing_function>(address_of(each.by))();
    write_word(base_of(object.number) + each.place, chosen + each.more);
  }
}

void rank_images::begin_thread() const {
  const std::shared_lock lock(changing_);
  if (const Elf64_Phdr* const block = model_.executable().file.segment(PT_TLS); block != nullptr)
    set_thread_block(model_.thread_block_bytes(), *block, at(base_of(0) + block->p_vaddr));
  for (const image& each : images_)
    if (each.base != 0) begin_thread_in(*each.object);
}

/// (Threads that were there before the library was opened have these words only if they open it.)
void rank_images::begin_thread_in(const model_object& object) const {
  if (object.thread_words.empty()) return;
  char* const block = thread_block_of(object.thread_module);
  const char* const values = at(base_of(object.number) + object.file.segment(PT_TLS)->p_vaddr);
  for (const std::uint64_t each : object.thread_words) std::memcpy(block + each, values + each, sizeof(std::uint64_t));
}

}  // namespace pure::core
