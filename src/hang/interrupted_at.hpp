// Where a thread was when a signal came: for handlers with SA_SIGINFO.
#pragma once

#include <ucontext.h>

#include <cstdint>

namespace pure::core {

/// `context`: the handler's third argument. Null: not known on this processor.
inline void* interrupted_at(void* context) noexcept {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<void*>(machine.gregs[REG_RIP]);  // NOLINT(performance-no-int-to-ptr)
#elif defined(__aarch64__)
  return reinterpret_cast<void*>(machine.pc);  // NOLINT(performance-no-int-to-ptr)
#else
  (void)machine;
  return nullptr;
#endif
}

/// Where its stack ended then; 0: not known on this processor.
inline std::uintptr_t interrupted_stack(void* context) noexcept {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(machine.sp);
#else
  (void)machine;
  return 0;
#endif
}

}  // namespace pure::core
