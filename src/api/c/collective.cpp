#include "api/c/collective.hpp"

#include "objects/collective_call_definitions.hpp"

namespace pure::core {

template class collective_call<c_words>;

}  // namespace pure::core
