#include "base/libc.hpp"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/signal_safe_text.hpp"

namespace pure::core::libc {

void* next_definition(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    signal_safe_text text;
    text << "pure: libc's " << name << " was not found: programs that use Pure must be linked with a shared libc\n";
    text.say();
    exit_now(1);
  }
  return found;
}

void exit_now(int status) noexcept {
  for (;;) syscall(SYS_exit_group, status);
}

}  // namespace pure::core::libc
