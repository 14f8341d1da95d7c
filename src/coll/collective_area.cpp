#include "coll/collective_area.hpp"

#include "runtime/job.hpp"

namespace pure::core {

collective_area::collective_area(const communicator& on) : places_(static_cast<std::size_t>(on.size())) {
  const job& all = on.owner().owner();
  for (int q = 0; q < on.size(); ++q) {
    rank_context& context = all.at(on.number_of(q));
    places_[static_cast<std::size_t>(q)].context = &context;
    shares_cores_ |= context.how_to_wait().yields;
  }
}

}  // namespace pure::core
