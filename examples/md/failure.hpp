// What ends the program with a clear message. Every rank throws it, because all of them decide from the same data;
// rank 0 prints it and all return. What one rank alone finds must be summed over the ranks first.
#pragma once

#include <stdexcept>

namespace md {

struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace md
