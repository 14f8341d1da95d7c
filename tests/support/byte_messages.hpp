// Messages of bytes, of every size at which a message takes another way through the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace test_support {

inline const std::vector<std::size_t> sizes{0, 1, 8, 32, 33, 40, 41, 2040, 2048, 2049, 100'000, 1'000'000};

inline std::vector<unsigned char> pattern(std::size_t bytes, int seed) {
  std::vector<unsigned char> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i) made[i] = static_cast<unsigned char>(i * 7 + static_cast<std::size_t>(seed));
  return made;
}

inline std::int64_t count_of(const std::vector<unsigned char>& bytes) {
  return static_cast<std::int64_t>(bytes.size());
}

}  // namespace test_support
