// The aggregations that one rank has: what drives them in its waits, and keeps their handlers apart. Own thread of the
// rank only.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "aggregation/aggregation.hpp"
#include "aggregation/process_aggregations.hpp"
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
  void note_open_accounts(aggregation& ended) noexcept;

  /// True while a handler of one of them runs.
  [[nodiscard]] bool is_in_handler() const noexcept { return is_in_handler_; }

  /// While it lives, the thread runs a handler: calls of Pure are errors.
  class handler_scope {
   public:
    explicit handler_scope(aggregation_table& of) noexcept;
    handler_scope(const handler_scope&) = delete;
    handler_scope& operator=(const handler_scope&) = delete;
    ~handler_scope();

   private:
    aggregation_table& of_;
  };

  bool advance() override;
  bool before_sleep() override;
  bool end_main() noexcept override;
  void add_leftovers(leftovers& to) override;

 private:
  std::shared_ptr<process_aggregations> spanning_;  // that of the process; lasts longer than its aggregations
  handle_table<std::unique_ptr<aggregation>> made_;
  std::vector<aggregation*> all_;
  rank_context& owner_;
  open_accounts left_open_;
  bool is_in_handler_ = false;
};

}  // namespace pure::core
