#include "loader/open_libraries.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>

#include <fmt/core.h>

#include "loader/closure.hpp"
#include "loader/loaded_program.hpp"
#include "loader/rank_program.hpp"
#include "loader/replaced_functions.hpp"

extern "C" void* __tls_get_addr(void* module_and_offset);
extern char** environ;

namespace pure::core {

namespace {

/// The models of all plug-ins of this process, which are never taken away.
struct known_plug_ins {
  std::mutex adding;  // of the model, too
  std::map<std::string, std::unique_ptr<model_group>> by_path;
};
known_plug_ins& plug_ins() {
  static auto* const known = new known_plug_ins;
  return *known;
}

const link_map* map_around(const void* address) noexcept {
  Dl_info ignored{};
  link_map* map = nullptr;
  return dladdr1(address, &ignored, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 ? nullptr : map;
}

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

open_libraries::open_libraries(rank_program& program) : program_(program) {
  all_.push_back({.group = &program.model().program(),
                  .path = program.path(),
                  .times_open = 1,
                  .is_global = true,
                  .is_kept = true});
}

open_library* open_libraries::known(void* handle) noexcept {
  const std::lock_guard lock(opening_);
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const open_library& each) { return &each == handle; });
  return found == all_.end() ? nullptr : &*found;
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
  const int opened_by = program_.object_at(reinterpret_cast<std::uint64_t>(caller));
  const program_closure closure = closure_of_opened(file, program_.path_of(opened_by == no_object ? 0 : opened_by));
  const program_object& first = closure.objects.front();
  if (!first.is_private) {
    void* const handle = dlopen(file, mode);
    if (handle == nullptr) throw std::runtime_error(dlerror());
    return handle;
  }
  const std::string path = std::filesystem::canonical(first.path).string();  // as the dynamic linker: the file counts
  const model_group* group = nullptr;
  {
    known_plug_ins& all = plug_ins();
    const std::lock_guard adding(all.adding);
    auto& its = all.by_path[path];
    const bool is_here = std::any_of(
        all_.begin(), all_.end(), [&](const open_library& each) { return each.path == path && each.times_open > 0; });
    if ((mode & RTLD_NOLOAD) != 0 && !is_here && (its == nullptr || program_.lacks(*its))) return nullptr;
    if (its == nullptr) its = model_of_program().add(closure, global_scope());
    group = its.get();
    program_.load(*group);
  }
  open_library& library = opened(path, *group);
  library.times_open += 1;
  library.is_global |= (mode & RTLD_GLOBAL) != 0;
  library.is_kept |= (mode & RTLD_NODELETE) != 0;
  for (const int object : group->initialized) {
    if (std::find(program_.constructed.begin(), program_.constructed.end(), object) != program_.constructed.end())
      continue;
    program_.constructed.push_back(object);
    program_.construct(object, environ);
  }
  return &library;
}

void* open_libraries::find_in(std::span<const scope_object> scope, const char* name, const char* version) {
  for (const scope_object& each : scope) {
    if (each.number != no_object) {
      if (void* const found = program_.address_in(each.number, name, version == nullptr ? "" : version)) return found;
      continue;
    }
    void* const handle = const_cast<link_map*>(each.shared);
    void* const found = version == nullptr ? dlsym(handle, name) : dlvsym(handle, name, version);
    if (found == nullptr || map_around(found) != each.shared) continue;  // it looks into what that needs as well
    void* const own = replaced_function(name);
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
  const int number = program_.object_at(reinterpret_cast<std::uint64_t>(caller));
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
    if (each.number != no_object && !program_.model().object(each.number).is_kept && !is_needed(each.number, library))
      unused.push_back(each.number);
  for (const int object : program_.take_constructed(unused)) program_.destroy(object);
  for (const int object : unused) program_.unload(object);
}

}  // namespace pure::core
