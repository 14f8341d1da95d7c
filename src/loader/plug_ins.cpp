#include "loader/plug_ins.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loader/open_libraries.hpp"
#include "loader/rank_program.hpp"
#include "runtime/job.hpp"

namespace pure::core {

namespace {

/// What dlerror says next to this thread: ours, or the dynamic linker's.
struct own_error {
  std::string text;
  bool is_new = false;
};
own_error& error_here() {
  static thread_local own_error error;
  return error;
}

void note_error(const std::string& text) {
  own_error& error = error_here();
  error.text = text;
  error.is_new = true;
}

void* rank_dlopen(const char* file, int mode) {
  rank_program* const program = program_here();
  if (program == nullptr) return dlopen(file, mode);
  error_here().is_new = false;
  try {
    return program->libraries().open(file, mode, __builtin_return_address(0));
  } catch (const std::exception& error) {
    note_error(error.what());
    return nullptr;
  }
}

void* find(void* handle, const char* name, const char* version, const void* caller) {
  rank_program* const program = program_here();
  error_here().is_new = false;
  if (program == nullptr) return version == nullptr ? dlsym(handle, name) : dlvsym(handle, name, version);
  try {
    if (handle != RTLD_DEFAULT && handle != RTLD_NEXT && program->libraries().known(handle) == nullptr) {
      void* const found = version == nullptr ? dlsym(handle, name) : dlvsym(handle, name, version);
      void* const own = found == nullptr ? nullptr : program->images().in_place_of_libc(name);
      return own == nullptr ? found : own;
    }
    void* const found = program->libraries().find(handle, name, version, caller);
    if (found == nullptr) note_error(std::string("undefined symbol: ") + name);
    return found;
  } catch (const std::exception& error) {
    note_error(error.what());
    return nullptr;
  }
}

void* rank_dlsym(void* handle, const char* name) { return find(handle, name, nullptr, __builtin_return_address(0)); }

void* rank_dlvsym(void* handle, const char* name, const char* version) {
  return find(handle, name, version, __builtin_return_address(0));
}

int rank_dlclose(void* handle) {
  rank_program* const program = program_here();
  if (program == nullptr) return dlclose(handle);
  open_library* const library = program->libraries().known(handle);
  if (library == nullptr) return dlclose(handle);
  program->libraries().close(*library);
  return 0;
}

char* rank_dlerror() {
  own_error& error = error_here();
  if (!error.is_new) return dlerror();
  error.is_new = false;
  return error.text.data();
}

int rank_dlinfo(void* handle, int request, void* result) {
  rank_program* const program = program_here();
  open_library* const library = program == nullptr ? nullptr : program->libraries().known(handle);
  if (library == nullptr) return dlinfo(handle, request, result);
  if (request == RTLD_DI_ORIGIN) {
    static_cast<char*>(result)[library->path.copy(static_cast<char*>(result), library->path.rfind('/'))] = '\0';
    return 0;
  }
  return dlinfo(program->images().handle_of(library->group.scope.front().number), request, result);
}

// As the file is known to the program, whatever the dynamic linker's list has for it.
int with_original_path(int is_found, const void* address, Dl_info* result) {
  rank_program* const program = program_here();
  if (is_found == 0 || program == nullptr) return is_found;
  const std::string* const path = program->images().file_at(reinterpret_cast<std::uint64_t>(address));
  if (path != nullptr) result->dli_fname = path->c_str();
  return is_found;
}

int rank_dladdr(const void* address, Dl_info* result) {
  return with_original_path(dladdr(address, result), address, result);
}

int rank_dladdr1(const void* address, Dl_info* result, void** extra, int flags) {
  return with_original_path(dladdr1(address, result, extra, flags), address, result);
}

using object_visit = int (*)(dl_phdr_info*, std::size_t, void*);

/// What dl_iterate_phdr has for a rank: its program, what all ranks share, and the images of its libraries; neither the
/// model nor what other ranks have. The program comes first, by its path: for "" some would read /proc/self/exe.
struct objects_of_rank {
  std::vector<std::uint64_t> own;  // where they begin; first of all the program
  object_visit visit;
  void* argument;
  struct other {
    std::uint64_t begin;
    const char* name;
  };
  std::vector<other> others{};
  dl_phdr_info program{};
  bool has_begun = false;

