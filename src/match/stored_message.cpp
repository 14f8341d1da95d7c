#include "match/stored_message.hpp"

namespace pure::core {

receive_sink sink_of(const placed_message& where) noexcept {
  return {.container = where.base,
          .make_room = nullptr,
          .moved_type = nullptr,
          .adopt = nullptr,
          .form = where.form.get(),
          .capacity = where.bytes};
}

std::unique_ptr<std::byte[]> packed_copy(const placed_message& what) {
  auto copy = std::make_unique_for_overwrite<std::byte[]>(what.bytes);
  copy_laid_out({copy.get(), nullptr}, {static_cast<const std::byte*>(what.base), what.form.get()}, 0, what.bytes);
  return copy;
}

}  // namespace pure::core
