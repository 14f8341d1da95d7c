#include "gateway/control_channel.hpp"

namespace pure::core {

void control_channel::send(int process, std::string text) {
  const std::lock_guard lock(guard_);
  unsent_.emplace_back(process, std::move(text));
  has_unsent_.store(true, std::memory_order_relaxed);  // relaxed: leave_work() publishes it
}

std::vector<control_message> control_channel::take_arrived() {
  const std::lock_guard lock(guard_);
  return std::exchange(arrived_, {});
}

void control_channel::drop_unsent() {
  const std::lock_guard lock(guard_);
  unsent_.clear();
  done_of_first_ = 0;
  has_unsent_.store(false, std::memory_order_relaxed);
}

bool control_channel::arrive(int from, std::string_view bytes, std::size_t left) {
  std::string& whole = unfinished_[from];
  whole.append(bytes);
  if (left > 0) return false;
  arrive_whole(from, std::exchange(whole, {}));
  return true;
}

void control_channel::arrive_whole(int from, std::string text) {
  const std::lock_guard lock(guard_);
  arrived_.push_back({from, std::move(text)});
}

}  // namespace pure::core
