#include "match/message_checks.hpp"

#include <chrono>
#include <thread>

#include <fmt/core.h>

#include "match/remote_ranks.hpp"
#include "runtime/call_error.hpp"
#include "runtime/job.hpp"

namespace pure::core {

namespace {

/// "rank 3, tag 7"
std::string peer_text(int peer, int tag) {
  return fmt::format("{}, {}", peer == any_source ? "any rank" : fmt::format("rank {}", peer),
                     tag == any_tag ? "any tag" : fmt::format("tag {}", tag));
}

/// "a send to rank 3, tag 7"
std::string operation_text(bool is_receive, int peer, int tag) {
  return fmt::format("a {} {}", is_receive ? "receive from" : "send to", peer_text(peer, tag));
}

laid_out_source laid_out_of(const receive_sink* sink) noexcept {
  if (sink == nullptr || sink->form == nullptr) return {nullptr, nullptr};
  return {static_cast<const std::byte*>(sink->container), sink->form};
}

}  // namespace

std::string to_text(const char* operation, const site_of_call& site) {
  const std::string where = to_text(site);
  return where.empty() ? operation : fmt::format("{} at {}", operation, where);
}

std::string message_checks::sent_by(int sender, std::uint32_t number) const {
  const job& owner = self_.owner();
  const send_log* const log = owner.is_here(sender) ? &log_of_(owner.at(sender))
                                                    : remote_ranks::of(owner)->calls_of(sender);
  auto found = log != nullptr ? log->find(number) : std::nullopt;
  // The entry of a send may follow its message (add_send()), and its rank may have lost its core in between.
  for (int tries = 0; log != nullptr && !found && tries < 200; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    found = log->find(number);
  }
  if (found && found->operation != nullptr) return to_text(found->operation, found->site);
  return fmt::format("a call that is no longer known (its rank remembers its last {})", send_log::kept);
}

std::string message_checks::text_of(const call& by, const std::string& what) const {
  return text_of_error(by, fmt::format("rank {}: {}", self_.number(), what));
}

// ---- overlap ----

void message_checks::require_no_conflict(const call& by, const void* data, std::size_t bytes, bool writes, int peer,
                                         int tag) const {
  const pending_buffer* const other = pending_.conflict(data, bytes, writes);
  if (other == nullptr) return;
  throw Error(
      errc::buffer,
      text_of(by,
              fmt::format("the buffer of {}, overlaps that of {}, which is not complete: {} has started it; "
                          "complete that one first, or use another buffer",
                          operation_text(writes, peer, tag), operation_text(other->is_receive, other->peer, other->tag),
                          to_text(other->operation, other->site))),
      spelled_out(by.site));
}

// ---- content ----

void message_checks::hold(send_op& op, const call& by) {
  pending_buffer& held = pending_.add(&op, {.peer = op.to,
                                            .tag = op.who.tag,
                                            .begin = static_cast<const std::byte*>(op.data),
                                            .bytes = op.data == nullptr || op.form != nullptr ? 0 : op.bytes,
                                            .laid_out = {static_cast<const std::byte*>(op.data), op.form},
                                            .laid_out_bytes = op.bytes,
                                            .operation = by.operation,
                                            .site = by.site,
                                            .number = op.number});
  held.content = held.content_now();
  op.is_checked = true;
}

void message_checks::hold(receive_op& op, const call& by) {
  pending_buffer& held = pending_.add(&op, {.is_receive = true,
                                            .peer = op.from,
                                            .tag = op.tag,
                                            .begin = static_cast<const std::byte*>(op.buffer),
                                            .bytes = op.capacity,
                                            .laid_out = laid_out_of(op.sink),
                                            .laid_out_bytes = op.sink != nullptr ? op.sink->capacity : 0,
                                            .operation = by.operation,
                                            .site = by.site});
  held.content = held.content_now();
  op.is_checked = true;
}

void message_checks::request_is_delivered(receive_op& op, int sender, int tag, std::uint32_t number) {
  pending_buffer* const held = pending_.find(&op);
  if (held == nullptr) return;
  held->is_delivered = true;
  held->is_changed = held->content_now() != held->content;
  held->peer = held->sender = sender;
  held->tag = tag;
  held->number = number;
}

std::string message_checks::change(const pending_buffer& of, const call& by) const {
  const std::string counterpart = of.is_delivered
                                      ? fmt::format("; {} has sent the message", sent_by(of.sender, of.number))
                                      : "";
  return text_of(by,
                 fmt::format("the buffer of {}, was changed before the {} was complete: {} has started it, and only "
                             "this call completes it{}; leave the buffer alone until then",
                             operation_text(of.is_receive, of.peer, of.tag), of.is_receive ? "receive" : "send",
                             to_text(of.operation, of.site), counterpart));
}

std::optional<Error> message_checks::end(send_op& op, const call& by) {
  std::optional<Error> wrong;
  if (const pending_buffer* const held = pending_.find(&op)) {
    if (held->content_now() != held->content) wrong.emplace(errc::buffer, change(*held, by), spelled_out(by.site));
  }
  forget(op);
  return wrong;
}

std::optional<Error> message_checks::end(receive_op& op, const call& by) {
  std::optional<Error> wrong;
  if (const pending_buffer* const held = pending_.find(&op)) {
    const element_type received = element_type::received(held->site.types);
    if (held->is_changed || held->content_now() != held->content) {
      wrong.emplace(errc::buffer, change(*held, by), spelled_out(by.site));
    } else if (held->is_delivered && op.result.bytes != 0 && !types_match(send_log::type_of(held->number), received)) {
      wrong.emplace(
          errc::type,
          mismatch(by, to_text(held->operation, held->site), held->site.types, held->sender, held->tag, held->number),
          spelled_out(by.site));
    }
  }
  forget(op);
  return wrong;
}

// ---- types ----

std::string message_checks::mismatch(const call& by, const std::string& receive, unsigned types, int sender, int tag,
                                     std::uint32_t number) const {
  const std::string sent = to_text(send_log::type_of(number));
  const std::string received = to_text(element_type::received(types));
  return text_of(by, fmt::format("type mismatch: the message from {}, was sent as {} by {}, and is received as {} by "
                                 "{}; use the same type at both ends",
                                 peer_text(sender, tag), sent, sent_by(sender, number),
                                 sent == received ? "another class" : received, receive));
}

}  // namespace pure::core
