// The three forms of a collective of mpi.h: `describe` is a member of described_collective, called with `arguments`.
// Own thread of the rank only.
#pragma once

#include <memory>
#include <utility>

#include "api/mpi/collective_arguments.hpp"
#include "api/mpi/door.hpp"
#include "coll/collective.hpp"
#include "coll/refused_calls.hpp"

namespace pure::core::mpi {

template <auto describe, class... Arguments>
void run_described(const call& by, communicator& on, Arguments... arguments) {
  collective_stage around(false);
  const collective_arguments what = counting_refusals(
      on, by, refused_form::at_once, [&] { return (described_collective(on, by, around).*describe)(arguments...); });
  around.before();
  run_collective(on, by, what);
  around.after();
}

template <auto describe, class... Arguments>
void start_described(const call& by, communicator& on, MPI_Request* request, Arguments... arguments) {
  auto around = std::make_unique<collective_stage>(true);
  const collective_arguments what = counting_refusals(on, by, refused_form::at_once, [&] {
    check_pointer(by, request, MPI_ERR_ARG, "request");
    return (described_collective(on, by, *around).*describe)(arguments...);
  });
  if (!around->is_used()) around.reset();
  *request = name_of(start_collective(on, by, what, std::move(around)));
}

template <auto describe, class... Arguments>
void prepare_described(const call& by, communicator& on, MPI_Request* request, Arguments... arguments) {
  auto around = std::make_unique<collective_stage>(true);
  const collective_arguments what = counting_refusals(on, by, refused_form::persistent, [&] {
    check_pointer(by, request, MPI_ERR_ARG, "request");
    return (described_collective(on, by, *around).*describe)(arguments...);
  });
  if (!around->is_used()) around.reset();
  *request = name_of(make_persistent_collective(on, by, what, std::move(around)));
}

}  // namespace pure::core::mpi
