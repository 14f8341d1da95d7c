// The table that chooses algorithms for the collectives of a rank: the one service of the rank for collectives, as
// those see it that only choose. What else there is to it is collective_service. Own thread of the rank only.
#pragma once

#include <memory>

#include "coll/tuning.hpp"
#include "runtime/rank.hpp"
#include "runtime/rank_service.hpp"

namespace pure::core {

class algorithm_table : public rank_service<algorithm_table, 3> {
 public:
  [[nodiscard]] const tuning& table() const noexcept { return *table_; }

 protected:
  /// The services of a job are made one after the other, that of rank 0 first: it reads the table for all.
  explicit algorithm_table(const rank_context& owner);

 private:
  const std::shared_ptr<const tuning> table_;  // the job's
};

}  // namespace pure::core
