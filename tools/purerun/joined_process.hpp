// A process of the job that purerun is not the parent of: the program that a script has started. Nobody tells purerun
// how it ends, but that it has ended can be seen.
//
// It is known by a descriptor (pidfd_open(2)), so that another process which gets its number is not taken for it. Where
// the kernel offers none, by the number.
#pragma once

#include <sys/types.h>

#include "base/owned_descriptor.hpp"

namespace purerun {

class joined_process {
 public:
  /// A process that was there a moment ago.
  explicit joined_process(pid_t number) noexcept;
  [[nodiscard]] bool has_ended() const noexcept;

 private:
  pid_t number_;
  bool was_gone_;
  pure::core::owned_descriptor descriptor_;
};

}  // namespace purerun
