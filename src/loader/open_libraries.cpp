#include "loader/open_libraries.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "libc/hidden_state.hpp"
#include "libc/shared_things.hpp"
#include "loader/closure.hpp"
#include "loader/linker_list.hpp"
#include "loader/mpi_libraries.hpp"
#include "start/calling_rank.hpp"
#include "start/thread_binding.hpp"

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

/// Each rank would be alone in that MPI, and do all the work; or its functions would be Pure's, and its handles not.
void refuse_other_mpi(const program_closure& closure, const char* file) {
  const foreign_library its = foreign_library_in(closure);
  if (its.library.empty()) return;
  const auto last_of_path = [](std::string_view path) { return path.substr(path.rfind('/') + 1); };
  const std::string_view library = last_of_path(its.library);
  throw std::runtime_error(fmt::format(
      "{}: it brings along {} ({}){}, but the ranks of purerun have Pure's MPI (libmpi_abi.so.1): build with "
      "purecc what needs the other one",
      file, library, name_of(mpi_family_of(library)),
      its.needed_by.empty() ? "" : fmt::format(", which {} needs", last_of_path(its.needed_by))));
}

/// The program calls one interface of MPI, by names that each of them has: a plug-in that needs another one has to find
/// its own library first.
bool needs_another_interface(const program_closure& closure, std::span<const scope_object> global,
                             const rank_images& images) {
  std::vector<mpi_family> known;
  for (const scope_object& each : global)
    known.push_back(
        own_interface_of(each.number == no_object ? each.shared->l_name : images.object(each.number).file.path()));
  return std::any_of(closure.objects.begin(), closure.objects.end(), [&](const program_object& each) {
    const mpi_family its = own_interface_of(each.path);
    return its != mpi_family::none && std::any_of(known.begin(), known.end(), [its](mpi_family other) {
             return other != mpi_family::none && other != its;
           });
  });
}

}  // namespace

