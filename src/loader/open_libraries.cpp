#include "loader/open_libraries.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "loader/closure.hpp"
#include "loader/hidden_state.hpp"
#include "loader/linker_list.hpp"
#include "loader/shared_things.hpp"

namespace pure::core {

namespace {

/// With the words of dlopen for what is not there: programs look for plug-ins so.
program_closure closure_of_opened(const char* file, const std::string& opened_by) {
  try {
    return closure_of_plug_in(file, opened_by);
  } catch (const loader_refusal& refusal) {
    if (!refusal.is_for_all()) throw;
    throw std::runtime_error(fmt::format("{}: cannot open shared object file: {}", file, refusal.reason()));
  }
}

}  // namespace

open_libraries::open_libraries(rank_images& images, constructed_objects& constructed, exit_handlers& handlers)
    : images_(images), constructed_(constructed), handlers_(handlers) {
  all_.push_back({.group = &images.model().program(),
                  .path = images.model().executable().file.path(),
                  .times_open = 1,
                  .is_global = true,
                  .is_kept = true});
}

open_library* open_libraries::known(void* handle) noexcept {
  const std::lock_guard lock(opening_);
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const open_library& each) { return &each == handle; });
  return found == all_.end() ? nullptr : &*found;
}

bool open_libraries::is_loaded(const std::string& path) const {
  std::error_code ignored;
  for (int number = 0; number < images_.end_of_numbers(); ++number) {
    if (images_.base_of(number) != 0 && std::filesystem::equivalent(images_.object(number).file.path(), path, ignored))
      return true;
  }
  return false;
}

open_library& open_libraries::opened(const std::string& path, const model_group& group) {
  const auto found = std::find_if(all_.begin(), all_.end(),
                                  [&](const open_library& each) { return each.path == path; });
  if (found != all_.end()) return *found;
  return all_.emplace_back(open_library{.group = &group, .path = path});
}

std::vector<scope_object> open_libraries::global_scope() const {
  std::vector<scope_object> scope;
  for (const open_library& each : all_)
    if (each.is_global) scope.insert(scope.end(), each.group->scope.begin(), each.group->scope.end());
  return scope;
}

/// Of the program, or the library that has brought the object along.
std::span<const scope_object> open_libraries::scope_of(int object) const {
  for (const open_library& each : all_) {
    const auto& scope = each.group->scope;
    if (std::any_of(scope.begin(), scope.end(), [&](auto& its) { return its.number == object; })) return scope;
  }
  return {};
}

void* open_libraries::open(const char* file, int mode, const void* caller) {
  if ((mode & RTLD_BINDING_MASK) == 0) throw std::runtime_error("invalid mode for dlopen(): Invalid argument");
  const std::lock_guard lock(opening_);
  if (file == nullptr || *file == '\0') return &all_.front();
  const int opened_by = images_.object_at(reinterpret_cast<std::uint64_t>(caller));
  const program_closure closure = closure_of_opened(file,
                                                    images_.object(opened_by == no_object ? 0 : opened_by).file.path());
  const program_object& first = closure.objects.front();
  if (!first.is_private) {
    void* const handle = dlopen(file, mode);
    if (handle == nullptr) throw std::runtime_error(dlerror());
    return handle;
  }
  const std::string path = std::filesystem::canonical(first.path).string();  // as the dynamic linker: the file counts
  program_model& model = images_.model();
  if (!is_loaded(path)) {
    if ((mode & RTLD_NOLOAD) != 0) return nullptr;
    if ((object_file(path).value(DT_FLAGS_1).value_or(0) & DF_1_NOOPEN) != 0)
      throw std::runtime_error(fmt::format("{}: shared object cannot be dlopen()ed", file));
  }
  const model_group* const group = &model.plug_in(closure, global_scope(), (mode & RTLD_DEEPBIND) != 0);
  const bool has_new_words = std::any_of(
      group->constructors.begin(), group->constructors.end(),
      [&](const model_object* each) { return images_.base_of(each->number) == 0 && !each->thread_words.empty(); });
  images_.load(*group);
  if (has_new_words && hidden_state_here().used.has_other_threads()) note_older_threads(path);
  open_library& library = opened(path, *group);
  library.times_open += 1;
  library.is_global |= (mode & RTLD_GLOBAL) != 0;
  library.is_kept |= (mode & RTLD_NODELETE) != 0;
  for (const model_object* const each : group->constructors)
    constructed_.construct(each->number, *images_.variables().environment);
  return &library;
}

