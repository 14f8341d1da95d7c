// A file descriptor, closed at the end of its life.
#pragma once

#include <unistd.h>

#include <utility>

namespace pure::core {

class owned_descriptor {
 public:
  owned_descriptor() = default;
  explicit owned_descriptor(int number) noexcept : number_(number) {}
  owned_descriptor(owned_descriptor&& from) noexcept : number_(std::exchange(from.number_, -1)) {}
  owned_descriptor& operator=(owned_descriptor&& from) noexcept {
    std::swap(number_, from.number_);
    return *this;
  }
  ~owned_descriptor() {
    if (is_open()) close(number_);
  }

  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
  [[nodiscard]] int number() const noexcept { return number_; }
  /// Closes nothing.
  [[nodiscard]] int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

}  // namespace pure::core
