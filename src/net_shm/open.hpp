// The network over shared memory, for those who choose one (network/network_kind.hpp).
#pragma once

#include <memory>
#include <string_view>

#include "network/network_kind.hpp"

namespace pure::net_shm {

/// Connects processes that purerun has started itself, and no others.
class shared_memory_kind final : public core::built_in_network {
 public:
  static constexpr std::string_view own_name = "shm";

  shared_memory_kind() : built_in_network(own_name, "shared memory") {}

  [[nodiscard]] bool can_connect(const core::process_launch& launched) const override {
    return launched.network() == name();
  }
  [[nodiscard]] std::unique_ptr<core::network> open(const core::settings& values, const core::process_launch& launched,
                                                    core::network_opening& opening) const override;
};

}  // namespace pure::net_shm
