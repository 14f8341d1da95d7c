// The communicators that one rank knows, by the handles that programs hold. Own thread of the rank only.
#pragma once

#include <cstdint>

#include "comm/communicator.hpp"
#include "runtime/service.hpp"

namespace pure::core {

class communicator_table final : public service {
 public:
  static constexpr std::uint64_t world_handle = 1;  // the values of pure.h
  static constexpr std::uint64_t self_handle = 2;

  explicit communicator_table(rank_context& owner)
      : world_(owner, 0, "world", {}), self_(owner, 1, "self", {owner.number()}) {}

  static communicator_table& of(const rank_context& owner) noexcept {
    return static_cast<communicator_table&>(*owner.at(service_slot::communicators));
  }

  [[nodiscard]] communicator& world() noexcept { return world_; }
  [[nodiscard]] communicator& self() noexcept { return self_; }

  /// Null if there is no communicator of that handle.
  [[nodiscard]] communicator* find(std::uint64_t handle) noexcept {
    if (handle == world_handle) [[likely]] return &world_;
    return handle == self_handle ? &self_ : nullptr;
  }

  bool advance() override { return false; }

 private:
  communicator world_;
  communicator self_;
};

}  // namespace pure::core
