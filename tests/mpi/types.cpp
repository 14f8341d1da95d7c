// Random derived datatypes under a real MPI, judged by their typemaps: types agreed|with_markers FIRST_SEED PLANS
//
// The same plans as in tests/stress/types_oracle_test.cpp. A complaint here is a fault of the typemaps of
// tests/support/type_oracle/, or of that MPI. One process.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "support/type_oracle/judge.hpp"

namespace {

using namespace type_oracle;

struct mpi_types_door {
  static MPI_Datatype make(const type_plan& p) {
    const MPI_Datatype elements[basics] = {
        MPI_BYTE, MPI_CHAR,      MPI_SHORT,      MPI_INT,      MPI_LONG,      MPI_DOUBLE,      MPI_C_DOUBLE_COMPLEX,
        MPI_2INT, MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_SHORT_INT, MPI_LONG_DOUBLE, MPI_LONG_DOUBLE_INT};
    MPI_Datatype made = MPI_DATATYPE_NULL;
    if (p.by == maker::basic) {
      MPI_Type_dup(elements[static_cast<int>(p.element)], &made);
      return made;
    }
    std::vector<MPI_Datatype> of;
    for (const type_plan& each : p.of) of.push_back(make(each));
    const std::vector<int> lengths(p.lengths.begin(), p.lengths.end()), places(p.places.begin(), p.places.end()),
        sizes(p.sizes.begin(), p.sizes.end());
    const std::vector<MPI_Aint> bytes(p.places.begin(), p.places.end());
    const auto blocks = static_cast<int>(places.size());
    const auto count = static_cast<int>(p.count), length = static_cast<int>(p.length);
    switch (p.by) {
      case maker::basic: break;
      case maker::contiguous: MPI_Type_contiguous(count, of[0], &made); break;
      case maker::vector: MPI_Type_vector(count, length, static_cast<int>(p.stride), of[0], &made); break;
      case maker::hvector: MPI_Type_create_hvector(count, length, p.stride, of[0], &made); break;
      case maker::indexed: MPI_Type_indexed(blocks, lengths.data(), places.data(), of[0], &made); break;
      case maker::hindexed: MPI_Type_create_hindexed(blocks, lengths.data(), bytes.data(), of[0], &made); break;
      case maker::indexed_block:
        MPI_Type_create_indexed_block(blocks, blocks == 0 ? 0 : lengths[0], places.data(), of[0], &made);
        break;
      case maker::structure: MPI_Type_create_struct(blocks, lengths.data(), bytes.data(), of.data(), &made); break;
      case maker::subarray:
        MPI_Type_create_subarray(blocks, sizes.data(), lengths.data(), places.data(),
                                 p.is_fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C, of[0], &made);
        break;
      case maker::resized: MPI_Type_create_resized(of[0], p.stride, p.length, &made);
    }
    for (MPI_Datatype& each : of) MPI_Type_free(&each);
    MPI_Type_commit(&made);
    return made;
  }
  static void release(MPI_Datatype& type) { MPI_Type_free(&type); }
  static bounds bounds_of(MPI_Datatype type) {
    int size = 0;
    MPI_Aint lower = 0, extent = 0, true_lower = 0, true_extent = 0;
    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    return {size, lower, extent, true_lower, true_extent};
  }
  static void send_laid_out(const void* from, int count, MPI_Datatype type, void* row, std::size_t bytes) {
    MPI_Sendrecv(from, count, type, 0, 0, row, static_cast<int>(bytes), MPI_BYTE, 0, 0, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
  }
  static void receive_laid_out(const void* row, std::size_t bytes, void* to, int count, MPI_Datatype type) {
    MPI_Sendrecv(row, static_cast<int>(bytes), MPI_BYTE, 0, 0, to, count, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) {
    fmt::print(stderr, "usage: mpiexec -n 1 {} agreed|with_markers FIRST_SEED PLANS\n", argv[0]);
    MPI_Finalize();
    return 2;
  }
  const range what = std::strcmp(argv[1], "agreed") == 0 ? range::agreed : range::with_markers;
  const std::uint64_t first = std::strtoull(argv[2], nullptr, 10), plans = std::strtoull(argv[3], nullptr, 10);
  mpi_types_door door;
  std::uint64_t wrong = 0;
  for (std::uint64_t seed = first; seed < first + plans && wrong < 5; ++seed) {
    const type_plan p = random_plan(seed, what, pairs::without_gaps);
    const std::string complaint = complaint_about(p, pairs::without_gaps, seed, door);
    if (complaint.empty()) continue;
    fmt::print(stderr, "seed {}: {}\n", seed, complaint);
    ++wrong;
  }
  if (wrong == 0) fmt::print("{} {} types: as their typemaps say\n", plans, argv[1]);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
