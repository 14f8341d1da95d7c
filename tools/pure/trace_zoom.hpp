// Where to look in a long run: a short window in which ranks share a task.
#pragma once

#include <optional>

#include "pure/trace_model.hpp"

namespace pure::tool {

/// Around the task whose chunks were run by the most threads; among those, one with chunks few enough to be seen, and
/// with many of them stolen. Of a task with very many chunks, a part. Nothing if no chunk was stolen.
std::optional<time_span> window_of_sharing(const timeline& all);

}  // namespace pure::tool
