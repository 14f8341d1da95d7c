// The aggregations that one rank has: what drives them in its waits, and keeps their handlers apart. Own thread of the
// rank only.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "aggregation/aggregation.hpp"
#include "aggregation/handler_scope.hpp"
#include "aggregation/process_aggregations.hpp"
#include "base/open_accounts.hpp"
#include "match/handle_table.hpp"
#include "runtime/rank.hpp"
#include "runtime/rank_service.hpp"

namespace pure::core {

class aggregation_table final : public rank_service<aggregation_table, 5> {
 public:
  explicit aggregation_table(rank_context& owner);

  /// Null if there is no aggregation of that handle.
  [[nodiscard]] aggregation* find(std::uint64_t name) noexcept;
  /// Takes one of the references of `part`, whatever happens.
  aggregation& add(aggregation_part& part, int index);
  void remove(const aggregation& unused) noexcept;

  /// Of a job of several processes.
  [[nodiscard]] process_aggregations& of_all_processes() const noexcept { return *spanning_; }

  /// What those that have ended had counted and not got back when they did: nothing.
  [[nodiscard]] const open_accounts& left_open() const noexcept { return left_open_; }

  /// True while a handler of one of them runs.
  [[nodiscard]] bool is_in_handler() const noexcept { return handlers_.is_in_handler(); }

  bool advance() override;
  bool before_sleep() override;
  bool end_main() noexcept override;
  void add_leftovers(leftovers& to) override;

 private:
  std::shared_ptr<process_aggregations> spanning_;  // that of the process; lasts longer than its aggregations
  open_accounts left_open_;
  handler_state handlers_;
  handle_table<std::unique_ptr<aggregation>> made_;
  std::vector<aggregation*> all_;
  rank_context& owner_;
};

}  // namespace pure::core
