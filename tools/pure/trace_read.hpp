// Reads the file of purerun --trace: Chrome's JSON of trace events (docs/trace.md lists them).
//
// The file is read event by event, for it may have hundreds of megabytes. Events and fields that are not known are
// passed over; whatever a picture would be wrong without is asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <string>

#include "pure/trace_model.hpp"

namespace pure::tool {

/// Told now and then how many bytes have been read.
using read_progress = std::function<void(std::uint64_t bytes)>;

/// Throws std::runtime_error with what is wrong, and where: it is not JSON, or no timeline of Pure.
timeline read_timeline(std::istream& file, const read_progress& progress = {});

/// The same from a file, whose name begins the text of every error. Shows progress on stderr if the file is large and
/// stderr is a terminal.
timeline read_timeline_file(const std::string& path);

}  // namespace pure::tool
