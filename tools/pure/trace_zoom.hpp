// Where to look: behind the start of the job, and, in a long run, a short window in which ranks share a task, or
// handle items.
#pragma once

#include <optional>

#include "pure/trace_model.hpp"

namespace pure::tool {

/// Where a picture of a whole run begins: 0; but if the job takes more than a twentieth of it to start, shortly before
/// the first rank does something.
nanoseconds begin_of_interest(const timeline& all);

/// Around the task whose chunks were run by the most threads; among those, one with chunks few enough to be seen, and
/// with many of them stolen. Of a task with very many chunks, a part. Nothing if no chunk was stolen.
std::optional<time_span> window_of_sharing(const timeline& all);

/// Where buffers of aggregations are handled most densely. Nothing if none was.
std::optional<time_span> window_of_items(const timeline& all);

}  // namespace pure::tool
