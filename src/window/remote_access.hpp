// A rank's way to memory of its window that its process does not map: active messages to the process of the target. Its
// observer's way to that of the target's process, too.
//
// An operation leaves its bytes with the message and is done at the target some time later, in the order of the calls;
// a flush waits until it is. What brings something back writes into the program's memory when the answer comes, on the
// thread that polls the network then; a call that waits returns when it has.
//
// Belongs to the rank, on whose thread all is called but answer().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/call.hpp"
#include "layout/placed_message.hpp"
#include "runtime/other_processes.hpp"
#include "runtime/rank.hpp"
#include "window/combination.hpp"
#include "window/lock_note.hpp"
#include "window/place_in_part.hpp"
#include "window/rma_wire.hpp"
#include "window/window_lock.hpp"

namespace pure::core {

class window_end;
class window_group;

class remote_access;

/// Where an answer goes.
struct open_answer {
  remote_access* asked = nullptr;
  placed_message into;
  std::size_t first = 0;  // byte of the message
  std::size_t bytes = 0;
  std::string* text = nullptr;  // where the whole answer goes
};

/// What the process knows of its ranks' ways to others: who has asked for what (process_windows.hpp). Any rank.
class origin_requests {
 public:
  /// What that rank of the window, which is here, is told of refused operations by; null: by nothing.
  virtual void add_origin(window_group& of, int rank, remote_access* origin) noexcept = 0;
  /// Gives the request's number; not 0.
  [[nodiscard]] virtual std::uint64_t open_request(open_answer to) = 0;
  virtual void forget_requests_of(const remote_access& ended) noexcept = 0;

 protected:
  ~origin_requests() = default;
};

class remote_access {
 public:
  /// Messages to one process, and what they bring back, that have not been flushed: so that a rank cannot fill the
  /// memory with them. Who has sent more waits.
  static constexpr std::size_t most_unflushed_bytes = 1 << 20;

  remote_access(window_end& of, origin_requests& requests);
  remote_access(const remote_access&) = delete;
  remote_access& operator=(const remote_access&) = delete;
  /// Answers that come later are dropped.
  ~remote_access();

  void put(const call& by, const placed_message& what, const place_in_part& where);
  /// `waits`: returns when the bytes are there; otherwise after a flush they are.
  void get(const call& by, const placed_message& into, const place_in_part& where, bool waits);
  void accumulate(const call& by, const placed_message& what, const placed_message* before, const place_in_part& where,
                  const combination& how, bool waits);
  void compare_and_swap(const call& by, const void* expected, const void* desired, void* before,
                        const place_in_part& where, bool waits);

  /// The lock is this rank's when wait_for_lock() has returned.
  void lock(const call& by, int rank, lock_kind kind);
  void wait_for_lock(const call& by, int rank);
  /// Is done when wait() has returned, with all operations before it.
  void unlock(int rank, lock_kind kind);
  void notify(const call& by, int rank, int counter);
  /// Whether the rank will end the epoch in which its operations are by a call that completes them: what brings nothing
  /// back may leave with what follows it.
  void let_hold_back(bool may) noexcept { departs_ = may ? departs::with_next : departs::at_once; }
  /// Ends the epoch that the rank has posted to this one: it learns so when all operations before are done.
  void end_epoch(int rank);

  /// All operations on the memory of that rank's process, or of all, are done, or refused.
  void flush(const call& by, int rank);
  void flush_all(const call& by);
  /// Until everything that is to be answered has been; of that rank's process, or of all.
  void wait(const call& by, int rank);
  void wait_for_all(const call& by);
  /// Throws rma_range if an operation on the memory of that rank, or of any, was refused; once for each rank. By calls
  /// that have completed the operations, when they have done all else that they do: what they have to give back is
  /// given back, and no other rank waits for them.
  void throw_if_refused(const call& by, int rank);
  void throw_if_any_was_refused(const call& by);
  /// Moves the network on: something has become free here that others may want.
  void progress();

