// Second names of functions that the core exports. A door (api/doors) has the function by its first name for programs,
// and gets at the core's by the second: by the first it would find itself.
#pragma once

/// After the definition of `name`, which has C linkage and external visibility.
#define PURE_SECOND_NAME(second, name) \
  asm(".globl " #second "\n\t.type " #second ", %function\n\t.set " #second ", " #name "\n")

#define PURE_LIBC_NAME(name) PURE_SECOND_NAME(pure_libc_##name, name)
