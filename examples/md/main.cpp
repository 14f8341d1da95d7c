// md: molecular dynamics, the example of a whole program. Every rank runs main; see README.md for how the parts fit.
#include <cstdio>
#include <exception>

#include "check_forces.hpp"
#include "failure.hpp"
#include "lattice.hpp"
#include "loops.hpp"
#include "messages.hpp"
#include "options.hpp"
#include "potential.hpp"
#include "potential_file.hpp"
#include "report.hpp"
#include "simulation.hpp"
#include "trajectory.hpp"

namespace {

int run(md::messages& job, int argc, char** argv) {
  md::options options;
  if (const auto status = md::parse(argc, argv, job.rank() == 0, options)) return *status;

  const md::loops loops(options.share);
  const auto potential = options.eam ? md::make_eam(md::read_funcfl(job, options.file)) : md::make_lennard_jones();
  md::check_size(options.atom_count(), job.size());
  md::simulation simulation(options, job, loops, *potential);
  if (options.check_forces > 0) {
    md::check_forces(options, job, simulation);
    return 0;
  }

  md::report report(options, job, *potential, loops, simulation);
  md::trajectory trajectory(options.xyz, job, simulation);
  report.line(0);
  trajectory.frame(0, 0);
  for (std::int64_t step = 1; step <= options.steps; ++step) {
    simulation.step();
    if (step % options.print_every == 0 || step == options.steps) {
      report.line(step);
      trajectory.frame(step, static_cast<double>(step) * options.dt_fs);
    } else {
      report.progress(step);
    }
  }
  report.summary();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  md::messages job(argc, argv);
  int status = 1;
  try {
    status = run(job, argc, argv);
  } catch (const md::failure& e) {
    status = 2;
    if (job.rank() == 0) std::fprintf(stderr, "md: %s\n", e.what());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "md: rank %d: %s\n", job.rank(), e.what());
    job.abort(1);
  }
  job.barrier();  // a rank that returns non-zero may end the job: not before rank 0 has said why
  return status;
}
