// Everything around the stencil: the command line, the timing, and the check against a serial run.
#pragma once

#include <cstddef>
#include <functional>

/// Does steps of the stencil on this rank's elements.
using stencil = std::function<void(double* a, std::size_t size, std::size_t iterations, int rank, int ranks)>;

/// What every rank does in main; returns its status. `version` is printed.
int run_stencil(int argc, char** argv, const char* version, const stencil& steps);
