// The modes of floating-point arithmetic of a thread: rounding, flushing of small numbers, which exceptions trap. Of a
// task they are its owner's, whoever runs a chunk: what comes out must not tell. The flags of exceptions stay the
// thread's.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace pure::core {

class arithmetic_modes {
 public:
  /// Of the calling thread.
  static arithmetic_modes here() noexcept {
    arithmetic_modes modes;
#if defined(__x86_64__)
    modes.vector_ = _mm_getcsr() & ~flags;
    asm volatile("fnstcw %0" : "=m"(modes.x87_));
#else
    fegetmode(&modes.all_);
#endif
    return modes;
  }
  void set_here() const noexcept {
#if defined(__x86_64__)
    _mm_setcsr(vector_ | (_mm_getcsr() & flags));
    asm volatile("fldcw %0" : : "m"(x87_));
#else
    fesetmode(&all_);
#endif
  }

#if defined(__x86_64__)
  bool operator==(const arithmetic_modes&) const noexcept = default;

 private:
  static constexpr std::uint32_t flags = 0x3f;
  std::uint32_t vector_ = 0;
  std::uint16_t x87_ = 0;
#else
  bool operator==(const arithmetic_modes&) const noexcept { return false; }  // which bits count is the machine's matter

 private:
  femode_t all_{};
#endif
};

/// While it lives, the calling thread has other modes.
class with_arithmetic_modes {
 public:
  explicit with_arithmetic_modes(const arithmetic_modes& other) noexcept : own_(arithmetic_modes::here()) {
    changed_ = !(own_ == other);
    if (changed_) [[unlikely]]
      other.set_here();
  }
  with_arithmetic_modes(const with_arithmetic_modes&) = delete;
  with_arithmetic_modes& operator=(const with_arithmetic_modes&) = delete;
  ~with_arithmetic_modes() {
    if (changed_) [[unlikely]]
      own_.set_here();
  }

 private:
  const arithmetic_modes own_;
  bool changed_;
};

}  // namespace pure::core
