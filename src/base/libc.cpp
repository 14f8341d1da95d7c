#include "base/libc.hpp"

#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "base/signal_safe_text.hpp"

namespace pure::core::libc {

namespace {

using search = void*(const char* name);

std::atomic<search*> search_of_door{nullptr};  // once, as the door is loaded

bool is_of_this_library(const void* address) noexcept {
  Dl_info its{}, own{};
  return dladdr(address, &its) != 0 && dladdr(reinterpret_cast<const void*>(&next_definition), &own) != 0 &&
         its.dli_fbase == own.dli_fbase;
}

/// Behind the library that stands before libc for the program: a door, and maybe this one behind it, or this one. Where
/// libc comes before all that, libc's.
void* find_next(const char* name) noexcept {
  // acquire: pairs with the release in pure_stands_before_libc()
  if (search* const of_door = search_of_door.load(std::memory_order_acquire); of_door != nullptr) {
    if (void* const found = of_door(name); found != nullptr && !is_of_this_library(found)) return found;
  }
  if (void* const found = dlsym(RTLD_NEXT, name); found != nullptr) return found;
  void* const libc = dlopen(LIBC_SO, RTLD_NOW | RTLD_NOLOAD);
  return libc == nullptr ? nullptr : dlsym(libc, name);
}

}  // namespace

void* next_definition(const char* name) {
  void* const found = find_next(name);
  if (found == nullptr) {
    signal_safe_text text;
    text << "pure: libc's " << name << " was not found: programs that use Pure must be linked with a shared libc\n";
    text.say();
    exit_now(1);
  }
  return found;
}

bool has_door_before() noexcept { return search_of_door.load(std::memory_order_relaxed) != nullptr; }

void exit_now(int status) noexcept {
  for (;;) syscall(SYS_exit_group, status);
}

}  // namespace pure::core::libc

/// Called by a door as it is loaded (api/doors/beside_mpi.cpp). `next` finds what comes behind it; any thread calls it.
extern "C" PURE_API void pure_stands_before_libc(void* (*next)(const char* name));
void pure_stands_before_libc(void* (*next)(const char* name)) {
  // Only the first: another one may belong to a rank that is a thread, and go with it.
  pure::core::libc::search* none = nullptr;
  pure::core::libc::search_of_door.compare_exchange_strong(none, next, std::memory_order_release);  // as in find_next()
}
