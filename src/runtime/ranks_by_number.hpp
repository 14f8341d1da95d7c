// The ranks of a job by their numbers in it, and who is notified for each: a rank of this process, or the proxy of
// another one.
//
// Filled before the ranks run; from then on any thread may ask.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "runtime/proxy.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

class ranks_by_number {
 public:
  /// `ranks`: of all processes.
  explicit ranks_by_number(int ranks) : all_(static_cast<std::size_t>(ranks)) {}

  /// A rank of this process. It outlives this.
  void add(rank_context& here) noexcept { all_[index(here.number())] = {.here = &here, .reader = &here.thread()}; }
  /// Another process, which has these ranks.
  void add_process(int process, std::span<const int> ranks, doorbell& bell) {
    proxy& its = *proxies_.emplace_back(std::make_unique<proxy>(process, bell));
    for (const int rank : ranks) all_[index(rank)] = {.here = nullptr, .reader = &its};
  }

  /// A rank of this process.
  [[nodiscard]] rank_context& at(int number) const noexcept { return *all_[index(number)].here; }
  [[nodiscard]] notified& notified_for(int number) const noexcept { return *all_[index(number)].reader; }

 private:
  struct entry {
    rank_context* here = nullptr;  // null: it is in another process
    notified* reader = nullptr;
  };
  static constexpr std::size_t index(int number) noexcept { return static_cast<std::size_t>(number); }

  std::vector<entry> all_;
  std::vector<std::unique_ptr<proxy>> proxies_;
};

}  // namespace pure::core
