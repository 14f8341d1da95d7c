// A communicator as one rank sees it: a context, who its ranks are, and which of them this one is (MPI 4.1, 7.2.2).
//
// Belongs to the rank, on whose thread everything here is called; the members of a communicator each have their own
// object, and share a communicator_group. Constant after it is made, but for its name and its end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/cache_line.hpp"
#include "comm/communicator_group.hpp"
#include "match/match_engine.hpp"
#include "match/requests.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

class alignas(line_bytes) communicator {  // what a message needs is in the first line
 public:
  /// `rank` is the owner's in `shared`, one of whose references this takes. `handle`: its name in the owner's table.
  communicator(rank_context& owner, communicator_group& shared, int rank, std::string name, std::uint64_t handle = 0)
      : owner_(&owner),
        sender_(&match_engine::of(owner).sender()),
        receiver_(&match_engine::of(owner).receiver()),
        requests_(&core::requests::of(owner)),
        numbers_(shared.numbers()),
        context_(shared.context(traffic::user)),
        rank_(rank),
        size_(shared.size()),
        shared_(&shared),
        engine_(&match_engine::of(owner)),
        handle_(handle),
        name_(std::move(name)) {}
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;
  ~communicator() { retire(); }

  [[nodiscard]] rank_context& owner() const noexcept { return *owner_; }
  [[nodiscard]] message_sender& sender() const noexcept { return *sender_; }
  [[nodiscard]] message_receiver& receiver() const noexcept { return *receiver_; }
  [[nodiscard]] core::requests& requests() const noexcept { return *requests_; }
  [[nodiscard]] std::uint32_t context() const noexcept { return context_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }

  /// The number in the job of a rank of this communicator; 0 <= rank < size().
  [[nodiscard]] int number_of(int rank) const noexcept { return numbers_ == nullptr ? rank : numbers_[rank]; }

  // ---- off the short path ----

  [[nodiscard]] match_engine& engine() const noexcept { return *engine_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  void rename(std::string name) { name_ = std::move(name); }
  [[nodiscard]] std::uint64_t handle() const noexcept { return handle_; }

  /// What its ranks share. While it is in use.
  [[nodiscard]] communicator_group& shared() const noexcept { return *shared_; }

  /// What the layer above keeps for this rank; null at first. Destroyed before the rank's reference to shared() goes,
  /// while the rank's messages and requests still work.
  [[nodiscard]] std::unique_ptr<upper_part>& upper() noexcept { return upper_; }

  // ---- its end (MPI 4.1, 7.4.3): freed by the program, it lasts as long as operations need it ----

  /// An operation or a persistent request needs what the ranks share, also after free(), until it lets go.
  void hold() noexcept { ++holds_; }
  void let_go() noexcept {
    if (--holds_ == 0 && is_freed_) retire();
  }
  /// The program makes no new operations on it.
  void free() noexcept {
    is_freed_ = true;
    if (holds_ == 0) retire();
  }
  [[nodiscard]] bool is_freed() const noexcept { return is_freed_; }
  /// False once nothing needs it: only its rank, size and name remain, for errors of those who still name it.
  [[nodiscard]] bool is_in_use() const noexcept { return shared_ != nullptr; }

 private:
  /// Gives up what it shares.
  void retire() noexcept {
    if (shared_ == nullptr) return;
    upper_.reset();
    numbers_ = nullptr;
    std::exchange(shared_, nullptr)->release();
  }

  rank_context* owner_;
  message_sender* sender_;
  message_receiver* receiver_;
  core::requests* requests_;
  const int* numbers_;  // null: every rank has its number in the job
  std::uint32_t context_;
  int rank_;
  int size_;
  communicator_group* shared_;  // null: retired
  match_engine* engine_;
  std::unique_ptr<upper_part> upper_;
  std::uint64_t handle_;
  std::string name_;
  int holds_ = 0;
  bool is_freed_ = false;
};

}  // namespace pure::core
