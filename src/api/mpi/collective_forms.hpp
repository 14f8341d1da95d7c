// The three forms of a collective of mpi.h: `describe` is a member of described_collective, called with `arguments`.
#pragma once

#include "api/mpi/collective_arguments.hpp"
#include "api/mpi/door.hpp"
#include "objects/collective_forms.hpp"

namespace pure::core::mpi {

template <auto describe, class... Arguments>
void run_described(const call& by, communicator& on, Arguments... arguments) {
  core::run_described<describe>(on, by, arguments...);
}

template <auto describe, class... Arguments>
void start_described(const call& by, communicator& on, handle* request, Arguments... arguments) {
  *request = core::start_described<describe>(
      on, by, [&] { check_pointer(by, request, constants::err_arg, "request"); }, arguments...);
}

template <auto describe, class... Arguments>
void prepare_described(const call& by, communicator& on, handle* request, Arguments... arguments) {
  *request = core::prepare_described<describe>(
      on, by, [&] { check_pointer(by, request, constants::err_arg, "request"); }, arguments...);
}

}  // namespace pure::core::mpi
