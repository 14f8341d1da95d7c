#include "net_shm/job_segment.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/passed_file.hpp"
#include "base/printable_text.hpp"

namespace pure::net_shm {

namespace {

core::owned_descriptor duplicate(int descriptor) noexcept {
  return core::owned_descriptor(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
}

/// For names that nobody guesses. Another job's would only be woken in vain.
std::uint64_t number_by_chance() noexcept {
  std::uint64_t made = 0;
  if (getrandom(&made, sizeof made, GRND_NONBLOCK) == sizeof made) return made;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_nsec) << 32 ^ static_cast<std::uint64_t>(getpid());
}

/// The part of the text behind the comma.
const char* pipe_in(const char* text) noexcept {
  const char* const comma = std::strchr(text, ',');
  return comma != nullptr ? comma + 1 : "";
}

}  // namespace

job_segment::job_segment(int processes, segment_maker by) : plan_(processes) {
  core::segment_problem problem = memory_.make("pure job", plan_.all_bytes(), segment_plan::page);
  if (!problem.is_there()) problem = memory_.populate(0, plan_.front_bytes());
  if (problem.is_there()) {
    throw Error(errc::no_memory,
                fmt::format("the memory that {} processes share cannot be had: {}", processes, problem.text()));
  }
  auto* const head = std::construct_at(reinterpret_cast<segment_head*>(memory_.data()));
  head->processes = static_cast<std::uint32_t>(processes);
  head->ring_lines = static_cast<std::uint32_t>(plan_.ring_lines());
  head->key = number_by_chance();
  file_ = core::to_be_passed(duplicate(memory_.descriptor().number()));
  text_ = core::text_of_passed(file_);
  if (by == segment_maker::starter) text_.append(",").append(starter_.emplace().text());
}

pid_t job_segment::pid_of(int process) const noexcept {
  // acquire: what it had written before it came; pairs with the exchange in shm_network::come()
  if (front().row(process).stage.load(std::memory_order_acquire) == process_stage::away) return 0;
  const std::uint64_t space = front().row(process).pid_space.load(std::memory_order_relaxed);
  return space != 0 && space == own_pid_space() ? front().row(process).pid.load(std::memory_order_relaxed) : 0;
}

opened_segment::opened_segment(const char* text, int processes, segment_maker by)
    : plan_(processes), starter_(by == segment_maker::starter ? starter_watch(pipe_in(text)) : starter_watch()) {
  core::owned_descriptor file = core::open_passed(text);
  const bool is_from_process = by == segment_maker::process;
  if (!file.is_open() || (!starter_.is_open() && !is_from_process)) {
    if (errno == EMFILE) {
      throw Error(errc::state,
                  "the memory of the job cannot be opened: there are too few descriptors for it (ulimit -n)");
    }
    if (is_from_process)
      throw Error(errc::state,
                  fmt::format("that of another process cannot be opened: {}", std::generic_category().message(errno)));
    throw Error(errc::state,
                fmt::format("the memory of the job cannot be reached (PURE_SEGMENT={}): has purerun ended, or has a "
                            "script between it and the program closed its files, where there is no /proc?",
                            core::printable_word(text)));
  }
  map(std::move(file), text);
}

opened_segment::opened_segment(const job_segment& of)
    : plan_(of.front().plan()), starter_(of.starter() != nullptr ? starter_watch(*of.starter()) : starter_watch()) {
  map(duplicate(of.descriptor().number()), of.text().c_str());
}

void opened_segment::map(core::owned_descriptor file, const char* text) {
  struct stat status {};
  const bool is_large_enough = fstat(file.number(), &status) == 0 &&
                               static_cast<std::size_t>(status.st_size) == plan_.all_bytes();
  if (is_large_enough) {
    const core::segment_problem problem = memory_.map(std::move(file), plan_.front_bytes(), segment_plan::page);
    if (problem.is_there())
      throw Error(errc::no_memory, fmt::format("the memory of the job cannot be had: {}", problem.text()));
    file_ = segment_file(memory_.take_descriptor(), text);
  }
  const segment_head expected;
  if (!is_large_enough || front().head().name != expected.name || front().head().version != expected.version ||
      front().head().processes != static_cast<std::uint32_t>(plan_.processes()) ||
      front().head().ring_lines != plan_.ring_lines()) {
    throw Error(errc::state,
                "the memory of the job is that of another version of Pure: purerun and the library of the program have "
                "to be of one version");
  }
}

}  // namespace pure::net_shm
