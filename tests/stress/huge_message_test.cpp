// Messages and collectives of more than 4 GiB: sizes and counts keep all their bits.
//
// The buffers are address space rather than memory: most of each is the same 16 MiB again and again, so that the test
// needs neither gigabytes nor the time to fill them. What lies beyond 4 GiB is memory of its own, and is compared.
#include <pure.h>

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <pure/pure.hpp>

#include "support/environment.hpp"

namespace {

constexpr std::size_t MiB = 1 << 20;
constexpr std::size_t repeated_bytes = 16 * MiB;
constexpr std::size_t head_bytes = std::size_t{4096} * MiB;
constexpr std::size_t tail_bytes = 2 * MiB;
constexpr std::size_t bytes = head_bytes + tail_bytes;

/// `bytes` bytes of address space: a head that repeats, and a tail.
class huge_buffer {
 public:
  huge_buffer() : fd_(memfd_create("huge_message_test", MFD_CLOEXEC)) {
    void* const space = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                             0);
    if (fd_ < 0 || space == MAP_FAILED || ftruncate(fd_, repeated_bytes) != 0) return;
    data_ = static_cast<std::byte*>(space);
    for (std::size_t at = 0; at < head_bytes; at += repeated_bytes) {
      if (mmap(data_ + at, repeated_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd_, 0) == MAP_FAILED) {
        data_ = nullptr;
        return;
      }
    }
  }
  ~huge_buffer() {
    if (data_ != nullptr) munmap(data_, bytes);
    if (fd_ >= 0) close(fd_);
  }
  huge_buffer(const huge_buffer&) = delete;
  huge_buffer& operator=(const huge_buffer&) = delete;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::uint64_t* tail() const noexcept { return reinterpret_cast<std::uint64_t*>(data_ + head_bytes); }

 private:
  int fd_;
  std::byte* data_ = nullptr;
};

TEST(huge_message, more_than_4_gib) {
  pure::run(2, [](pure::comm world) {
    const huge_buffer buffer;
    ASSERT_NE(buffer.data(), nullptr);
    constexpr std::size_t words = tail_bytes / sizeof(std::uint64_t);
    std::vector<std::uint64_t> expected(words);
    for (std::size_t i = 0; i < words; ++i) expected[i] = 0x0123456789abcdefU * (i + 1);
    if (world.rank() == 0) {
      std::fill(buffer.data(), buffer.data() + repeated_bytes, std::byte{0x5a});
      std::copy(expected.begin(), expected.end(), buffer.tail());
      pure_send_msg(buffer.data(), bytes / sizeof(double), PURE_DOUBLE, 1, 1, PURE_COMM_WORLD);
    } else {
      pure_status status;
      pure_recv_msg(buffer.data(), bytes, PURE_BYTE, 0, 1, PURE_COMM_WORLD, &status);
      EXPECT_EQ(status.bytes, static_cast<std::int64_t>(bytes));
      std::int64_t count = 0;
      pure_get_count(&status, PURE_DOUBLE, &count);
      EXPECT_EQ(count, static_cast<std::int64_t>(bytes / sizeof(double)));
      EXPECT_EQ(buffer.data()[head_bytes - 1], std::byte{0x5a});
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), buffer.tail()));
    }
  });
}

/// The head repeats, so pieces of it are reduced and copied onto each other at the same time: with values of which none
/// depends on the order.
TEST(huge_message, collectives_of_more_than_4_gib) {
  pure::run(2, [](pure::comm world) {
    const huge_buffer in, out;
    ASSERT_TRUE(in.data() != nullptr && out.data() != nullptr);
    const auto mark = [&](const huge_buffer& buffer, int value) {
      std::fill(buffer.data(), buffer.data() + repeated_bytes, static_cast<std::byte>(value));
      std::fill(buffer.data() + head_bytes, buffer.data() + bytes, static_cast<std::byte>(value));
    };
    const auto ends_are = [&](const huge_buffer& buffer, int value) {
      const auto is_value = [&](std::byte each) { return each == static_cast<std::byte>(value); };
      return is_value(buffer.data()[0]) &&
             std::all_of(buffer.data() + head_bytes - 64, buffer.data() + bytes, is_value);
    };

    mark(in, world.rank() == 1 ? 0x5a : 0);
    pure_bcast(in.data(), bytes, PURE_BYTE, 1, PURE_COMM_WORLD);
    EXPECT_TRUE(ends_are(in, 0x5a)) << "bcast";
    pure_barrier(PURE_COMM_WORLD);

    mark(in, 1 << world.rank());
    mark(out, 0);
    pure_allreduce(in.data(), out.data(), bytes, PURE_BYTE, PURE_BOR, PURE_COMM_WORLD);
    EXPECT_TRUE(ends_are(out, 3)) << "allreduce";

    constexpr std::int64_t most = std::int64_t{3} << 30;  // a count over 2^31, and one under
    constexpr std::int64_t counts[] = {most, static_cast<std::int64_t>(bytes) - most};
    constexpr std::int64_t displs[] = {0, most};
    mark(in, 0x11);
    mark(out, 0);
    pure_allgatherv(in.data(), counts[world.rank()], PURE_BYTE, out.data(), counts, displs, PURE_BYTE, PURE_COMM_WORLD);
    EXPECT_TRUE(ends_are(out, 0x11)) << "allgatherv";
  });
}

}  // namespace
