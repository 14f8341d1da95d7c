// Where the thread of a rank leaves its stack trace when somebody asks for it (stack_traces.hpp).
//
// The fields are atomics because the signal handler that fills them may come late, when the next request is on its way;
// `answered` says for which request the frames are. Memory for 48 frames, on lines that nothing else uses.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"

namespace pure::core {

struct alignas(pair_bytes) stack_slot {
  static constexpr std::size_t most_frames = 48;

  // --- written by the rank's thread at its start and its end ---
  std::atomic<int> thread_id{0};  // the kernel's; 0: it has not started, or has ended
  // --- written by whoever asks, one at a time ---
  std::atomic<std::uint32_t> asked{0};
  // --- written by the handler ---
  std::atomic<std::uint32_t> answered{0};
  std::atomic<std::size_t> depth{0};
  std::array<std::atomic<void*>, most_frames> frames{};
};

}  // namespace pure::core
