#include "match/send_buffer.hpp"

#include <cstring>
#include <utility>

#include "match/short_path.hpp"

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
  if (engine_.try_send_now(to, who, data, bytes)) return true;
  if (!kept_.empty()) advance();
  const std::size_t left = size_ - in_use_;
  if (left < overhead || left - overhead < bytes) return false;
  auto kept = std::make_unique<message>();
  kept->copy = std::make_unique_for_overwrite<std::byte[]>(bytes);
  if (bytes > 0) std::memcpy(kept->copy.get(), data, bytes);
  kept->op.data = kept->copy.get();
  kept->op.bytes = bytes;
  kept->op.who = who;
  kept->op.to = to;
  kept->op.number = number;
  engine_.start(kept->op);
  if (engine_.test(kept->op)) return true;
  in_use_ += bytes + overhead;
  kept->number = ++kept_so_far_;
  kept_.push_back(std::move(kept));
  return true;
}

bool send_buffer::advance() {
  return std::erase_if(kept_, [&](const std::unique_ptr<message>& each) {
           if (!engine_.test(each->op)) return false;
           in_use_ -= each->op.bytes + overhead;
           return true;
         }) > 0;
}

}  // namespace pure::core
