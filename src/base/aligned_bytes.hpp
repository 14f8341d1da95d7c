// Memory for elements of any type: as plain bytes, aligned to a pair of cache lines.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "base/cache_line.hpp"

namespace pure::core {

struct aligned_delete {
  void operator()(std::byte* memory) const noexcept { ::operator delete[](memory, std::align_val_t{pair_bytes}); }
};
using aligned_bytes = std::unique_ptr<std::byte[], aligned_delete>;

/// Not initialized. Throws std::bad_alloc.
inline aligned_bytes make_aligned(std::size_t bytes) {
  return aligned_bytes(new (std::align_val_t{pair_bytes}) std::byte[bytes]);
}

}  // namespace pure::core