  [[nodiscard]] bool has_own(std::uint64_t begin) const {
    return std::find(own.begin(), own.end(), begin) != own.end();
  }
  static std::uint64_t begin_of(const dl_phdr_info& object) noexcept {
    const std::span segments(object.dlpi_phdr, object.dlpi_phnum);
    const auto first = std::find_if(segments.begin(), segments.end(),
                                    [](auto& each) { return each.p_type == PT_LOAD; });
    return object.dlpi_addr + (first == segments.end() ? 0 : first->p_vaddr);
  }
};

int note_object(dl_phdr_info* object, std::size_t /*bytes*/, void* of_rank) {
  auto& all = *static_cast<objects_of_rank*>(of_rank);
  const std::uint64_t begin = objects_of_rank::begin_of(*object);
  const std::string_view name = object->dlpi_name;
  const bool is_copy = name.empty() || name.starts_with("/proc/");  // of the model, or before it is an image
  if (begin == all.own.front()) all.program = *object;
  if (!all.has_own(begin) && !is_copy) all.others.push_back({begin, object->dlpi_name});
  return 0;
}

int visit_object(dl_phdr_info* object, std::size_t bytes, void* of_rank) {
  auto& all = *static_cast<objects_of_rank*>(of_rank);
  if (!std::exchange(all.has_begun, true)) return all.visit(&all.program, bytes, all.argument);  // for the launcher
  const std::uint64_t begin = objects_of_rank::begin_of(*object);
  const bool is_shared = std::any_of(all.others.begin(), all.others.end(),
                                     [begin](const objects_of_rank::other& each) { return each.begin == begin; });
  const bool is_library = all.has_own(begin) && begin != all.own.front();
  return is_shared || is_library ? all.visit(object, bytes, all.argument) : 0;
}

/// The dynamic linker's lock is held while the program's function runs, as it has to be; none of ours is.
int rank_dl_iterate_phdr(object_visit visit, void* argument) {
  rank_program* const program = program_here();
  if (program == nullptr) return dl_iterate_phdr(visit, argument);
  objects_of_rank all{.own = program->images().beginnings(), .visit = visit, .argument = argument};
  dl_iterate_phdr(note_object, &all);
  const std::vector<std::string> names = program->images().model().names_of_images();
  std::erase_if(all.others, [&](const objects_of_rank::other& each) {
    return std::find(names.begin(), names.end(), each.name) != names.end();
  });
  return dl_iterate_phdr(visit_object, &all);
}

}  // namespace

std::uint64_t bind_late_call(late_calls* of_image, std::uint64_t relocation) {
  constexpr int status_of_linker = 127;
  try {
    rank_program* const program = program_here();
    if (program == nullptr) throw std::runtime_error("a thread of no rank calls a function that is not there");
    return program->libraries().bind_late(static_cast<const calls_of_image*>(of_image)->object, relocation);
  } catch (const std::exception& error) {
    end_process(error.what(), status_of_linker);
  }
}

std::span<const replacement> plug_in_replacements() noexcept {
  static const replacement all[] = {
      replaced_by("dlopen", rank_dlopen),
      replaced_by("dlsym", rank_dlsym),
      replaced_by("dlvsym", rank_dlvsym),
      replaced_by("dlclose", rank_dlclose),
      replaced_by("dlerror", rank_dlerror),
      replaced_by("dlinfo", rank_dlinfo),
      replaced_by("dladdr", rank_dladdr),
      replaced_by("dladdr1", rank_dladdr1),
      replaced_by("dl_iterate_phdr", rank_dl_iterate_phdr),
  };
  return all;
}

}  // namespace pure::core
