// The memory of large messages of other processes, and the order of those whose bytes have not been asked for. By the
// holder of the network lock, release() excepted.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/pushed_list.hpp"
#include "gateway/announced_payload.hpp"
#include "gateway/foreseen_receive.hpp"

namespace pure::core {

/// `Payload`: an announced_payload or a foreseen_receive.
template <class Payload>
class payload_pool {
 public:
  /// A new one. Throws std::bad_alloc.
  Payload& get() {
    if (free_.empty()) take_released();
    if (free_.empty()) {
      if (free_.capacity() <= all_.size()) free_.reserve(2 * all_.size() + 1);
      return *all_.emplace_back(std::make_unique<Payload>());
    }
    Payload& next = *free_.back();
    free_.pop_back();
    return renewed(next);
  }
  void give_back(Payload& unused) noexcept {
    unused.become(Payload::stage::free);
    unused.kept.reset();
    free_.push_back(&unused);  // never allocates: get() has reserved room for all
  }
  /// The same, by its receiver.
  void release(Payload& received) noexcept {
    received.kept.reset();
    released_.push(received);
  }

  /// All payloads: those that are in use, and others, which are free, or their receivers'.
  [[nodiscard]] std::span<const std::unique_ptr<Payload>> all() const noexcept { return all_; }

 protected:
  static Payload& renewed(Payload& used) noexcept {
    std::destroy_at(&used);
    return *std::construct_at(&used);
  }

 private:
  void take_released() noexcept {
    Payload* next = released_.take_all();
    while (next != nullptr) give_back(*std::exchange(next, next->next_released));
  }

  std::vector<std::unique_ptr<Payload>> all_;
  std::vector<Payload*> free_;
  pushed_list<Payload, &Payload::next_released> released_;
};

class foreseen_pool : public payload_pool<foreseen_receive> {
 public:
  /// Another one for a stream's messages: `of_stream` again, if nobody has it any more. That one, null at first, stays
  /// the stream's; so the messages of a run make no way through the lists, which other threads use, too.
  foreseen_receive& get_again(foreseen_receive*& of_stream) {
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
  void give_back(foreseen_receive& unused) noexcept {
    if (!unused.is_kept_by_stream) return payload_pool::give_back(unused);
    unused.kept.reset();
    unused.is_released.store(true, std::memory_order_relaxed);
  }
  /// By its receiver.
  void release(foreseen_receive& received) noexcept {
    if (!received.is_kept_by_stream) return payload_pool::release(received);
    received.kept.reset();
    // release: the last that its receiver does with it; pairs with the acquire in get_again()
    received.is_released.store(true, std::memory_order_release);
  }
};

/// The payloads of one process whose receives have not been posted, in the order of their sending. Tags are given in
/// turn, so two of the same tag are far apart.
class unposted_payloads {
 public:
  /// The next that was sent.
  void add(announced_payload& next) noexcept {
    next.order = count_++;
    next.sent_before = last_;
    next.sent_after = nullptr;
    (last_ == nullptr ? first_ : last_->sent_after) = &next;
    last_ = &next;
  }
  void remove(announced_payload& one) noexcept {
    (one.sent_before == nullptr ? first_ : one.sent_before->sent_after) = one.sent_after;
    (one.sent_after == nullptr ? last_ : one.sent_after->sent_before) = one.sent_before;
  }
  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t count = 0;
    for (const announced_payload* each = first_; each != nullptr; each = each->sent_after) ++count;
    return count;
  }
  /// The one whose receive has to be posted first, if that of `wanted` shall be; of `tags` tags in all.
  [[nodiscard]] announced_payload& oldest_with_tag_of(announced_payload& wanted, std::uint64_t tags) const noexcept {
    if (wanted.order - first_->order < tags) return wanted;
    announced_payload* oldest = first_;
    while (oldest->tag != wanted.tag) oldest = oldest->sent_after;
    return *oldest;
  }

 private:
  announced_payload* first_ = nullptr;
  announced_payload* last_ = nullptr;
  std::uint64_t count_ = 0;
};

}  // namespace pure::core
