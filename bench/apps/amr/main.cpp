// amr: adaptive mesh refinement in the manner of miniAMR. README.md says what it does, --help which options it has.
#include <algorithm>
#include <cstdio>
#include <string>

#include "balance.hpp"
#include "checksum.hpp"
#include "exchange.hpp"
#include "refine.hpp"
#include "report.hpp"
#include "stencil_loops.hpp"

namespace amr {
namespace {

constexpr int bad_usage = 2;

int refused(const mesh& m, const std::string& why) {
  if (m.rank == 0) std::fprintf(stderr, "amr: %s\n", why.c_str());
  return bad_usage;
}

std::string too_large() {
  return "The mesh would have more than " + std::to_string(most_blocks) +
         " blocks: use fewer --levels or smaller objects.";
}

bool is_unbalanced(const mesh& m, double threshold_percent) {
  const block_counts c = count(m);
  return c.most * 1.0 * m.ranks > static_cast<double>(c.all) * (1 + threshold_percent / 100);
}

// The mesh for the objects where they start; without cells as yet.
bool make_mesh(mesh& m, const options& o) {
  make_roots(m, o);
  balance(m);
  refinement refined = refinement::done;
  for (int level = 0; level < o.levels && refined == refinement::done; ++level) {
    refined = refine_once(m, o.objects);
    if (o.balance != options::balancing::off) balance(m);
  }
  note_touched(m, o.objects);
  return refined != refinement::too_large;
}

long long cells_swept(const mesh& m, int times_if_touched) {
  long long result = 0;
  for (const block& b : m.blocks) result += b.touched ? times_if_touched : 1;
  return result * m.form.variables * m.form.cells * m.form.cells * m.form.cells;
}

// One step: stages on the mesh there is, then the mesh for the next step. False where that would be too large.
class simulation {
 public:
  simulation(mesh& m, const options& o) : m_(m), o_(o), objects_(o.objects) {
    faces_.plan(m_, std::min(o_.together, o_.variables));
  }

  bool step(int number) {
    for (int stage = 0; stage < o_.stages; ++stage) {
      for (int first = 0; first < o_.variables; first += o_.together) {
        const group g{first, std::min(o_.together, o_.variables - first)};
        const double in_mpi = faces_.seconds_in_mpi();
        watch_.time(phase::computing, [&] {
          faces_.run(m_, g);
          sweep_blocks(m_.blocks, m_.form, g, o_.work_in_objects);
        });
        watch_.reassign(phase::computing, phase::communicating, faces_.seconds_in_mpi() - in_mpi);
      }
      swept_ += cells_swept(m_, o_.work_in_objects);
    }
    watch_.end_step();
    refinement refined = refinement::none;
    watch_.time(phase::refining, [&] {
      for (object& one : objects_) move(one);
      note_touched(m_, objects_);
      if (o_.refine_every > 0 && number % o_.refine_every == 0) refined = refine_once(m_, objects_);
    });
    if (refined == refinement::done) {
      watch_.time(phase::balancing, [&] {
        if (o_.balance != options::balancing::on || !is_unbalanced(m_, o_.threshold_percent)) return;
        balance(m_);
        note_touched(m_, objects_);
      });
      watch_.time(phase::refining, [&] { faces_.plan(m_, std::min(o_.together, o_.variables)); });
    }
    return refined != refinement::too_large;
  }

  checksum check() {
    checksum result;
    watch_.time(phase::checking, [&] { result = take_checksum(m_); });
    return result;
  }

  [[nodiscard]] const stopwatch& watch() const { return watch_; }
  [[nodiscard]] totals all(double seconds) const {
    return {seconds, o_.steps, faces_.messages(), faces_.bytes(), swept_};
  }

 private:
  mesh& m_;
  const options& o_;
  std::vector<object> objects_;
  exchange faces_;
  stopwatch watch_;
  long long swept_ = 0;
};

int run(int argc, char** argv) {
  mesh m;
  m.comm = MPI_COMM_WORLD;
  MPI_Comm_rank(m.comm, &m.rank);
  MPI_Comm_size(m.comm, &m.ranks);
  const parsed_options parsed = parse(argc, argv);
  const options& o = parsed.wanted;
  if (parsed.help) {
    if (m.rank == 0) std::fputs(help_text, stdout);
    return 0;
  }
  if (!parsed.error.empty()) return refused(m, parsed.error);
  if (const std::string why = impossible(o, m.ranks); !why.empty()) return refused(m, why);
  if (m.rank == 0) {
    std::printf(
        "amr: %d x %d x %d root blocks of %d cells along an edge, %d variables, %d levels above, %d points, %d ranks\n",
        o.blocks[0], o.blocks[1], o.blocks[2], o.cells, o.variables, o.levels, o.points, m.ranks);
  }
  if (!make_mesh(m, o)) return refused(m, too_large());
  if (!memory_suffices(m)) return bad_usage;
  fill(m);

  simulation s(m, o);
  const checksum start = s.check();
  print_check(m, "at the start", start, start);
  table lines(m);
  MPI_Barrier(m.comm);
  const double began = MPI_Wtime();
  for (int step = 1; step <= o.steps; ++step) {
    if (!s.step(step)) return refused(m, too_large());
    if (o.checksum_every > 0 && step % o.checksum_every == 0) {
      print_check(m, ("after step " + std::to_string(step)).c_str(), s.check(), start);
    }
    if (o.report_every > 0 && step % o.report_every == 0) lines.line(m, s.watch(), step, MPI_Wtime() - began);
  }
  const double seconds = MPI_Wtime() - began;
  print_summary(m, s.watch(), s.all(seconds), start, s.check());
  return 0;
}

}  // namespace
}  // namespace amr

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);  // OpenMP's threads make no calls
  const int status = amr::run(argc, argv);
  MPI_Finalize();
  return status;
}
