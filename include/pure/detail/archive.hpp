// A serialized object on its way: what <pure/serialized.hpp> and the library both know of it. Not for programs.
//
// Types are told apart by their names, which are the same in all processes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include <pure/detail/transfer.hpp>

namespace pure::detail {

/// Bytes that grow. Of malloc: made by a program or by the library, and released by the other one, whose `operator new`
/// may be another.
class archive_bytes {
 public:
  archive_bytes() noexcept = default;
  /// A copy.
  explicit archive_bytes(std::span<const std::byte> from) { append(from.data(), from.size()); }
  archive_bytes(archive_bytes&& from) noexcept
      : data_(std::exchange(from.data_, nullptr)),
        size_(std::exchange(from.size_, 0)),
        capacity_(std::exchange(from.capacity_, 0)) {}
  archive_bytes& operator=(archive_bytes&& from) noexcept {
    std::swap(data_, from.data_);
    std::swap(size_, from.size_);
    std::swap(capacity_, from.capacity_);
    return *this;
  }
  ~archive_bytes() { std::free(data_); }

  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::byte* begin() noexcept { return data_; }
  [[nodiscard]] std::byte* end() noexcept { return data_ + size_; }
  [[nodiscard]] const std::byte* begin() const noexcept { return data_; }
  [[nodiscard]] const std::byte* end() const noexcept { return data_ + size_; }

  /// New bytes have any value. Throws std::bad_alloc.
  void resize(std::size_t size) {
    reserve(size);
    size_ = size;
  }
  void append(const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    if (bytes > capacity_ - size_) reserve(std::max(size_ + bytes, 2 * capacity_));
    std::memcpy(data_ + size_, from, bytes);
    size_ += bytes;
  }

 private:
  void reserve(std::size_t capacity) {
    if (capacity <= capacity_) return;
    void* const moved = std::realloc(data_, capacity);
    if (moved == nullptr) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(moved);
    capacity_ = capacity;
  }

  std::byte* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

/// A serialized object, as a moved value: its memory changes hands.
struct archive {
  archive_bytes bytes;
  const char* type = nullptr;  // typeid(object).name(), which outlives it; null: `bytes` are a message of plain data

  [[nodiscard]] bool is_of(const char* wanted) const noexcept {
    return type != nullptr && (type == wanted || std::strcmp(type, wanted) == 0);
  }
};

/// As receive_sink::takes: of archives.
inline bool is_archive(const void* type) noexcept { return type == nullptr; }

inline const moved_operations operations_of_archive{
    .type = nullptr,
    .move =
        [](void* to, void* from) noexcept {
          auto& source = *static_cast<archive*>(from);
          ::new (to) archive(std::move(source));
          source.~archive();
        },
    .destroy = [](void* at) noexcept { static_cast<archive*>(at)->~archive(); },
    .data = [](const void* at) noexcept -> const void* { return static_cast<const archive*>(at)->bytes.data(); },
    .bytes = [](const void* at) noexcept { return static_cast<const archive*>(at)->bytes.size(); },
    .serialized_type = [](const void* at) noexcept { return static_cast<const archive*>(at)->type; }};

}  // namespace pure::detail