void* open_libraries::find_in(std::span<const scope_object> scope, const char* name, const char* version) {
  for (const scope_object& each : scope) {
    if (each.number != no_object) {
      if (void* const found = images_.address_in(each.number, name, version == nullptr ? "" : version)) return found;
      continue;
    }
    void* const handle = const_cast<link_map*>(each.shared);
    void* const found = version == nullptr ? dlsym(handle, name) : dlvsym(handle, name, version);
    if (found == nullptr || linked_object_at(found) != each.shared) continue;  // it looks into what that needs as well
    void* const own = images_.in_place_of_libc(name);
    return own == nullptr ? found : own;
  }
  return nullptr;
}

void* open_libraries::find(void* handle, const char* name, const char* version, const void* caller) {
  const std::lock_guard lock(opening_);
  const open_library* const library = known(handle);
  if (library != nullptr && library != &all_.front()) return find_in(library->group->scope, name, version);
  std::vector<scope_object> scope = global_scope();
  if (library != nullptr) return find_in(scope, name, version);
  const int number = std::max(images_.object_at(reinterpret_cast<std::uint64_t>(caller)), 0);  // else the program
  const std::span<const scope_object> own = scope_of(number);
  const bool is_of_program = own.data() == all_.front().group->scope.data();
  if (handle == RTLD_DEFAULT) {
    if (!is_of_program)
      scope.insert(images_.object(number).has_own_first ? scope.begin() : scope.end(), own.begin(), own.end());
    void* const found = find_in(scope, name, version);
    if (const int other = images_.object_at(reinterpret_cast<std::uint64_t>(found)); other > 0)
      found_.push_back({.by = number, .in = other});
    return found;
  }
  // RTLD_NEXT: behind the caller.
  if (!is_of_program) scope.assign(own.begin(), own.end());
  const auto here = std::find_if(scope.begin(), scope.end(),
                                 [&](const scope_object& each) { return each.number == number; });
  if (here == scope.end()) return nullptr;
  return find_in({std::next(here), scope.end()}, name, version);
}

/// Images that neither what is open uses nor what is never closed.
std::vector<int> open_libraries::unused_objects() {
  std::vector<bool> is_used(static_cast<std::size_t>(images_.end_of_numbers()), false);
  std::vector<int> used;
  const auto use = [&](int number) {
    if (images_.base_of(number) == 0 || is_used[static_cast<std::size_t>(number)]) return;
    is_used[static_cast<std::size_t>(number)] = true;
    used.push_back(number);
  };
  for (const open_library& each : all_) {
    if (each.times_open == 0) continue;
    for (const scope_object& its : each.group->scope)
      if (its.number != no_object) use(its.number);
  }
  std::vector<int> unused;
  for (int number = 0; number < images_.end_of_numbers(); ++number) {
    const std::uint64_t base = images_.base_of(number);
    if (base == 0) continue;
    const object_file& file = images_.object(number).file;
    if (images_.is_kept(number) || handlers_.has_of_threads(base + file.begin(), base + file.end())) use(number);
  }
  for (std::size_t next = 0; next < used.size(); ++next) {
    const model_object& object = images_.object(used[next]);
    for (const int other : object.uses) use(other);
    for (const int other : object.needs)
      if (other != no_object) use(other);
    for (const found_name& each : found_)
      if (each.by == used[next]) use(each.in);
  }
  for (int number = 0; number < images_.end_of_numbers(); ++number)
    if (images_.base_of(number) != 0 && !is_used[static_cast<std::size_t>(number)]) unused.push_back(number);
  return unused;
}

void open_libraries::close(open_library& library) {
  const std::lock_guard lock(opening_);
  if (library.times_open == 0 || (library.times_open == 1 && library.is_kept)) return;
  if (--library.times_open > 0) return;
  has_closed_ = true;
  if (is_taking_away_) return;  // a destructor closes another one
  is_taking_away_ = true;
  while (std::exchange(has_closed_, false)) {
    const std::vector<int> unused = unused_objects();
    constructed_.destroy(unused);
    for (const int object : unused) images_.unload(object);
  }
  is_taking_away_ = false;
  std::erase_if(found_, [&](const found_name& each) { return images_.base_of(each.by) == 0; });
  for (open_library& each : all_) each.is_global &= images_.base_of(each.group->scope.front().number) != 0;
}

void open_libraries::destroy_all() {
  for (;;) {
    constructed_objects::ended last;
    {
      const std::lock_guard lock(opening_);
      last = constructed_.take_latest();
    }
    if (last.object == nullptr) return;
    constructed_.destroy(last);
  }
}

}  // namespace pure::core
