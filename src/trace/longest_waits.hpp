// Which lines of the program have waited longest, over all ranks, for --stats. One thread, when the ranks have ended,
// or the job has failed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/job.hpp"
#include "runtime/process_meeting.hpp"

namespace pure::core {

struct waits_at_line {
  std::string call;  // "pure_recv_msg at halo.cpp:12"; without a line where that is not known
  std::int64_t ns = 0;
  std::uint64_t count = 0;
};

/// The waits of the ranks of this process, by their calls; none of helpers.
std::vector<waits_at_line> waits_here(const job& ended);
/// At process 0 the waits of all processes; nothing elsewhere.
std::vector<waits_at_line> waits_of_all(std::vector<waits_at_line> here, process_meeting& all);

/// The ten that took longest, with their share of all waiting. Empty: none took half a millisecond.
std::string table_of_longest_waits(std::vector<waits_at_line> waits);

}  // namespace pure::core
