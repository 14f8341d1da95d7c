// What a program has left undone when all of its ranks have ended well (PURE_CHECK): a report, and a non-zero status.
#pragma once

#include <string>
#include <vector>

namespace pure::core {

class job;

struct leftovers {
  std::vector<std::string> findings;  // errors that no call could report
  std::vector<std::string> requests;  // "rank 1: the request of pure_irecv_msg at a.cpp:7 (rank 0, tag 3) was ..."
  std::vector<std::string> messages;
  std::vector<std::string> windows;  // "rank 1: window "halo" was not freed"
  std::vector<std::string> aggregations;
};

/// Asks every service of every rank, and prints what there is, to stderr. True if there is anything. When all ranks
/// have ended.
bool report_leftovers(const job& ended);

}  // namespace pure::core
