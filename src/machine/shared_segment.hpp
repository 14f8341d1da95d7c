// Memory that processes of one machine map: a memfd (memfd_create(2)). It has no name, so that nothing is left when its
// processes die, and is no part of /dev/shm, whose limit does not count.
//
// Pages are made by whoever populates them, on the NUMA node of that thread; where there is none, that is an error, and
// not a signal at the first touch.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "base/owned_descriptor.hpp"

namespace pure::core {

/// What was not possible, and the errno of the call. Sent to other processes as bytes.
struct segment_problem {
  enum class step : int { none, make, size, map, populate, connect, pass };

  step what = step::none;
  int error = 0;

  [[nodiscard]] bool is_there() const noexcept { return what != step::none; }
  /// "its pages cannot be had: No space left on device".
  [[nodiscard]] std::string text() const;
};

class shared_segment {
 public:
  shared_segment() = default;
  shared_segment(const shared_segment&) = delete;
  shared_segment& operator=(const shared_segment&) = delete;
  ~shared_segment();

  /// `bytes` zeros, aligned to `alignment`, a power of two; no page is there yet. `purpose`: its name in
  /// /proc/PID/maps.
  [[nodiscard]] segment_problem make(const char* purpose, std::size_t bytes, std::size_t alignment) noexcept;
  /// One that another process has made. EPROTO: it is too small, or may become so (no seals): who touches it might be
  /// killed by a signal.
  [[nodiscard]] segment_problem map(owned_descriptor of, std::size_t bytes, std::size_t alignment) noexcept;
  /// Makes the pages of [first, first + bytes) present. By any process that maps it.
  [[nodiscard]] segment_problem populate(std::size_t first, std::size_t bytes) const noexcept;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] const owned_descriptor& descriptor() const noexcept { return descriptor_; }
  /// The memory stays.
  void close_descriptor() noexcept { descriptor_ = owned_descriptor(); }
  [[nodiscard]] owned_descriptor take_descriptor() noexcept { return std::move(descriptor_); }

 private:
  segment_problem map_descriptor(std::size_t bytes, std::size_t alignment) noexcept;

  owned_descriptor descriptor_;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace pure::core
