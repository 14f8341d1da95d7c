#include "objects/program_combination.hpp"

#include <cstring>
#include <memory>

namespace pure::core {

void program_combination::call(const void* in, void* inout, std::size_t count) const {
  const std::byte* from = static_cast<const std::byte*>(in) - first_byte;
  std::byte* to = static_cast<std::byte*>(inout) - first_byte;
  if (!is_one_by_one) return call_door(*this, from, to, static_cast<std::int64_t>(count));
  for (; count > 0; --count, from += element_bytes, to += element_bytes) call_door(*this, from, to, 1);
}

void program_combination::combine(const void* context, const void* left, const void* right, void* out,
                                  std::size_t count) {
  const auto& how = *static_cast<const program_combination*>(context);
  const std::size_t bytes = count * how.element_bytes;
  if (out != left) {
    if (out != right) std::memcpy(out, right, bytes);
    return how.call(left, out, count);
  }
  // The function has its result in the place of `right`, which is not to be changed.
  const auto copy = std::make_unique<std::byte[]>(bytes);
  std::memcpy(copy.get(), right, bytes);
  how.call(left, copy.get(), count);
  std::memcpy(out, copy.get(), bytes);
}

}  // namespace pure::core
