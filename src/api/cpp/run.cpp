// The library side of pure::run, and what a comm asks for when it is made (pure/detail/library.hpp).
#include <fmt/core.h>

#include <exception>

#include <pure/detail/library.hpp>
#include <pure/error.hpp>

#include "api/cpp/boundary.hpp"
#include "base/settings.hpp"
#include "comm/communicator_table.hpp"
#include "objects/rank_objects.hpp"
#include "runtime/last_output.hpp"
#include "start/launch.hpp"
#include "start/processes.hpp"
#include "start/services.hpp"

namespace pure::detail {

using core::communicator;

int pure_cxx_rank_of(const communicator* on) noexcept { return on->rank(); }

communicator* pure_cxx_world_of(communicator* on) noexcept {
  return &core::communicator_table::of(on->owner()).world();
}

int pure_cxx_size_of(const communicator* on) noexcept { return on->size(); }

namespace {

core::outcome run_plan(int ranks, const rank_function& program) {
  const core::launch_plan plan{.values = core::read_settings(), .ranks = ranks};
  return core::run_ranks_of_all_processes(plan, core::attach_services, [=](core::rank_context& self) {
    core::rank_objects::of(self).throw_in_program = program.throw_failure;
    return program.body(program.context, core::communicator_table::of(self).world());
  });
}

int status_or_throw(const core::outcome& end) {
  if (end.failure != nullptr) std::rethrow_exception(end.failure);
  return end.status;
}

}  // namespace

failure* pure_cxx_run_ranks(int ranks, const rank_function* program, int* status) {
  return at_boundary([&] {
    if (ranks < 1) throw Error(errc::argument, fmt::format("pure::run: {} ranks: a job has at least one", ranks));
    *status = status_or_throw(run_plan(ranks, *program));
  });
}

failure* pure_cxx_run_settings_ranks(const rank_function* program, int* status) {
  return at_boundary([&] { *status = status_or_throw(run_plan(0, *program)); });
}

failure* pure_cxx_run_ranks_of_main(const rank_function* program, int* status) {
  return at_boundary([&] {
    try {
      const core::outcome end = run_plan(0, *program);
      if (!end.failure_text.empty()) core::print_message(end.failure_text);
      *status = end.status;
    } catch (const Error& impossible) {
      core::print_message(impossible.what());
      *status = 1;
    }
  });
}

}  // namespace pure::detail
