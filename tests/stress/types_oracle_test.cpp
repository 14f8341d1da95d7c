// Random derived datatypes of pure.h against typemaps (tests/support/type_oracle/). tests/mpi/types.sh has the same
// plans for real MPIs.
//
// Plan i has the seed PURETEST_SEED + i; a failure prints the seed that makes it the first of the next run.
#include <pure.h>

#include <gtest/gtest.h>

#include <pure/run.hpp>

#include "support/environment.hpp"
#include "support/type_oracle/judge.hpp"

namespace {

using namespace type_oracle;

struct pure_h_door {
  static pure_datatype make(const type_plan& p) {
    static constexpr pure_datatype elements[basics] = {
        PURE_BYTE,           PURE_CHAR,           PURE_SHORT,     PURE_INT,        PURE_LONG,     PURE_DOUBLE,
        PURE_COMPLEX_DOUBLE, PURE_2INT,           PURE_FLOAT_INT, PURE_DOUBLE_INT, PURE_LONG_INT, PURE_SHORT_INT,
        PURE_LONG_DOUBLE,    PURE_LONG_DOUBLE_INT};
    if (p.by == maker::basic) return elements[static_cast<int>(p.element)];
    std::vector<pure_datatype> of;
    for (const type_plan& each : p.of) of.push_back(make(each));
    const auto blocks = static_cast<std::int64_t>(p.places.size());
    const std::int64_t *const lengths = p.lengths.data(), *const places = p.places.data();
    pure_datatype made = PURE_DATATYPE_NULL;
    switch (p.by) {
      case maker::basic: break;
      case maker::contiguous: pure_type_contiguous(p.count, of[0], &made); break;
      case maker::vector: pure_type_vector(p.count, p.length, p.stride, of[0], &made); break;
      case maker::hvector: pure_type_create_hvector(p.count, p.length, p.stride, of[0], &made); break;
      case maker::indexed: pure_type_indexed(blocks, lengths, places, of[0], &made); break;
      case maker::hindexed: pure_type_create_hindexed(blocks, lengths, places, of[0], &made); break;
      case maker::indexed_block:
        pure_type_create_indexed_block(blocks, blocks == 0 ? 0 : lengths[0], places, of[0], &made);
        break;
      case maker::structure: pure_type_create_struct(blocks, lengths, places, of.data(), &made); break;
      case maker::subarray:
        pure_type_create_subarray(static_cast<int>(blocks), p.sizes.data(), lengths, places,
                                  p.is_fortran ? PURE_ORDER_FORTRAN : PURE_ORDER_C, of[0], &made);
        break;
      case maker::resized: pure_type_create_resized(of[0], p.stride, p.length, &made);
    }
    for (pure_datatype& each : of) release(each);
    return made;
  }
  static void release(pure_datatype& type) {
    if (type > PURE_LONG_DOUBLE_INT) pure_type_free(&type);
  }
  static bounds bounds_of(pure_datatype type) {
    bounds is{static_cast<std::int64_t>(pure_type_size(type)), 0, 0, 0, 0};
    pure_type_get_extent(type, &is.lower, &is.extent);
    pure_type_get_true_extent(type, &is.true_lower, &is.true_extent);
    return is;
  }
  static void send_laid_out(const void* from, int count, pure_datatype type, void* row, std::size_t bytes) {
    pure_sendrecv_msg(from, count, type, 0, 0, row, static_cast<std::int64_t>(bytes), PURE_BYTE, 0, 0, PURE_COMM_SELF);
  }
  static void receive_laid_out(const void* row, std::size_t bytes, void* to, int count, pure_datatype type) {
    pure_sendrecv_msg(row, static_cast<std::int64_t>(bytes), PURE_BYTE, 0, 0, to, count, type, 0, 0, PURE_COMM_SELF);
  }
};

void run_many(int plans, range what) {
  const std::uint64_t first = test_support::first_seed();
  const auto end = first + static_cast<std::uint64_t>(test_support::repetitions(plans));
  std::string complaint;
  pure::run(1, [&] {
    pure_h_door door;
    for (std::uint64_t seed = first; seed < end && complaint.empty(); ++seed) {
      complaint = complaint_about(random_plan(seed, what, pairs::whole), pairs::whole, seed, door);
      if (!complaint.empty()) complaint += fmt::format("\nrepeat it by PURETEST_SEED={}", seed);
    }
  });
  EXPECT_EQ(complaint, "");
}

TEST(types_oracle, what_the_mpis_agree_on) { run_many(3000, range::agreed); }
TEST(types_oracle, structs_of_resized_members) { run_many(1000, range::with_markers); }
TEST(types_oracle, all_that_the_standard_defines) { run_many(3000, range::standard); }

TEST(types_oracle, large_messages) {  // from layout to layout in pieces
  const test_support::environment pieces{{"PURE_EAGER_LIMIT", "64"}, {"PURE_COPY_PIECE", "1K"}};
  run_many(1000, range::standard);
}

}  // namespace
