// The gateway's packets: those that are free, and how many the network has. By the holder of the network lock.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "gateway/outgoing.hpp"

namespace pure::core {

class packet_pool {
 public:
  /// `bytes`: of each.
  explicit packet_pool(std::size_t bytes) : bytes_(bytes) {}

  /// One that is free, and stays so; null if too many are on their way: then messages wait in their ranks' rings.
  [[nodiscard]] packet* first() {
    if (on_their_way_ >= most_on_their_way) return nullptr;
    if (free_.empty()) [[unlikely]]
      free_.push_back(std::make_unique<packet>(bytes_));
    return free_.back().get();
  }
  /// What first() has just given.
  [[nodiscard]] std::unique_ptr<packet> take() noexcept {
    std::unique_ptr<packet> taken = std::move(free_.back());
    free_.pop_back();
    return taken;
  }
  void give_back(std::unique_ptr<packet> unused) { free_.push_back(std::move(unused)); }

  /// The network keeps it, and nobody else has it, until has_left().
  void leaves(std::unique_ptr<packet> taken) noexcept {
    ++on_their_way_;
    static_cast<void>(taken.release());
  }
  void has_left(packet& which) {
    free_.emplace_back(&which);
    --on_their_way_;
  }
  [[nodiscard]] std::size_t on_their_way() const noexcept { return on_their_way_; }

 private:
  static constexpr std::size_t most_on_their_way = 256;

  const std::size_t bytes_;
  std::vector<std::unique_ptr<packet>> free_;
  std::size_t on_their_way_ = 0;
};

}  // namespace pure::core
