#include "net_shm/starter.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/passed_file.hpp"

namespace pure::net_shm {

starter::starter() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    throw Error(errc::state, fmt::format("the pipe by which the processes see that purerun is there cannot be made: {} "
                                         "(ulimit -n?)",
                                         std::generic_category().message(errno)));
  }
  writing_ = core::owned_descriptor(ends[1]);
  const core::owned_descriptor made(ends[0]);
  reading_ = core::to_be_passed(core::owned_descriptor(fcntl(made.number(), F_DUPFD, 0)));
  if (!reading_.is_open()) throw Error(errc::state, "there are too few descriptors to start processes (ulimit -n?)");
}

std::string starter::text() const { return core::text_of_passed(reading_); }

// Without O_NONBLOCK a pipe whose writer has just gone would be opened when another one comes: never.
starter_watch::starter_watch(const char* text) noexcept : reading_(core::open_passed(text, O_RDONLY | O_NONBLOCK)) {}

starter_watch::starter_watch(const starter& of) noexcept
    : reading_(core::owned_descriptor(fcntl(of.reading().number(), F_DUPFD_CLOEXEC, 0))) {}

bool starter_watch::has_starter_ended() const noexcept {
  char nothing = 0;
  const int number = reading_.number();
  return number >= 0 && read(number, &nothing, sizeof nothing) == 0;  // EAGAIN: it is there
}

}  // namespace pure::net_shm