  /// A question of this rank's observer (window_observer.hpp) to that of the process of that rank, about such blocks
  /// there, or about none; and its answer, which lasts until the next one.
  const std::string& ask(const call& by, int rank, const rows_in_part& about, std::string_view question);
  /// Asks it without waiting; are_all_answered() says when it has been answered. `answered`: where the answer goes.
  void send_question(int rank, const rows_in_part& about, std::string_view question, std::string* answered = nullptr);
  [[nodiscard]] bool are_all_answered() const noexcept {
    // acquire: what has been written into this rank's memory; pairs with the release in answer()
    return open_.load(std::memory_order_acquire) == 0;
  }
  /// That rank is in another process.
  [[nodiscard]] bool is_elsewhere(int rank) const noexcept;
  /// A rank of the window for each of the other processes of its ranks.
  template <class Use>
  void for_each_process_elsewhere(Use use) const {
    for (const int rank : rank_at_) {
      if (rank >= 0 && is_elsewhere(rank)) use(rank);
    }
  }

  // ---- by who has the network lock ----

  using open_answer = core::open_answer;
  static void answer(const open_answer& to, std::span<const std::byte> data) noexcept;
  /// Of a request that is answered with a payload: it comes straight to where it shall lie, and has come.
  void payload_comes() noexcept { arriving_.fetch_add(1, std::memory_order_relaxed); }
  static void payload_has_come(const open_answer& to) noexcept;
  /// An operation on the memory of that rank that was not possible: throw_if_refused() says so.
  void refuse(int rank, std::uint64_t address, std::uint64_t bytes) noexcept;
  /// Who holds the lock that it has asked for.
  void note_holder(const lock_note::seen& who);

 private:
  [[nodiscard]] int process_of(int rank) const noexcept;
  [[nodiscard]] window_key key() const noexcept;
  [[nodiscard]] rma_ranks ranks_to(int rank) const noexcept;
  [[nodiscard]] std::uint64_t expect_answer(const placed_message& into, std::size_t first, std::size_t bytes);
  [[nodiscard]] std::uint64_t expect(open_answer answer);
  void wait_for_answers(const call& by, int rank, const char* for_what);
  void send(int rank, std::string bytes, departs when = departs::at_once);
  void send_uncounted(int process, std::string bytes);
  void ask_flush(int process);
  void keep_within_bounds(const call& by, int rank);
  [[nodiscard]] bool is_large(const placed_message& here, const place_in_part& there) const noexcept;
  void put_payload(const call& by, const placed_message& what, const place_in_part& where);

  /// The buffer of a large put, which its call lends.
  struct lent_buffer final : active_payload {
    explicit lent_buffer(rank_context& by) noexcept : owner(by) {}
    void has_moved() noexcept override {
      rank_context& lender = owner;
      is_back.store(true, std::memory_order_release);  // release: pairs with the acquire in put_payload()
      lender.notify();
    }
    rank_context& owner;
    std::atomic<bool> is_back{true};
  };

  window_end& of_;
  origin_requests& requests_;
  other_processes& others_;
  departs departs_ = departs::at_once;
  std::vector<std::size_t> unflushed_;  // bytes of operations since the last flush, by process
  std::vector<int> rank_at_;            // a rank of the window, by process; -1: none

  // --- written by who has the network lock ---
  std::atomic<int> open_{0};      // requests that have not been answered
  std::atomic<int> arriving_{0};  // payloads among their answers, from the first byte on
  lent_buffer lent_;
  std::string answer_to_question_;
  std::mutex noting_;  // for a moment; of what follows
  struct refusal {
    std::uint64_t address = 0, bytes = 0;  // the first one; no bytes: there is none
  };
  std::vector<refusal> refused_;  // by rank; empty where no operation can be refused
  std::atomic<int> refusing_{0};  // ranks that have refused some
};

}  // namespace pure::core
