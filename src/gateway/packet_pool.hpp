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
  static constexpr std::size_t most_on_their_way = 256;

  /// `bytes`: of each.
  explicit packet_pool(std::size_t bytes) : bytes_(bytes) { on_their_way_.reserve(most_on_their_way); }

  /// One that is free, and stays so; null if too many are on their way: then messages wait in their ranks' rings.
  [[nodiscard]] packet* first() {
    if (on_their_way() >= most_on_their_way) return nullptr;
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

  /// The network uses it until has_left().
  void leaves(std::unique_ptr<packet> taken) {
    taken->place = on_their_way_.size();
    on_their_way_.push_back(std::move(taken));
  }
  void has_left(packet& which) {
    std::unique_ptr<packet>& its = on_their_way_[which.place];
    free_.push_back(std::move(its));
    its = std::move(on_their_way_.back());
    on_their_way_.pop_back();
    if (which.place < on_their_way_.size()) its->place = which.place;
  }
  [[nodiscard]] std::size_t on_their_way() const noexcept { return on_their_way_.size(); }

 private:


  const std::size_t bytes_;
  std::vector<std::unique_ptr<packet>> free_;
  std::vector<std::unique_ptr<packet>> on_their_way_;
};

}  // namespace pure::core
