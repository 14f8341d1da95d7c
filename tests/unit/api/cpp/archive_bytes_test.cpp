// The bytes of a serialized object, which a program and the library hand to each other.
#include <pure/detail/archive.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace {

using pure::detail::archive_bytes;

std::vector<std::byte> content_of(const archive_bytes& bytes) { return {bytes.begin(), bytes.end()}; }

std::vector<std::byte> numbered_bytes(std::size_t count) {
  std::vector<std::byte> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<std::byte>(i % 251);
  return all;
}

TEST(archive_bytes, grow) {
  archive_bytes grown;
  grown.append(nullptr, 0);
  EXPECT_EQ(grown.size(), 0U);
  const std::vector<std::byte> all = numbered_bytes(1000);
  for (std::size_t done = 0; done < all.size();) {  // 1, 2, 3, ... bytes
    const std::size_t next = std::min(done / 10 + 1, all.size() - done);
    grown.append(all.data() + done, next);
    done += next;
  }
  EXPECT_EQ(content_of(grown), all);
  grown.resize(10);
  EXPECT_EQ(content_of(grown), numbered_bytes(10));
  grown.resize(5000);
  EXPECT_EQ(grown.size(), 5000U);
  EXPECT_EQ(grown.data()[9], all[9]);
}

TEST(archive_bytes, are_copied_once_and_then_move) {
  const std::vector<std::byte> all = numbered_bytes(300);
  archive_bytes first(all);
  const std::byte* const place = first.data();
  archive_bytes second(std::move(first));
  EXPECT_EQ(second.data(), place);
  EXPECT_EQ(content_of(first), std::vector<std::byte>());  // NOLINT(bugprone-use-after-move): that is the question
  archive_bytes third(std::span<const std::byte>(all).first(2));
  third = std::move(second);
  EXPECT_EQ(third.data(), place);
  EXPECT_EQ(content_of(third), all);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which end a process that asks for so much
TEST(archive_bytes, that_are_not_there_are_an_error) {
  archive_bytes some(numbered_bytes(5));
  EXPECT_THROW(some.resize(~std::size_t{0} / 2), std::bad_alloc);
  EXPECT_EQ(content_of(some), numbered_bytes(5));
}
#endif

}  // namespace
