// The oracle's random programs on ranks in several processes: oracle FIRST_SEED PROGRAMS
//
// The same programs, steps and checks as in tests/stress/oracle_test.cpp. Programs of more ranks than the job has are
// left out; the others run on the first ranks. Outcomes are judged by rank 0.
#include <pure.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/core.h>

#include "support/oracle/c_runner.hpp"
#include "support/oracle/generate.hpp"
#include "support/oracle/model.hpp"
#include "support/oracle/pure_h_door.hpp"

namespace {

using namespace oracle;

/// The processes are those of one machine, and their clock its clock.
class process_run final : public rank_runner::shared {
 public:
  process_run(const program& of, pure_comm world) : shared(of), world_(world) {}
  void meet() override { pure_barrier(world_); }
  std::uint64_t tick() noexcept override {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }

 private:
  pure_comm world_;
};

/// An outcome as bytes. Each is written by one rank and zero elsewhere, so that `or` puts them together.
struct flat_outcome {
  std::uint64_t bytes, began;
  int complete, source, tag, from_message;
  char complaint[224];
};
static_assert(std::is_trivially_copyable_v<flat_outcome>);

template <class T>
std::vector<T> put_together(const std::vector<T>& mine) {
  std::vector<T> all(mine.size());
  const auto bytes = static_cast<std::int64_t>(mine.size() * sizeof(T));
  pure_reduce(mine.data(), all.data(), bytes, PURE_BYTE, PURE_BOR, 0, PURE_COMM_WORLD);
  return all;
}

std::vector<outcome> put_together(const program& p, const std::vector<outcome>& mine, int rank) {
  std::vector<flat_outcome> flat(mine.size());
  for (std::size_t r = 0; r < mine.size(); ++r) {
    if (p.receives[r].at != rank) continue;
    const outcome& o = mine[r];
    flat[r] = {o.bytes, o.began, o.complete ? 1 : 0, o.source, o.tag, o.from_message, {}};
    std::strncpy(flat[r].complaint, o.complaint.c_str(), sizeof flat[r].complaint - 1);
  }
  std::vector<outcome> all;
  for (const flat_outcome& o : put_together(flat)) {
    all.push_back({o.complete != 0, o.source, o.tag, o.bytes, o.from_message, o.complaint, o.began});
  }
  return all;
}

/// What is wrong with the outcome, at rank 0.
std::string run(const program& p, pure_comm world, int rank) {
  process_run of_program(p, world);
  if (rank < p.ranks()) {
    pure_h_door door(p, world);
    c_runner runner(of_program, door);
    runner.run(rank);
    runner.end();
  }
  const std::vector<outcome> outcomes = put_together(p, of_program.outcomes, rank);
  const std::vector<std::uint64_t> completed = put_together(of_program.completed);
  return rank == 0 ? complaint_about(p, outcomes, completed) : "";
}

}  // namespace

int main(int argc, char** argv) {
  const int rank = pure_rank(), size = pure_size();
  if (argc != 3) {
    if (rank == 0) fmt::print(stderr, "usage: {} FIRST_SEED PROGRAMS\n", argv[0]);
    return 2;
  }
  std::vector<pure_comm> worlds(1, PURE_COMM_NULL);  // the first n ranks, by n
  for (int n = 1; n <= size; ++n) {
    worlds.push_back(PURE_COMM_NULL);
    pure_comm_split(PURE_COMM_WORLD, rank < n ? 0 : PURE_UNDEFINED, rank, &worlds.back());
  }
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t end = first + std::strtoull(argv[2], nullptr, 10);
  std::size_t programs = 0, receives = 0;
  for (std::uint64_t seed = first; seed < end; ++seed) {
    const program p = random_program(seed);
    if (p.ranks() > size) continue;
    const std::string complaint = run(p, worlds[static_cast<std::size_t>(p.ranks())], rank);
    if (!complaint.empty()) {
      fmt::print(stderr, "{}\nthis program:\n{}repeat it with the arguments {} 1\n", complaint, to_text(p), seed);
      return 1;
    }
    ++programs;
    receives += p.receives.size();
  }
  if (rank == 0) fmt::print("{} programs, {} receives: allowed by the standard\n", programs, receives);
  return programs > 0 ? 0 : 1;
}
