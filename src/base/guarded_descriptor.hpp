// A file descriptor of the runtime beside a program that closes descriptors which it does not know (daemons do, and
// launchers), and then has a file of its own under the number: each use asks the kernel whether it is still that file.
//
// Costs a system call (fstat) each time: for uses that make one anyway. Eventfds and timerfds look all alike: another
// one of these under the number is not told from it.
#pragma once

#include <sys/types.h>

#include <utility>

#include "base/owned_descriptor.hpp"

namespace pure::core {

class guarded_descriptor {
 public:
  guarded_descriptor() = default;
  explicit guarded_descriptor(owned_descriptor file) noexcept;
  guarded_descriptor(guarded_descriptor&& from) noexcept { *this = std::move(from); }
  guarded_descriptor& operator=(guarded_descriptor&& from) noexcept {
    std::swap(file_, from.file_);
    std::swap(device_, from.device_);
    std::swap(inode_, from.inode_);
    return *this;
  }
  /// Closes nothing that is another file by now.
  ~guarded_descriptor();

  /// -1: there is none, or the program has closed it. Any thread; also from a signal handler.
  [[nodiscard]] int number() const noexcept;
  /// Whether there was one, whatever the program has done since.
  [[nodiscard]] bool was_open() const noexcept { return file_.is_open(); }

 private:
  owned_descriptor file_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace pure::core
