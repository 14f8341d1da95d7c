#include "match/send_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "match/short_send.hpp"

namespace pure::core {

void send_buffer::attach(void* memory, std::size_t size) noexcept {
  is_attached_ = true;
  memory_ = memory;
  size_ = size;
}

void send_buffer::attach_automatic() noexcept { attach(nullptr, std::numeric_limits<std::size_t>::max()); }

void send_buffer::detach() noexcept {
  is_attached_ = false;
  memory_ = nullptr;
  size_ = 0;
}

bool send_buffer::send(int to, const envelope& who, const void* data, std::size_t bytes, std::uint32_t number) {
  if (sender_.try_send_now(to, who, data, bytes)) return true;
  if (!kept_.empty()) advance();
  for (place at = kept_.begin(); at != kept_.end() && !has_room_for(bytes);) end_if_sent(at++);
  if (!has_room_for(bytes)) return false;
  std::list<message> one(1);
  message& kept = one.front();
  kept.copy = std::make_unique_for_overwrite<std::byte[]>(bytes);
  if (bytes > 0) std::memcpy(kept.copy.get(), data, bytes);
  kept.op.data = kept.copy.get();
  kept.op.bytes = bytes;
  kept.op.who = who;
  kept.op.to = to;
  kept.op.number = number;
  sender_.start(kept.op);
  if (sender_.test(kept.op)) return true;
  in_use_ += bytes + overhead;
  kept.number = ++kept_so_far_;
  kept_.splice(kept_.end(), one);
  return true;
}

bool send_buffer::end_if_sent(place which) {
  if (!sender_.test(which->op)) return false;
  in_use_ -= which->op.bytes + overhead;
  if (which == next_) ++next_;
  kept_.erase(which);
  return true;
}

bool send_buffer::advance() {
  constexpr std::size_t most = 16;
  bool any = false;
  while (!kept_.empty() && end_if_sent(kept_.begin())) any = true;  // a flush waits for the oldest
  for (std::size_t left = std::min(kept_.size(), most); left > 0 && !kept_.empty(); --left) {
    if (next_ == kept_.end()) next_ = kept_.begin();
    const place at = next_++;
    any |= end_if_sent(at);
  }
  return any;
}

}  // namespace pure::core
