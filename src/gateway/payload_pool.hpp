// Large messages of other processes: their memory, and the order of those whose bytes have not been asked for. By the
// holder of the network's turn, release() excepted.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/pushed_list.hpp"
#include "gateway/remote_payload.hpp"

namespace pure::core {

class payload_pool {
 public:
  /// A new one. Throws std::bad_alloc.
  remote_payload& get() {
    if (free_.empty()) take_released();
    if (free_.empty()) {
      if (free_.capacity() <= all_.size()) free_.reserve(2 * all_.size() + 1);
      return *all_.emplace_back(std::make_unique<remote_payload>());
    }
    remote_payload& next = *free_.back();
    free_.pop_back();
    return renewed(next);
  }
  /// Another one for a stream's messages: `of_stream` again, if nobody has it any more. That one, null at first, stays
  /// the stream's; so the messages of a run make no way through the lists, which other threads use, too.
  remote_payload& get_again(remote_payload*& of_stream) {
    if (of_stream == nullptr) {
      of_stream = &get();
    } else if (of_stream->is_released.load(std::memory_order_acquire)) {  // acquire: pairs with release()
      renewed(*of_stream);
    } else {
      return get();
    }
    of_stream->is_kept_by_stream = true;
    return *of_stream;
  }
  void give_back(remote_payload& unused) noexcept {
    unused.is_unreceived = false;
    unused.kept.reset();
    if (unused.is_kept_by_stream) {
      unused.is_released.store(true, std::memory_order_relaxed);
    } else {
      free_.push_back(&unused);  // never allocates: get() has reserved room for all
    }
  }
  /// The same, by any thread.
  void release(remote_payload& received) noexcept {
    received.kept.reset();
    if (received.is_kept_by_stream) {
      // release: the last that its receiver does with it; pairs with the acquire in get_again()
      received.is_released.store(true, std::memory_order_release);
    } else {
      released_.push(received);
    }
  }

  /// Those that are in use, and others, of which is_unreceived is false.
  [[nodiscard]] std::span<const std::unique_ptr<remote_payload>> all() const noexcept { return all_; }

 private:
  static remote_payload& renewed(remote_payload& used) noexcept {
    std::destroy_at(&used);
    return *std::construct_at(&used);
  }
  void take_released() noexcept {
    remote_payload* next = released_.take_all();
    while (next != nullptr) give_back(*std::exchange(next, next->next_released));
  }

  std::vector<std::unique_ptr<remote_payload>> all_;
  std::vector<remote_payload*> free_;
  pushed_list<remote_payload, &remote_payload::next_released> released_;
};

/// Those of one process whose receives have not been posted, in the order of their sending. Tags are given in turn, so
/// two of the same tag are far apart.
class unposted_payloads {
 public:
  /// The next that was sent.
  void add(remote_payload& next) noexcept {
    next.order = count_++;
    next.sent_before = last_;
    next.sent_after = nullptr;
    (last_ == nullptr ? first_ : last_->sent_after) = &next;
    last_ = &next;
  }
  void remove(remote_payload& one) noexcept {
    (one.sent_before == nullptr ? first_ : one.sent_before->sent_after) = one.sent_after;
    (one.sent_after == nullptr ? last_ : one.sent_after->sent_before) = one.sent_before;
  }
  /// The one whose receive has to be posted first, if that of `wanted` shall be; of `tags` tags in all.
  [[nodiscard]] remote_payload& oldest_with_tag_of(remote_payload& wanted, std::uint64_t tags) const noexcept {
    if (wanted.order - first_->order < tags) return wanted;
    remote_payload* oldest = first_;
    while (oldest->tag != wanted.tag) oldest = oldest->sent_after;
    return *oldest;
  }

 private:
  remote_payload* first_ = nullptr;
  remote_payload* last_ = nullptr;
  std::uint64_t count_ = 0;
};

}  // namespace pure::core
