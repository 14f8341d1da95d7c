// A communicator as one rank sees it: a context, who its ranks are, and which of them this one is (MPI 4.1, 7.2.2).
//
// Constant after it is made. Belongs to the rank; the members of a communicator each have their own object.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "match/match_engine.hpp"
#include "match/requests.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

class communicator {
 public:
  /// `members[i]` is the number in the job of rank i; empty: every rank of the job, under its own number.
  communicator(rank_context& owner, std::uint32_t context, std::string name, std::vector<int> members)
      : owner_(&owner),
        engine_(&match_engine::of(owner)),
        requests_(&core::requests::of(owner)),
        members_(std::move(members)),
        name_(std::move(name)),
        context_(context) {
    if (members_.empty()) {
      rank_ = owner.number();
      size_ = owner.owner().size();
    } else {
      size_ = static_cast<int>(members_.size());
      for (int i = 0; i < size_; ++i) rank_ = members_[static_cast<std::size_t>(i)] == owner.number() ? i : rank_;
    }
  }

  [[nodiscard]] rank_context& owner() const noexcept { return *owner_; }
  [[nodiscard]] match_engine& engine() const noexcept { return *engine_; }
  [[nodiscard]] core::requests& requests() const noexcept { return *requests_; }
  [[nodiscard]] std::uint32_t context() const noexcept { return context_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// The number in the job of a rank of this communicator; 0 <= rank < size().
  [[nodiscard]] int number_of(int rank) const noexcept {
    return members_.empty() ? rank : members_[static_cast<std::size_t>(rank)];
  }

 private:
  rank_context* owner_;
  match_engine* engine_;
  core::requests* requests_;
  std::vector<int> members_;
  std::string name_;
  std::uint32_t context_;
  int rank_ = -1;
  int size_ = 0;
};

}  // namespace pure::core
