// Buffered sends of a rank: from its buffer, or from that of a communicator (MPI 4.1, 3.6).
#include <fmt/core.h>

#include <memory>
#include <string>

#include "match/checked_path.hpp"
#include "match/requests.hpp"

namespace pure::core {

namespace {

constexpr char buffered_message[] = "the receive of its buffered message by";

/// What is in a send buffer now, as a request (MPI 4.1, 3.6).
class buffer_flush final : public pending_operation {
 public:
  explicit buffer_flush(send_buffer& which) noexcept : which_(which), until_(which.kept_so_far()) {}

  bool poll() noexcept override {
    if (!which_.has_sent(until_)) which_.advance();
    return which_.has_sent(until_);
  }
  [[nodiscard]] wait_reason reason(const call& by) const noexcept override {
    const send_op& oldest = which_.oldest();
    return {by, buffered_message, oldest.to, oldest.who.tag, true};
  }

 private:
  send_buffer& which_;
  const std::uint64_t until_;
};

}  // namespace

void requests::send_buffered(const call& by, int to, const envelope& who, const void* data, std::size_t bytes) {
  send_buffer* const own = buffers_of_communicators_.empty() ? nullptr : find_buffer(who.context);
  send_buffer& buffer = own != nullptr && own->is_attached() ? *own : buffer_;
  std::uint32_t number = 0;
  if (message_checks* const checks = engine_.checks()) {
    checks->require_free(by, data, bytes, to, who.tag);
    if (engine_.try_send_checked(to, who, data, bytes, by)) return;
    number = checks->add_send(by);
  }
  if (buffer.send(to, who, data, bytes, number)) return;
  const std::string has = !buffer.is_attached()
                              ? "no buffer is attached"
                              : fmt::format("the attached buffer has {} bytes, of which {} are in use", buffer.size(),
                                            buffer.in_use());
  throw_wrong(
      by, errc::buffer,
      fmt::format("a message of {} bytes to rank {} needs {} bytes of buffer, but {}; attach a larger buffer, or "
                  "an automatic one",
                  bytes, to, bytes + send_buffer::overhead, has));
}

send_buffer* requests::find_buffer(std::uint32_t context) noexcept {
  for (const auto& [of, buffer] : buffers_of_communicators_) {
    if (of == context) return buffer.get();
  }
  return nullptr;
}

send_buffer& requests::buffer_of_communicator(std::uint32_t context) {
  if (send_buffer* const there = find_buffer(context)) return *there;
  return *buffers_of_communicators_.emplace_back(context, std::make_unique<send_buffer>(engine_)).second;
}

void requests::flush_buffer(const call& by, send_buffer& which) {
  wait_reason why{by, buffered_message};
  wait_until(engine_.self(), why, [&] {
    which.advance();
    if (which.all_sent()) return true;
    const send_op& oldest = which.oldest();
    why.turn_to({by, buffered_message, oldest.to, oldest.who.tag, true});
    return false;
  });
}

handle requests::start_flush(const call& by, send_buffer& which) {
  return adopt(by, std::make_unique<buffer_flush>(which));
}

}  // namespace pure::core
