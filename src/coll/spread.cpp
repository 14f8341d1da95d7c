#include "coll/spread.hpp"

namespace pure::core {

spread::spread(communicator& on, const process_parts& of_all) : all(of_all) {
  here = std::make_unique<communicator>(on.owner(), *on.shared().part_here(), index_of(on.rank()), on.name());
}

}  // namespace pure::core
