// Something that the gateway has under way in the network, and what it is.
#pragma once

#include <cstdint>

#include "network/network.hpp"

namespace pure::core {

struct gateway_operation {
  enum class kind : std::uint8_t { packet, payload_out, announced_in, foreseen_in, active, step };

  explicit gateway_operation(kind of) noexcept : what(of) { going.owner = this; }
  gateway_operation(const gateway_operation&) = delete;
  gateway_operation& operator=(const gateway_operation&) = delete;

  network_operation going;
  const kind what;
};

}  // namespace pure::core
