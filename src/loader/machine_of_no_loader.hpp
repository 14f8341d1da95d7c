// In place of loader/machine_x86_64.hpp, on machines whose relocations the loader does not know: it compiles, and is
// never run.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace pure::core {

constexpr bool can_load_programs = false;

enum class relocation : std::uint32_t {
  none,
  relative,
  computed,
  word,
  data,
  call,
  copy,
  size,
  module,
  module_offset,
  thread_offset,
  thread_descriptor,
};

inline char* thread_pointer() noexcept { std::abort(); }

[[noreturn]] inline void enter_program(const std::uint64_t* /*stack*/, std::uint64_t /*entry*/) { std::abort(); }

inline std::uint64_t resolver_of_thread_descriptors() noexcept { std::abort(); }

struct late_calls {
  std::uint64_t (*bind)(late_calls*, std::uint64_t relocation);
};

inline void enter_late_call() { std::abort(); }

}  // namespace pure::core
