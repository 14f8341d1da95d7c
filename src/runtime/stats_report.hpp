// --stats: what each rank of a job did, as a table in text.
#pragma once

#include <string>

#include "runtime/job.hpp"

namespace pure::core {

/// Whole lines. For a job that keeps logs, when all its workers have returned.
std::string stats_report(const job& ended);

}  // namespace pure::core
