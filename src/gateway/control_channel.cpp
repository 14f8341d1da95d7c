#include "gateway/control_channel.hpp"

namespace pure::core {

void control_channel::send(int process, std::string text, std::uint32_t handler, active_payload* with) {
  const std::lock_guard lock(guard_);
  unsent_.push_back({process, handler, std::move(text), with});
  has_unsent_.store(true, std::memory_order_relaxed);  // relaxed: leave_work() publishes it
}

std::vector<control_message> control_channel::take_arrived() {
  const std::lock_guard lock(guard_);
  return std::exchange(arrived_, {});
}

std::vector<active_payload*> control_channel::drop_unsent() {
  const std::lock_guard lock(guard_);
  std::vector<active_payload*> payloads;
  for (const message& each : unsent_) {
    if (each.with != nullptr) payloads.push_back(each.with);
  }
  unsent_.clear();
  done_of_first_ = 0;
  has_unsent_.store(false, std::memory_order_relaxed);
  return payloads;
}

std::optional<std::string_view> control_channel::assemble(int from, std::string_view bytes, std::size_t left) {
  const auto begun = unfinished_.find(from);
  if (begun == unfinished_.end()) {
    if (left == 0) return bytes;
    unfinished_.emplace(from, bytes);
    return {};
  }
  begun->second.append(bytes);
  if (left > 0) return {};
  whole_ = std::move(begun->second);
  unfinished_.erase(begun);
  return whole_;
}

bool control_channel::arrive(int from, std::string_view bytes, std::size_t left) {
  const std::optional<std::string_view> whole = assemble(from, bytes, left);
  if (whole.has_value()) arrive_whole(from, std::string(*whole));
  return whole.has_value();
}

void control_channel::arrive_whole(int from, std::string text) {
  const std::lock_guard lock(guard_);
  arrived_.push_back({from, std::move(text)});
}

void control_channel::add_open_accounts(open_accounts& to) {
  const std::lock_guard lock(guard_);
  to.add("control messages that have not left", unsent_.size());
  to.add("bytes of a control message that have left", done_of_first_);
  to.add("control messages that have come in part", unfinished_.size());
}

}  // namespace pure::core
