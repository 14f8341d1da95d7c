// Memory that processes share, and how its descriptors travel.
#include "machine/shared_segment.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "machine/descriptor_exchange.hpp"
#include "machine/memory_pages.hpp"

namespace pure::core {
namespace {

owned_descriptor copy_of(const owned_descriptor& other) { return owned_descriptor(dup(other.number())); }

TEST(shared_segment, what_one_mapping_stores_the_other_loads) {
  for (const std::size_t alignment : {std::size_t{64}, std::size_t{2} << 20}) {
    shared_segment made, mapped;
    const std::size_t bytes = 10 * page_bytes();
    ASSERT_EQ(made.make("test", bytes, alignment).text(), "");
    ASSERT_EQ(made.populate(0, bytes).text(), "");
    ASSERT_EQ(mapped.map(copy_of(made.descriptor()), bytes, alignment).text(), "");
    made.close_descriptor();
    EXPECT_NE(made.data(), mapped.data());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(made.data()) % alignment, 0U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mapped.data()) % alignment, 0U);
    for (std::size_t at = 0; at < bytes; ++at) ASSERT_EQ(mapped.data()[at], std::byte{0});
    made.data()[bytes - 1] = std::byte{42};
    EXPECT_EQ(mapped.data()[bytes - 1], std::byte{42});
  }
}

TEST(shared_segment, nobody_can_take_the_memory_away) {
  shared_segment made;
  ASSERT_EQ(made.make("test", page_bytes(), 64).text(), "");
  EXPECT_NE(ftruncate(made.descriptor().number(), 0), 0);
  EXPECT_EQ(errno, EPERM);
}

TEST(shared_segment, a_limit_on_files_is_an_error_and_no_signal) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 4096;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  shared_segment made;
  const segment_problem why = made.make("test", std::size_t{1} << 20, 64);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(why.what, segment_problem::step::size);
  EXPECT_NE(why.text().find("ulimit -f"), std::string::npos) << why.text();
}

TEST(shared_segment, more_than_the_machine_has_is_an_error) {
  shared_segment made;
  const std::size_t bytes = std::size_t{1} << 45;
  if (made.make("test", bytes, 64).is_there()) return;  // a limit on addresses: that is told, too
  EXPECT_EQ(made.populate(0, bytes).what, segment_problem::step::populate);
}

TEST(descriptor_exchange, a_descriptor_arrives_with_who_has_sent_it) {
  descriptor_exchange one, other;
  ASSERT_EQ(one.open().text(), "");
  ASSERT_EQ(other.open().text(), "");
  ASSERT_NE(one.name(), other.name());
  for (int i = 0; i < 10; ++i) {  // as many as every kernel's queues hold
    shared_segment made;
    ASSERT_EQ(made.make("test", page_bytes(), 64).text(), "");
    made.data()[0] = static_cast<std::byte>(i);
    ASSERT_EQ(one.send(other.name(), 100 + i, made.descriptor()).text(), "") << i;
  }
  for (int i = 0; i < 10; ++i) {
    int from = -1;
    owned_descriptor passed;
    ASSERT_EQ(other.receive(from, passed).text(), "");
    EXPECT_EQ(from, 100 + i);
    EXPECT_NE(fcntl(passed.number(), F_GETFD) & FD_CLOEXEC, 0);
    shared_segment mapped;
    ASSERT_EQ(mapped.map(std::move(passed), page_bytes(), 64).text(), "");
    EXPECT_EQ(mapped.data()[0], static_cast<std::byte>(i));
  }
}

TEST(descriptor_exchange, what_cannot_be_had_is_told) {
  descriptor_exchange one;
  ASSERT_EQ(one.open().text(), "");
  int from = -1;
  owned_descriptor passed;
  EXPECT_EQ(one.receive(from, passed).what, segment_problem::step::pass);
  shared_segment made;
  ASSERT_EQ(made.make("test", page_bytes(), 64).text(), "");
  descriptor_exchange::socket_name nobody{};
  EXPECT_EQ(one.send(nobody, 1, made.descriptor()).error, ECONNREFUSED);

  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_EQ(one.send(one.name(), 1, made.descriptor()).text(), "");
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const segment_problem not_received = one.receive(from, passed);
  descriptor_exchange other;
  const segment_problem not_opened = other.open();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(not_received.what, segment_problem::step::pass);
  EXPECT_EQ(not_opened.what, segment_problem::step::connect);
  EXPECT_NE(not_opened.text().find("ulimit -n"), std::string::npos) << not_opened.text();
}

}  // namespace
}  // namespace pure::core
