// The loops whose iterations may be shared: among ranks, of which those that wait help (Pure), or among the threads of
// a rank (OpenMP). loops_pure.cpp, loops_openmp.cpp and loops_serial.cpp (MPI alone) implement them.
//
// One object per rank, used by that rank only.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace md {

/// How Pure shares loops.
enum class tasks { none, pure_task, parallel_for };

class loops {
 public:
  /// Throws failure where loops cannot be shared so.
  explicit loops(tasks how);

  /// body(i) for i = 0, ..., n - 1, each once, in any order, several of them at the same time. Returns when all are
  /// done. The body must not send or receive.
  template <class Body>
  void for_each(std::size_t n, const Body& body) const {
    run(n, std::cref(body));
  }

  [[nodiscard]] std::string description() const;

 private:
  void run(std::size_t n, const std::function<void(std::size_t)>& body) const;

  tasks how_;
};

}  // namespace md
