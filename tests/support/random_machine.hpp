// Machines that do not exist, for tests against an oracle.
#pragma once

#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "machine/topology.hpp"

namespace test_support {

inline unsigned one_to(unsigned most, std::mt19937& random) { return static_cast<unsigned>(1 + random() % most); }

/// For topology::imagined.
struct random_machine {
  std::string description;
  std::vector<int> allowed;  // about two thirds of its cpus

  explicit random_machine(std::mt19937& random) {
    std::ostringstream text;
    for (const auto& [part, most] : {std::pair("pack:", 3U), {" numa:", 3U}, {" core:", 4U}, {" pu:", 3U}}) {
      text << part << one_to(most, random);
    }
    description = text.str();
    const pure::core::topology whole = pure::core::topology::imagined(description);
    for (const int cpu : whole.allowed_cpus()) {
      if (random() % 3 != 0) allowed.push_back(cpu);
    }
  }
};

}  // namespace test_support
