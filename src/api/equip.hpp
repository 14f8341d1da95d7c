// What every rank gets: the services of the upper layers, in the order in which they need each other.
#pragma once

#include "runtime/rank.hpp"

namespace pure::core {

void equip(rank_context& self);

}  // namespace pure::core
