// Whether the process has another malloc than libc's: a library of the program, or one of LD_PRELOAD, as tcmalloc. A
// library that is opened with RTLD_DEEPBIND would not get that, but libc's; and then frees with the one what libc, in
// strdup say, has taken from the other.
#pragma once

#include <dlfcn.h>
#include <gnu/libc-version.h>

namespace pure::core {

inline bool has_other_allocator() noexcept {
  Dl_info libc{}, allocator{};
  void* const used = dlsym(RTLD_DEFAULT, "malloc");
  return used != nullptr && dladdr(used, &allocator) != 0 &&
         dladdr(reinterpret_cast<const void*>(&gnu_get_libc_version), &libc) != 0 &&
         allocator.dli_fbase != libc.dli_fbase;
}

}  // namespace pure::core
