// ThreadSanitizer: whether this process runs under it, and whether it sees what the library does. Any thread.
//
// It knows the atomic operations of code that was compiled with -fsanitize=thread only: a program that is, over a
// library that is not, gets reports of races that are none.
//
// What depends on it: a warning (start/sanitizer_warning.cpp), the count of foreign threads
// (runtime/foreign_threads.cpp), how a rank sleeps (futex() in runtime/waiter.cpp), and what UCX may do
// (network/network_plugin.cpp).
#pragma once

extern "C" {
/// Defined in a process that has ThreadSanitizer's runtime.
__attribute__((weak)) void __tsan_init();  // NOLINT(bugprone-reserved-identifier)
}

namespace pure::core {

[[nodiscard]] inline bool runs_under_thread_sanitizer() noexcept { return &__tsan_init != nullptr; }

#if defined(__SANITIZE_THREAD__)
inline constexpr bool is_seen_by_thread_sanitizer = true;
#elif defined(__has_feature)
inline constexpr bool is_seen_by_thread_sanitizer = __has_feature(thread_sanitizer);
#else
inline constexpr bool is_seen_by_thread_sanitizer = false;
#endif

}  // namespace pure::core
