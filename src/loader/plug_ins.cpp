#include "loader/plug_ins.hpp"

#include <dlfcn.h>
#include <link.h>

#include <exception>
#include <string>

#include "loader/open_libraries.hpp"
#include "loader/rank_program.hpp"

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
  return dlinfo(program->images().handle_of(library->group->scope.front().number), request, result);
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

}  // namespace

std::span<const replacement> plug_in_replacements() noexcept {
  static const replacement all[] = {
      replaced_by("dlopen", rank_dlopen),   replaced_by("dlsym", rank_dlsym),     replaced_by("dlvsym", rank_dlvsym),
      replaced_by("dlclose", rank_dlclose), replaced_by("dlerror", rank_dlerror), replaced_by("dlinfo", rank_dlinfo),
      replaced_by("dladdr", rank_dladdr),   replaced_by("dladdr1", rank_dladdr1),
  };
  return all;
}

}  // namespace pure::core
