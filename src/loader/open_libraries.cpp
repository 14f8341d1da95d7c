#include "loader/open_libraries.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include <fmt/core.h>

#include "loader/closure.hpp"
#include "loader/linker_list.hpp"

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

open_libraries::open_libraries(rank_images& images, constructed_objects& constructed)
    : images_(images), constructed_(constructed) {
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

bool open_libraries::is_open(const std::string& path) const {
  std::error_code ignored;
  return std::any_of(all_.begin(), all_.end(), [&](const open_library& each) {
    return each.times_open > 0 &&
           std::any_of(each.group->scope.begin(), each.group->scope.end(), [&](const scope_object& its) {
             return its.number != no_object &&
                    std::filesystem::equivalent(images_.object(its.number).file.path(), path, ignored);
           });
  });
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
    if (each.is_global && each.times_open > 0)
      scope.insert(scope.end(), each.group->scope.begin(), each.group->scope.end());
  return scope;
}

void* open_libraries::open(const char* file, int mode, const void* caller) {
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
  if ((mode & RTLD_NOLOAD) != 0 && !is_open(path)) {
    return nullptr;
  }
  const model_group* const group = &model.plug_in(closure, global_scope(), (mode & RTLD_DEEPBIND) != 0);
  images_.load(*group);
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
  if (const open_library* const library = known(handle)) return find_in(library->group->scope, name, version);
  const std::vector<scope_object> scope = global_scope();
  if (handle == RTLD_DEFAULT) return find_in(scope, name, version);
  // RTLD_NEXT: behind the caller.
  const int number = images_.object_at(reinterpret_cast<std::uint64_t>(caller));
  const auto here = std::find_if(scope.begin(), scope.end(),
                                 [&](const scope_object& each) { return each.number == number; });
  if (here == scope.end()) return nullptr;
  return find_in({std::next(here), scope.end()}, name, version);
}

bool open_libraries::is_needed(int object, const open_library& but) const {
  return std::any_of(all_.begin(), all_.end(), [&](const open_library& each) {
    return &each != &but && each.times_open > 0 &&
           std::any_of(each.group->scope.begin(), each.group->scope.end(),
                       [&](const scope_object& its) { return its.number == object; });
  });
}

void open_libraries::close(open_library& library) {
  const std::lock_guard lock(opening_);
  if (library.times_open == 0 || (library.times_open == 1 && library.is_kept)) return;
  if (--library.times_open > 0) return;
  library.is_global = false;
  std::vector<int> unused;
  for (const scope_object& each : library.group->scope)
    if (each.number != no_object && !images_.is_kept(each.number) && !is_needed(each.number, library))
      unused.push_back(each.number);
  constructed_.destroy(unused);
  for (const int object : unused) images_.unload(object);
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
