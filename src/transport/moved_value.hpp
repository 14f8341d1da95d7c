// A value whose ownership travels: a moved std::vector inside a record, a queue or an unexpected message.
//
// The object itself (three pointers) is moved from place to place; what it owns is never copied unless the receiver
// asks for something else than the object. The operations describe its type.
#pragma once

#include <cstddef>

#include <pure/detail/transfer.hpp>

#include "transport/record.hpp"

namespace pure::core {

using detail::moved_operations;

/// Room for one moved object. Holds an object iff `operations` is set; whoever holds it last destroys it.
class moved_value {
 public:
  static constexpr std::size_t capacity = 32;

  moved_value() = default;
  moved_value(const moved_operations& operations, void* object) noexcept : operations_(&operations) {
    operations.move(storage_, object);
  }
  moved_value(moved_value&& from) noexcept { take(from); }
  moved_value& operator=(moved_value&& from) noexcept {
    if (this != &from) {
      reset();
      take(from);
    }
    return *this;
  }
  ~moved_value() { reset(); }

  [[nodiscard]] bool has_object() const noexcept { return operations_ != nullptr; }
  /// `takes`: as of a receive_sink.
  [[nodiscard]] bool is_taken_by(bool (*takes)(const void* type) noexcept) const noexcept {
    return operations_ != nullptr && takes(operations_->type);
  }
  /// Not null: its bytes are no elements (moved_operations::serialized_type).
  [[nodiscard]] const char* serialized_type() const noexcept {
    return operations_->serialized_type == nullptr ? nullptr : operations_->serialized_type(storage_);
  }
  [[nodiscard]] void* object() noexcept { return storage_; }
  [[nodiscard]] const void* data() const noexcept { return operations_->data(storage_); }
  [[nodiscard]] std::size_t bytes() const noexcept { return operations_->bytes(storage_); }

  /// Moves the object out to uninitialized memory at `to`.
  void release_to(void* to) noexcept {
    operations_->move(to, storage_);
    operations_ = nullptr;
  }
  void reset() noexcept {
    if (operations_ != nullptr) operations_->destroy(storage_);
    operations_ = nullptr;
  }

 private:
  void take(moved_value& from) noexcept {
    operations_ = from.operations_;
    if (operations_ != nullptr) from.release_to(storage_);
  }

  const moved_operations* operations_ = nullptr;
  alignas(8) std::byte storage_[capacity];
};
static_assert(sizeof(moved_value) <= record::first_line_payload, "a moved value is a one-line record");

}  // namespace pure::core
