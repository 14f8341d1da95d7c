// A network whose processes are all in this one: each has an end of it, and a thread that is its process's.
#pragma once

#include "network/network.hpp"

namespace test_support {

class network_world {
 public:
  network_world() = default;
  network_world(const network_world&) = delete;
  network_world& operator=(const network_world&) = delete;
  virtual ~network_world() = default;

  [[nodiscard]] virtual int processes() const noexcept = 0;
  [[nodiscard]] virtual pure::core::network& end(int process) = 0;
};

}  // namespace test_support
