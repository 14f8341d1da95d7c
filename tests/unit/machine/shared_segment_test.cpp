// Memory that processes share, and how its descriptors travel.
#include "machine/shared_segment.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
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
  ASSERT_NE(one.own().name, other.own().name);
  ASSERT_NE(one.own().secret, other.own().secret);
  for (int i = 0; i < 10; ++i) {  // as many as every kernel's queues hold
    shared_segment made;
    ASSERT_EQ(made.make("test", page_bytes(), 64).text(), "");
    made.data()[0] = static_cast<std::byte>(i);
    ASSERT_EQ(one.send(other.own(), 100 + i, made.descriptor()).text(), "") << i;
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

TEST(shared_segment, that_may_become_smaller_than_it_is_mapped_is_refused) {
  const auto problem_of = [](std::size_t bytes, int seals) {
    owned_descriptor file(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    EXPECT_EQ(ftruncate(file.number(), static_cast<off_t>(bytes)), 0);
    EXPECT_EQ(fcntl(file.number(), F_ADD_SEALS, seals), 0);
    shared_segment mapped;
    return mapped.map(std::move(file), 2 * page_bytes(), 64).error;
  };
  EXPECT_EQ(problem_of(2 * page_bytes(), F_SEAL_SHRINK), 0);
  EXPECT_EQ(problem_of(2 * page_bytes() - 1, F_SEAL_SHRINK), EPROTO);
  EXPECT_EQ(problem_of(2 * page_bytes(), F_SEAL_GROW), EPROTO);
  shared_segment mapped;
  EXPECT_EQ(mapped.map(owned_descriptor(open("/proc/self/exe", O_RDONLY)), 1, 64).error, EPROTO) << "no memory file";
}

/// Sends what a program could that has read the socket's name in /proc/net/unix.
void send_as_stranger(const descriptor_exchange::contact& to, const std::string& text) {
  const owned_descriptor from(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string prefix = "pure segment ";
  std::memcpy(name.sun_path + 1, prefix.data(), prefix.size());
  std::memcpy(name.sun_path + 1 + prefix.size(), to.name.data(), to.name.size());
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + prefix.size() + to.name.size());
  ASSERT_EQ(sendto(from.number(), text.data(), text.size(), 0, reinterpret_cast<const sockaddr*>(&name), bytes),
            static_cast<ssize_t>(text.size()));
}

TEST(descriptor_exchange, drops_what_strangers_send) {
  descriptor_exchange one, other;
  ASSERT_EQ(one.open().text(), "");
  ASSERT_EQ(other.open().text(), "");
  shared_segment made;
  ASSERT_EQ(made.make("test", page_bytes(), 64).text(), "");
  for (const std::size_t bytes : {0U, 4U, 20U, 100U}) send_as_stranger(other.own(), std::string(bytes, 'x'));
  descriptor_exchange::contact without_secret = other.own();
  without_secret.secret.back() ^= 1;
  ASSERT_EQ(one.send(without_secret, 1, made.descriptor()).text(), "");
  ASSERT_EQ(one.send(other.own(), 7, made.descriptor()).text(), "");
  int from = -1;
  owned_descriptor passed;
  ASSERT_EQ(other.receive(from, passed).text(), "") << "it takes a stranger's for one of the job";
  EXPECT_EQ(from, 7);
  EXPECT_EQ(other.strangers(), 5);
  EXPECT_EQ(other.last_stranger(), getuid());
  EXPECT_EQ(other.receive(from, passed).error, EAGAIN);
}

TEST(descriptor_exchange, drops_what_another_user_sends_who_knows_everything) {
  if (geteuid() != 0) GTEST_SKIP() << "another user: only root can be one";
  constexpr uid_t nobody = 65534;
  descriptor_exchange one, other;
  ASSERT_EQ(one.open().text(), "");
  ASSERT_EQ(other.open().text(), "");
  shared_segment made;
  ASSERT_EQ(made.make("test", page_bytes(), 64).text(), "");
  const pid_t child = fork();
  if (child == 0)
    _exit(setresuid(nobody, nobody, nobody) != 0 || one.send(other.own(), 1, made.descriptor()).is_there());
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  int from = -1;
  owned_descriptor passed;
  EXPECT_EQ(other.receive(from, passed).error, EAGAIN);
  EXPECT_FALSE(passed.is_open());
  EXPECT_EQ(other.strangers(), 1);
  EXPECT_EQ(other.last_stranger(), nobody);
}

TEST(descriptor_exchange, what_cannot_be_had_is_told) {
  descriptor_exchange one;
  ASSERT_EQ(one.open().text(), "");
  int from = -1;
  owned_descriptor passed;
  EXPECT_EQ(one.receive(from, passed).what, segment_problem::step::pass);
  shared_segment made;
  ASSERT_EQ(made.make("test", page_bytes(), 64).text(), "");
  descriptor_exchange::contact nobody{};
  EXPECT_EQ(one.send(nobody, 1, made.descriptor()).error, ECONNREFUSED);

  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_EQ(one.send(one.own(), 1, made.descriptor()).text(), "");
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
