#include "match/send_buffers.hpp"

#include <fmt/core.h>

#include <string>

#include <pure/error.hpp>

#include "match/checked_path.hpp"
#include "match/message_checks.hpp"
#include "match/short_path.hpp"
#include "match/wait_kinds.hpp"
#include "runtime/call_error.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

namespace {

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
    return {by, receive_of_buffered_by, oldest.to, oldest.who.tag, true};
  }

 private:
  send_buffer& which_;
  const std::uint64_t until_;
};

}  // namespace

void send_buffers::send(const call& by, int to, const envelope& who, const void* data, std::size_t bytes) {
  send_buffer* const own = of_communicators_.empty() ? nullptr : find(who.context);
  send_buffer& buffer = own != nullptr && own->is_attached() ? *own : of_rank_;
  std::uint32_t number = 0;
  if (message_checks* const checks = engine_.checks()) {
    checks->require_free(by, data, bytes, to, who.tag);
    if (engine_.sender().try_send_checked(to, who, data, bytes, by)) return;
    number = checks->add_send(by);
  }
  if (buffer.send(to, who, data, bytes, number)) return;
  const std::string has = !buffer.is_attached()
                              ? "no buffer is attached"
                              : fmt::format("the attached buffer has {} bytes, of which {} are in use", buffer.size(),
                                            buffer.in_use());
  throw call_error(by, errc::buffer,
                   fmt::format("rank {}: a message of {} bytes to rank {} needs {} bytes of buffer, but {}; attach a "
                               "larger buffer, or an automatic one",
                               engine_.self().number(), bytes, to, bytes + send_buffer::overhead, has));
}

send_buffer* send_buffers::find(std::uint32_t context) noexcept {
  for (const auto& [of, buffer] : of_communicators_) {
    if (of == context) return buffer.get();
  }
  return nullptr;
}

send_buffer& send_buffers::of_communicator(std::uint32_t context) {
  if (send_buffer* const there = find(context)) return *there;
  return *of_communicators_.emplace_back(context, std::make_unique<send_buffer>(engine_.sender())).second;
}

void send_buffers::flush(const call& by, send_buffer& which) {
  wait_reason why{by, receive_of_buffered_by};
  wait_until(engine_.self(), why, [&] {
    which.advance();
    if (which.all_sent()) return true;
    const send_op& oldest = which.oldest();
    why.turn_to({by, receive_of_buffered_by, oldest.to, oldest.who.tag, true});
    return false;
  });
}

std::unique_ptr<pending_operation> send_buffers::pending_flush(send_buffer& which) {
  return std::make_unique<buffer_flush>(which);
}

bool send_buffers::advance() {
  bool moved = !of_rank_.all_sent() && of_rank_.advance();
  for (const auto& [context, buffer] : of_communicators_) moved |= !buffer->all_sent() && buffer->advance();
  return moved;
}

void send_buffers::add_contexts(std::vector<std::uint32_t>& to) const {
  of_rank_.add_contexts(to);
  for (const auto& [context, buffer] : of_communicators_) buffer->add_contexts(to);
}

}  // namespace pure::core
