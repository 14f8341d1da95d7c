// The call sites of a rank's last sends, by the number that travels with each message (PURE_CHECK).
//
//   bit 31..20              19..0
//   type of the elements    how many sends before
//
// The sender writes, any rank reads, and only to report. A message may outlive its entry: then its site is not known.
// For senders of other processes the gateway keeps logs of what has come from them (gateway/gateway.hpp).
//
// Invariant: an entry whose count is read the same before and after its fields has the fields of that send.
// Modelled by tests/model/send_log.pml.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>

#include "base/call.hpp"
#include "match/element_types.hpp"

namespace pure::core {

class send_log {
 public:
  static constexpr std::uint32_t kept = 1U << 16;

  send_log() : memory_(std::calloc(kept + 1, sizeof(entry))) {
    void* first = memory_.get();
    std::size_t room = (kept + 1) * sizeof(entry);
    if (first == nullptr) throw std::bad_alloc();
    entries_ = static_cast<entry*>(std::align(sizeof(entry), kept * sizeof(entry), first, room));
  }

  /// The number of the rank's next message, sent by `by`. Own thread.
  std::uint32_t add(const call& by) noexcept {
    const std::uint32_t count = ++count_;
    write(entries_[count % kept], count, by);
    return name_of(count, by);
  }
  /// In a log of another process's rank: what it knows of the message of that number. One thread at a time.
  void copy(std::uint32_t number, const call& by) noexcept {
    constexpr std::uint32_t not_none = count_mask + 1;  // 0 is no send's
    write(entries_[number % kept], (number & count_mask) | not_none, by);
  }
  /// What add() will return.
  [[nodiscard]] std::uint32_t next(const call& by) const noexcept { return name_of(count_ + 1, by); }

  /// Fetches the line of the next entry, which would else hold up the stores of the next message.
  void prepare_next() const noexcept { __builtin_prefetch(entries_ + (count_ + 1) % kept, 1); }

  struct sender {
    const char* operation;
    site_of_call site;
  };

  /// The call that sent the message of that number, if it is still known. Any thread that has the message.
  [[nodiscard]] std::optional<sender> find(std::uint32_t number) const noexcept {
    const entry& at = entries_[number % kept];
    const std::uint32_t count = at.count.load(
        std::memory_order_acquire);  // acquire: pairs with the last store of add()
    // acquire: whoever reads a later send's field reads its count, too; pairs with the releases of the fields in add()
    const sender found{at.operation.load(std::memory_order_acquire),
                       {at.where.load(std::memory_order_acquire), at.line.load(std::memory_order_acquire)}};
    const bool is_whole = at.count.load(std::memory_order_relaxed) == count;
    if (!is_whole || count == 0 || ((count ^ number) & count_mask) != 0) return std::nullopt;
    return found;
  }

  [[nodiscard]] static element_type type_of(std::uint32_t number) noexcept { return {number >> count_bits}; }

 private:
  static constexpr unsigned count_bits = 32 - element_type::bits;
  static constexpr std::uint32_t count_mask = (1U << count_bits) - 1;

  static std::uint32_t name_of(std::uint32_t count, const call& by) noexcept {
    return (count & count_mask) | (element_type::sent(by.site.types).code << count_bits);
  }

  struct alignas(32) entry {  // half a cache line, so that a send writes one
    std::atomic<std::uint32_t> count;
    std::atomic<std::uint32_t> line;
    std::atomic<const char*> operation;
    std::atomic<const void*> where;
  };
  static void write(entry& at, std::uint32_t count, const call& by) noexcept {
    at.count.store(0, std::memory_order_relaxed);  // no send's; seen before the fields of the next are
    const auto order = std::memory_order_release;  // release: the count above; pairs with the fields' loads in find()
    at.operation.store(by.operation, order);
    at.where.store(by.site.where, order);
    at.line.store(by.site.line, order);
    at.count.store(count, order);  // release: the fields; pairs with the first load in find()
  }
  struct release {
    void operator()(void* memory) const noexcept { std::free(memory); }
  };

  std::unique_ptr<void, release> memory_;  // zero pages until they are written
  entry* entries_ = nullptr;
  std::uint32_t count_ = 0;
};

}  // namespace pure::core
