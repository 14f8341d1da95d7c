#include "match/stored_message.hpp"

#include <algorithm>

namespace pure::core {

receive_sink sink_of(const placed_message& where) noexcept {
  return {.container = where.base,
          .make_room = nullptr,
          .takes = nullptr,
          .adopt = nullptr,
          .form = where.form.get(),
          .capacity = where.bytes};
}

receive_sink sink_of_nobody(std::vector<std::byte>& thrown_away) noexcept {
  return {.container = &thrown_away,
          .make_room = [](void* container, std::size_t bytes) -> void* {
            auto& room = *static_cast<std::vector<std::byte>*>(container);
            room.resize(std::max(bytes, std::size_t{1}));
            return room.data();
          },
          .takes = nullptr,
          .adopt = nullptr};
}

std::unique_ptr<std::byte[]> packed_copy(const placed_message& what) {
  auto copy = std::make_unique_for_overwrite<std::byte[]>(what.bytes);
  copy_laid_out({copy.get(), nullptr}, {static_cast<const std::byte*>(what.base), what.form.get()}, 0, what.bytes);
  return copy;
}

}  // namespace pure::core
