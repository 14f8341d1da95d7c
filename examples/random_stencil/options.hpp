// The command line of random_stencil.
#pragma once

#include <cstddef>
#include <optional>

#include "random_work.hpp"

struct options {
  std::size_t size = 10'000;
  std::size_t iterations = 200;
  work_costs costs{.unit = 10, .parts = 0};  // parts 0: as many as ranks
  bool check = true;
};

/// Nothing when `o` is filled in; otherwise the exit status, with help or an error having been printed if `speaks`.
std::optional<int> parse(int argc, char** argv, bool speaks, options& o);
