#include "coll/collective_area.hpp"

#include "runtime/job.hpp"

namespace pure::core {

collective_area::collective_area(const communicator& on) : places_(static_cast<std::size_t>(on.size())) {
  const job& all = on.owner().owner();
  for (int q = 0; q < on.size(); ++q) {
    const int number = on.number_of(q);
    places_[static_cast<std::size_t>(q)].reader = &all.notified_for(number);
    if (all.is_here(number)) shares_cores_ |= all.at(number).thread().how_to_wait().yields;
  }
}

}  // namespace pure::core
