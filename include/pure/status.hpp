// What a receive has received (MPI 4.1, 3.2.5).
#pragma once

#include <cstddef>

namespace pure {

/// Wildcards and the null process, with the values of the MPI standard ABI.
inline constexpr int any_source = -1;
inline constexpr int any_tag = -2;
inline constexpr int proc_null = -3;

class status {
 public:
  status() = default;
  status(int source, int tag, std::size_t bytes, bool is_cancelled = false) noexcept
      : source_(source), tag_(tag), is_cancelled_(is_cancelled), bytes_(bytes) {}

  /// The sender's rank in the communicator; proc_null for a receive from nobody.
  [[nodiscard]] int source() const noexcept { return source_; }
  [[nodiscard]] int tag() const noexcept { return tag_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// True if the operation was cancelled (request::cancel): nothing else counts then.
  [[nodiscard]] bool is_cancelled() const noexcept { return is_cancelled_; }
  /// How many whole elements of T the message had.
  template <class T>
  [[nodiscard]] std::size_t count() const noexcept {
    return bytes_ / sizeof(T);
  }

 private:
  int source_ = any_source;
  int tag_ = any_tag;
  bool is_cancelled_ = false;
  std::size_t bytes_ = 0;
};

}  // namespace pure
