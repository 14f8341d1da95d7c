#include "window/part_operations.hpp"

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/basic_types.hpp"
#include "coll/operators.hpp"
#include "window/element_operations.hpp"

namespace pure::core {

namespace {

/// A reduction by the name that all processes know (coll/operators.hpp).
bool find_by_identity(std::uint64_t identity, detail::reduction& found) noexcept {
  const auto op = static_cast<pure_op>(identity >> 32);
  const auto type = static_cast<pure_datatype>(identity & 0xffffffff);
  return size_of_type(type) != 0 && find_reduction(op, type, found);
}

bool is_in_part(const window_group::target& its, std::ptrdiff_t offset, std::size_t bytes) noexcept {
  const std::size_t there = its.bytes;
  return offset >= 0 && bytes <= there && static_cast<std::size_t>(offset) <= there - bytes;
}

/// Every block of the row.
bool is_in_part(const window_group::target& its, const block_row& row) noexcept {
  return is_in_part(its, row.offset_of(0), row.bytes) && is_in_part(its, row.offset_of(row.count - 1), row.bytes);
}

bool is_attached(const window_group::target& its, const block_row& row) noexcept {
  for (std::size_t block = 0; block < row.count; ++block) {
    if (!its.attached.contains(reinterpret_cast<const std::byte*>(row.offset_of(block)), row.bytes)) return false;
  }
  return true;
}

template <class Message>
std::size_t bytes_in_part(const Message& of) noexcept {
  if constexpr (rma::has_blocks<Message>) {
    return of.where.bytes;
  } else if constexpr (std::is_same_v<Message, rma_compare_swap>) {
    return of.element_bytes;
  } else {
    return of.bytes;
  }
}
template <class Message>
block_row first_row(const arrived_rma<Message>& of) noexcept {
  if constexpr (!rma::has_blocks<Message>) {
    return {of.what.offset, bytes_in_part(of.what), 0, 1, 0};
  } else {
    return of.rows.size() > 0 ? of.rows[0] : block_row{};
  }
}
template <class Message>
rma_request request_of(const Message& of) noexcept {
  if constexpr (requires { of.request; }) {
    return of.request;
  } else {
    return 0;
  }
}

}  // namespace

template <class Message>
bool part_operations::is_there(const window_group& of, const window_group::target& its,
                               const arrived_rma<Message>& message) noexcept {
  const auto is_row_there = [&](const block_row& row) {
    return of.flavor() == window_flavor::dynamic ? is_attached(its, row) : is_in_part(its, row);
  };
  if constexpr (!rma::has_blocks<Message>) return is_row_there(first_row(message));
  for (std::size_t i = 0; i < message.rows.size(); ++i) {
    if (!is_row_there(message.rows[i])) return false;
  }
  return true;
}

template <class Message>
part_operations::step part_operations::refuse(int from, const window_group& of, const window_group::target& its,
                                              const arrived_rma<Message>& message) {
  const part_end why = its.ended.load(std::memory_order_relaxed);
  if (of.flavor() != window_flavor::dynamic && why == part_end::none) return step::senseless;
  others_.send_active_message(from, window_messages,
                              packed(message.window, rma_refused{.ranks = message.what.ranks,
                                                                 .request = request_of(message.what),
                                                                 .offset = first_row(message).offset,
                                                                 .bytes = bytes_in_part(message.what),
                                                                 .why = why}));
  return step::done;
}

part_operations::step part_operations::act_on(int /*from*/, window_group& /*of*/, window_group::target& its,
                                              const arrived_rma<rma_put>& put, partly_done& /*so_far*/) {
  put.rows.for_each_block([&](std::ptrdiff_t offset, std::size_t first, std::size_t bytes) {
    std::memcpy(its.place_at(offset), put.data.data() + first, bytes);
  });
  return step::done;
}

part_operations::step part_operations::act_on(int from, window_group& /*of*/, window_group::target& its,
                                              const arrived_rma<rma_get>& get, partly_done& /*so_far*/) {
  others_.send_active_message(
      from, window_messages,
      packed(get.window, rma_answer{.request = get.what.request}, {}, get.what.where.bytes, [&](std::byte* to) {
        get.rows.for_each_block([&](std::ptrdiff_t offset, std::size_t first, std::size_t bytes) {
          std::memcpy(to + first, its.place_at(offset), bytes);
        });
      }));
  return step::done;
}

/// From `so_far` on.
part_operations::step part_operations::act_on(int from, window_group& of, window_group::target& its,
                                              const arrived_rma<rma_accumulate>& message, partly_done& so_far) {
  const rma_accumulate& what = message.what;
  const std::size_t element = what.element_bytes;
  combination how{.what = what.how, .how = {}, .element_bytes = element};
  if (how.what == combination::kind::combine && !find_by_identity(what.reduction, how.how)) return step::senseless;
  const elements each{how, alignment_for(element)};
  stripe_room of_origin, of_result;
  so_far.before.resize(what.request != 0 ? what.where.bytes : 0);
  bool is_held = false;
  message.rows.for_each_block([&](std::ptrdiff_t offset, std::size_t first, std::size_t bytes) {
    while (!is_held && so_far.bytes < first + bytes) {
      const std::size_t done = so_far.bytes - first;
      const element_piece now = first_piece(of, its, its.place_at(offset) + done, bytes - done, element);
      if (!message.data.empty()) std::memcpy(of_origin.bytes, message.data.data() + so_far.bytes, now.bytes);
      std::byte* const before = so_far.before.empty() ? nullptr : of_result.bytes;
      is_held = !accumulate_piece(tried_stripes(of, its), each, now, of_origin.bytes, before);
      if (is_held) return;
      if (before != nullptr) std::memcpy(so_far.before.data() + so_far.bytes, before, now.bytes);
      so_far.bytes += now.bytes;
    }
  });
  if (is_held) return step::held;
  if (what.request != 0) answer(from, message.window, what.request, so_far.before);
  return step::done;
}

part_operations::step part_operations::act_on(int from, window_group& of, window_group::target& its,
                                              const arrived_rma<rma_compare_swap>& message, partly_done& /*so_far*/) {
  const std::size_t bytes = message.what.element_bytes;
  const std::byte* const data = message.data.data();
  std::array<std::byte, largest_element> before{};
  const element_piece there = first_piece(of, its, its.place_at(message.what.offset), bytes, bytes);
  if (!swap_element(tried_stripes(of, its), there.place, there.offset, bytes, there.by_instruction, data, data + bytes,
                    before.data()))
    return step::held;
  answer(from, message.window, message.what.request, std::span(before).first(bytes));
  return step::done;
}

part_operations::step part_operations::act_on(int from, window_group& of, window_group::target& /*its*/,
                                              const arrived_rma<rma_lock>& wanted, partly_done& /*so_far*/) {
  locks_.lock(from, of, wanted);
  return step::done;
}

part_operations::step part_operations::act_on(int from, window_group& of, window_group::target& its,
                                              const arrived_rma<rma_unlock>& message, partly_done& /*so_far*/) {
  const lock_kind kind = message.what.how;
  if (kind == lock_kind::exclusive) its.control->holder.wipe();
  if (its.control->lock.unlock(kind)) of.wake_all();
  answer(from, message.window, message.what.request);
  return step::done;
}

part_operations::step part_operations::act_on(int from, window_group& /*of*/, window_group::target& /*its*/,
                                              const arrived_rma<rma_flush>& flush, partly_done& /*so_far*/) {
  answer(from, flush.window, flush.what.request);
  return step::done;
}

part_operations::step part_operations::act_on(int from, window_group& of, window_group::target& /*its*/,
                                              const arrived_rma<rma_question>& message, partly_done& /*so_far*/) {
  std::optional<std::string> told;
  if (group_observer* const its = of.observer()) told = its->answer_to(of, message);
  if (!told) return step::senseless;
  answer(from, message.window, message.what.request, std::as_bytes(std::span(*told)));
  return step::done;
}

part_operations::step part_operations::act_on(int /*from*/, window_group& /*of*/, window_group::target& its,
                                              const arrived_rma<rma_notify>& message, partly_done& /*so_far*/) {
  if (its.control->notified[message.what.counter].add()) its.owner->notify();
  return step::done;
}

part_operations::step part_operations::act_on(int /*from*/, window_group& /*of*/, window_group::target& its,
                                              const arrived_rma<rma_end_epoch>& /*message*/, partly_done& /*so_far*/) {
  if (its.control->ended_epochs.add()) its.owner->notify();
  return step::done;
}

part_operations::step part_operations::act_on(int from, window_group& /*of*/, window_group::target& its,
                                              const arrived_rma<rma_large_get>& get, partly_done& /*so_far*/) {
  const rma_large_get& what = get.what;
  std::byte* const place = its.place_at(what.offset);
  if (!payloads_.is_free(from, place, what.bytes, part_payloads::way::from_part)) return step::held;
  active_payload& payload = payloads_.add(from, its, place, what.bytes, part_payloads::way::from_part);
  others_.send_active_message(from, window_messages,
                              packed(get.window, rma_large_answer{.request = what.request, .bytes = what.bytes}),
                              &payload);
  return step::done;
}

void part_operations::keep_payload(int from, const rma_large_put& of, partly_done& so_far) {
  so_far.payload = std::make_unique<kept_payload>(of.bytes);
  others_.receive_payload(from, *so_far.payload);
}

/// Straight into the part, if that can be at once; else in its turn.
part_operations::step part_operations::put_payload(int from, window_group& of, window_group::target& its,
                                                   const arrived_rma<rma_large_put>& put, partly_done& so_far) {
  const std::size_t bytes = put.what.bytes;
  const bool has_place = is_there(of, its, put);
  std::byte* const place = its.place_at(put.what.offset);
  if (so_far.payload == nullptr) {
    if (has_place && payloads_.is_free(from, place, bytes, part_payloads::way::into_part)) {
      others_.receive_payload(from, payloads_.add(from, its, place, bytes, part_payloads::way::into_part));
      return step::done;
    }
    keep_payload(from, put.what, so_far);
  }
  if (!so_far.payload->is_here || payloads_.is_moving(from)) return step::held;
  if (!has_place) return refuse(from, of, its, put);
  std::memcpy(place, so_far.payload->data, bytes);
  return step::done;
}

template <class Message>
part_operations::step part_operations::act(int from, window_group& of, const arrived_rma<Message>& message,
                                           partly_done& so_far) {
  window_group::target& its = of.at(message.what.ranks.target);
  if constexpr (std::is_same_v<Message, rma_large_put>) {
    return put_payload(from, of, its, message, so_far);
  } else {
    if constexpr (!std::is_same_v<Message, rma_large_get>) {
      if (payloads_.is_moving(from)) return step::held;
    }
    if constexpr (rma::has_place<Message>) {
      if (!is_there(of, its, message)) return refuse(from, of, its, message);
    }
    return act_on(from, of, its, message, so_far);
  }
}

#define PURE_ACT(Message) \
  template part_operations::step part_operations::act(int, window_group&, const arrived_rma<Message>&, partly_done&)
PURE_ACT(rma_put);
PURE_ACT(rma_get);
PURE_ACT(rma_accumulate);
PURE_ACT(rma_compare_swap);
PURE_ACT(rma_lock);
PURE_ACT(rma_unlock);
PURE_ACT(rma_flush);
PURE_ACT(rma_notify);
PURE_ACT(rma_end_epoch);
PURE_ACT(rma_large_put);
PURE_ACT(rma_large_get);
PURE_ACT(rma_question);
#undef PURE_ACT

}  // namespace pure::core
