// Which process has which ranks: brackets with names, left of the rows. Only where there are several processes.
#pragma once

#include <cstdint>
#include <vector>

#include "pure/trace_layout.hpp"
#include "pure/trace_model.hpp"
#include "pure/trace_picture.hpp"

namespace pure::tool {

/// Where the names stand, in pixels.
struct process_column {
  double left = 0;
  double width = 0;
  double text_size = 0;
};

/// How much room they take; 0 if all rows are of one process.
double width_of_processes(const timeline& all, const std::vector<std::uint32_t>& rows, double text_size,
                          const text_measure& measure);

/// Appends a bracket for each run of neighbouring rows of a process. `bars`: those of the rows.
void add_processes(const timeline& all, const std::vector<std::uint32_t>& rows, const std::vector<box>& bars,
                   const process_column& where, const text_measure& measure, picture& to);

}  // namespace pure::tool