open_libraries::open_libraries(rank_images& images, constructed_objects& constructed, exit_handlers& handlers)
    : images_(images), constructed_(constructed), handlers_(handlers) {
  all_.push_back({.group = images.model().program(),
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

/// As the dynamic linker, which compares names with those by which something was asked for, with paths where it was
/// found, and with DT_SONAME; of several, the one that came first.
int open_libraries::known_as(std::string_view name) const {
  for (const model_object* const each : images_.in_order()) {
    if (each->number == 0) continue;
    const auto sonames = each->file.texts(DT_SONAME);
    const bool is_asked_for = std::any_of(names_.begin(), names_.end(), [&](const opened_name& its) {
      return its.number == each->number && its.name == name;
    });
    if (is_asked_for || each->name == name || each->file.path() == name ||
        (!sonames.empty() && sonames.front() == name)) {
      return each->number;
    }
  }
  return no_object;
}

/// By its name, or else by what file it is.
int open_libraries::number_of(const program_object& object) const {
  if (const int known = known_as(object.name); known != no_object) return known;
  struct stat file {};
  if (stat(object.path.c_str(), &file) != 0) return no_object;
  for (const model_object* const each : images_.in_order()) {
    struct stat its {};
    if (fstat(each->file.descriptor(), &its) == 0 && its.st_dev == file.st_dev && its.st_ino == file.st_ino)
      return each->number;
  }
  return no_object;
}

open_library& open_libraries::opened(int root) {
  const auto has = [](const open_library& each, int number) {
    return !each.group.scope.empty() && each.group.scope.front().number == number;
  };
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const open_library& each) { return has(each, root); });
  if (found != all_.end()) return *found;
  const auto gone = std::find_if(all_.begin(), all_.end(),
                                 [](const open_library& each) { return each.group.scope.empty(); });
  open_library& next = gone == all_.end() ? all_.emplace_back() : *gone;
  std::error_code ignored;
  const std::string& path = images_.object(root).file.path();
  next.group = images_.model().group_of(root);
  next.path = std::filesystem::canonical(path, ignored).string();
  if (next.path.empty()) next.path = path;
  return next;
}

std::vector<scope_object> open_libraries::global_scope() const {
  std::vector<scope_object> scope;
  for (const open_library& each : all_)
    if (each.is_global) scope.insert(scope.end(), each.group.scope.begin(), each.group.scope.end());
  return scope;
}

/// Of the program, or the library that has brought the object along.
std::span<const scope_object> open_libraries::scope_of(int object) const {
  for (const open_library& each : all_) {
    const auto& scope = each.group.scope;
    if (std::any_of(scope.begin(), scope.end(), [&](auto& its) { return its.number == object; })) return scope;
  }
  return {};
}

/// Gives the library's number; no_object: it is not there, and is not to be loaded.
int open_libraries::load(const program_closure& closure, const char* file, int mode) {
  const std::string& path = closure.objects.front().path;
  if (const int known = number_of(closure.objects.front()); known != no_object) {
    names_.push_back({known, file});
    return known;
  }
  if ((mode & RTLD_NOLOAD) != 0) return no_object;
  if ((object_file(path).value(DT_FLAGS_1).value_or(0) & DF_1_NOOPEN) != 0)
    throw std::runtime_error(fmt::format("{}: shared object cannot be dlopen()ed", file));
  const std::vector<scope_object> global = global_scope();
  const model_group group = images_.model().plug_in(
      closure, {.rank = &images_,
                .loaded = images_.in_order(),
                .global = global,
                .has_own_first = (mode & RTLD_DEEPBIND) != 0 || needs_another_interface(closure, global, images_),
                .is_lazy = (mode & RTLD_NOW) == 0,
                .number_of = [&](const program_object& each) { return number_of(each); }});
  const bool has_new_words = std::any_of(
      group.constructors.begin(), group.constructors.end(),
      [&](const model_object* each) { return images_.base_of(each->number) == 0 && !each->thread_words.empty(); });
  images_.load(group);
  if (has_new_words && hidden_state_here().used.has_other_threads()) note_older_threads(path);
  const int root = group.scope.front().number;
  names_.push_back({root, file});
  return root;
}

void* open_libraries::open(const char* file, int mode, const void* caller) {
  if ((mode & RTLD_BINDING_MASK) == 0) throw std::runtime_error("invalid mode for dlopen(): Invalid argument");
  const std::lock_guard lock(opening_);
  if (file == nullptr || *file == '\0') return &all_.front();
  int root = known_as(file);
  if (root == no_object) {
    const int opened_by = std::max(images_.object_at(reinterpret_cast<std::uint64_t>(caller)), 0);  // else the program
    const program_closure closure = closure_of_opened(file, images_.object(opened_by).file.path());
    if (do_ranks_begin_in_main() && (mode & RTLD_NOLOAD) == 0) refuse_other_mpi(closure, file);
    if (!closure.objects.front().is_private) {
      void* const handle = dlopen(file, mode);
      if (handle == nullptr) throw std::runtime_error(dlerror());
      return handle;
    }
    root = load(closure, file, mode);
    if (root == no_object) return nullptr;
  }
  open_library& library = opened(root);
  library.times_open += 1;
  library.is_global |= (mode & RTLD_GLOBAL) != 0;
  library.is_kept |= (mode & RTLD_NODELETE) != 0;
  const std::vector<const model_object*> constructors = library.group.constructors;  // others may be opened by these
  const whole_share of_rank;                                                         // they may count the cpus
  for (const model_object* const each : constructors)
    constructed_.construct(each->number, *images_.variables().environment);
  return &library;
}

void* open_libraries::find_in(std::span<const scope_object> scope, const char* name, const char* version,
                              without_version otherwise) {
  for (const scope_object& each : scope) {
    if (each.number != no_object) {
      const std::string_view asked_for = version == nullptr ? "" : version;
      if (void* const found = images_.address_in(each.number, name, asked_for, otherwise)) return found;
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
  if (library != nullptr && library != &all_.front()) return find_in(library->group.scope, name, version);
  std::vector<scope_object> scope = global_scope();
  if (library != nullptr) return find_in(scope, name, version);
  const int number = std::max(images_.object_at(reinterpret_cast<std::uint64_t>(caller)), 0);  // else the program
  const std::span<const scope_object> own = scope_of(number);
  const bool is_of_program = own.data() == all_.front().group.scope.data();
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

std::uint64_t open_libraries::bind_late(int object, std::uint64_t relocation) {
  const std::lock_guard lock(opening_);
  const loadable_object& file = images_.object(object).file;
  const Elf64_Rela& entry = file.calls()[relocation];
  const std::size_t index = ELF64_R_SYM(entry.r_info);
  const std::string name(file.name_of(file.symbols()[index])), version(file.version_of(index));
  std::vector<scope_object> scope = global_scope();
  const std::span<const scope_object> own = scope_of(object);
  scope.insert(images_.object(object).has_own_first ? scope.begin() : scope.end(), own.begin(), own.end());
  void* const found = find_in(scope, name.c_str(), version.empty() ? nullptr : version.c_str(),
                              without_version::oldest);
  if (found == nullptr)
    throw std::runtime_error(fmt::format("symbol lookup error: {}: undefined symbol: {}", file.path(), name));
  if (const int other = images_.object_at(reinterpret_cast<std::uint64_t>(found)); other > 0)
    found_.push_back({.by = object, .in = other});
  const auto address = reinterpret_cast<std::uint64_t>(found);
  std::memcpy(reinterpret_cast<void*>(images_.base_of(object) + entry.r_offset), &address, sizeof address);
  return address;
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
    for (const scope_object& its : each.group.scope)
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
    for (const scope_object& other : object.needs)
      if (other.number != no_object) use(other.number);
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
    for (const int object : unused) take_away(object);
  }
  is_taking_away_ = false;
}

/// Another object may have its number soon.
void open_libraries::take_away(int object) {
  images_.unload(object);
  std::erase_if(found_, [&](const found_name& each) { return each.by == object || each.in == object; });
  std::erase_if(names_, [&](const opened_name& each) { return each.number == object; });
  for (open_library& each : all_)
    if (!each.group.scope.empty() && each.group.scope.front().number == object) each = {};
}

void open_libraries::add_open_accounts(open_accounts& to) {
  const std::lock_guard lock(opening_);
  to.add("open libraries",
         static_cast<std::uint64_t>(std::count_if(std::next(all_.begin()), all_.end(),
                                                  [](const open_library& each) { return each.times_open != 0; })));
  to.add("images of libraries", images_.in_order().size() - images_.model().program().constructors.size());
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
