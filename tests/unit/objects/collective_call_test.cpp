// The arguments of collectives without a door and without messages: what the core is given of data in rows and of data
// with gaps, what is looked at on which rank, and what is refused.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <pure/run.hpp>

#include "coll/operators.hpp"
#include "comm/communicator_table.hpp"
#include "comm/point_to_point.hpp"
#include "objects/arguments.hpp"
#include "objects/collective_call.hpp"
#include "objects/datatype_constructors.hpp"
#include "runtime/rank.hpp"

namespace test_support::collective_calls {
namespace {

using namespace pure::core;
using pure::errc;

constexpr int ranks = 3;
constexpr int root = 1;
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
char in_place_mark;
void* const in_place = &in_place_mark;

enum known : std::uint64_t {
  ints = 1,
  pairs,
  gaps,
  nothing,
  unknown
};  // types of the door; pairs are made, without gaps
enum known_operator : std::uint64_t { sum = 1, program_sum, no_operator };

void add_ints(const program_combination&, const void* in, void* inout, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
}

/// Knows four types, and writes down which it is asked for.
class fake_door final : public collective_door {
 public:
  explicit fake_door(const datatype_constructors& make)
      : collective_door({"IN_PLACE",
                         "displs",
                         "type",
                         {"scounts", "sdispls", "stype", "stypes"},
                         {"rcounts", "rdispls", "rtype", "rtypes"}},
                        in_place) {
    const datatype& one = basic_datatype(PURE_INT);
    types_.emplace(ints, one);
    types_.emplace(pairs, make.contiguous(2, one));
    types_.emplace(gaps, make.vector(2, 1, 2, one));  // x.x
    types_.emplace(nothing, make.contiguous(0, one));
  }

  [[nodiscard]] const datatype& type_of(const communicator& on, const call& by, std::uint64_t type,
                                        const char* argument, int at) const override {
    asked.push_back(argument);
    const auto found = types_.find(type);
    if (found == types_.end())
      throw_bad_argument(on, by, errc::type, std::string(argument) + "/" + std::to_string(at) + " is unknown");
    return found->second;
  }
  [[nodiscard]] given_type type_at(const void* types, int rank) const noexcept override {
    return given(static_cast<const std::uint64_t*>(types)[rank]);
  }
  [[nodiscard]] bool find_reduction(const communicator& on, const call& by, std::uint64_t op, const given_type& type,
                                    pure::detail::reduction& found) const override {
    if (op == no_operator) throw_bad_argument(on, by, errc::op, "no operator");
    return op == sum && type.row.bytes != 0 && pure::core::find_reduction(PURE_SUM, PURE_INT, found);
  }
  [[nodiscard]] program_combination combination_of(const communicator&, const call&, std::uint64_t,
                                                   const given_type& type) const override {
    program_combination made;
    made.call_door = add_ints;
    made.type = type.name;
    return made;
  }
  [[nodiscard]] static given_type given(std::uint64_t type) noexcept {
    return type == ints ? given_type{{sizeof(int), PURE_INT}, ints} : given_type{{0, 0}, type};
  }

  mutable std::vector<std::string> asked;

 private:
  std::map<std::uint64_t, datatype> types_;
};

given_type of(std::uint64_t type) { return fake_door::given(type); }

/// One call of the calling rank.
struct calling {
  explicit calling(bool lasts = false) : around(lasts) {}

  communicator& world = communicator_table::of(*self()).world();
  call by{"collect", {"here.cpp", 7}};
  fake_door door{datatype_constructors(world, by)};
  collective_stage around;
  collective_call its{door, world, by, around};
  int me = world.rank();
  bool is_root = me == root;

  void expect_refusal(errc code, const std::string& words, const std::function<void()>& wrong) const {
    try {
      wrong();
      ADD_FAILURE() << "not refused: " << words;
    } catch (const pure::Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
};

/// test(calling) in each of three ranks.
template <class Test>
void in_ranks(Test test) {
  pure::run(ranks, [&] {
    calling one;
    test(one);
  });
}

TEST(collective_call, data_in_rows_stays_where_it_is) {
  in_ranks([](calling& at) {
    std::array<int, 8> x{}, y{};
    collective_arguments what = at.its.bcast({x.data(), 3, of(pairs)}, root);
    EXPECT_EQ(what.kind, collective::bcast);
    EXPECT_EQ(what.root, root);
    EXPECT_EQ(what.recv, x.data());
    EXPECT_EQ(what.count, 3u);
    EXPECT_EQ(what.element_bytes, 2 * sizeof(int));
    EXPECT_EQ(what.type, static_cast<std::uint32_t>(PURE_INT));
    EXPECT_EQ(at.its.bcast({x.data(), 0, of(ints)}, root).type, 0u);  // no elements may have any type

    what = at.its.gather({x.data(), 2, of(ints)}, {y.data(), 1, of(pairs)}, root);
    EXPECT_EQ(what.send, x.data());
    EXPECT_EQ(what.count * what.element_bytes, 2 * sizeof(int));
    EXPECT_EQ(what.recv, at.is_root ? y.data() : nullptr);
    EXPECT_EQ(what.recv_blocks.block_bytes, at.is_root ? 2 * sizeof(int) : 0);

    what = at.its.alltoall({x.data(), 1, of(ints)}, {y.data(), 1, of(ints)});
    EXPECT_EQ(what.send, x.data());
    EXPECT_EQ(what.send_blocks.block_bytes, sizeof(int));
    EXPECT_EQ(what.type, static_cast<std::uint32_t>(PURE_INT));
    EXPECT_FALSE(at.around.is_used());
  });
}

TEST(collective_call, arrays_of_one_width_are_kept_only_where_the_collective_lasts) {
  in_ranks([](calling& at) {
    const std::int64_t wide[ranks] = {1, 0, 2};
    const int narrow[ranks] = {0, 1, 4};
    const number_array counts = wide, displs = narrow;
    std::array<int, 8> x{}, y{};
    const collective_arguments what = at.its.allgather({x.data(), wide[at.me], of(ints)},
                                                       {y.data(), counts, displs, of(ints)});
    EXPECT_EQ(what.recv_blocks.counts, wide);
    EXPECT_EQ(what.recv_blocks.displs[2], 4);
    EXPECT_EQ(what.recv_blocks.offset(2), std::ptrdiff_t{4 * sizeof(int)});
    EXPECT_EQ(what.count, static_cast<std::size_t>(wide[at.me]));

    calling lasting(true);
    const collective_arguments kept = lasting.its.alltoall({x.data(), counts, displs, of(ints)},
                                                           {y.data(), counts, displs, of(ints)});
    EXPECT_NE(kept.recv_blocks.counts, wide);
    EXPECT_EQ(kept.recv_blocks.counts[2], 2);
    EXPECT_EQ(kept.type, 0u);  // a block of no elements has no type
    const collective_stage moved(std::move(lasting.around));
    EXPECT_EQ(kept.send_blocks.counts[2], 2);
  });
}

TEST(collective_call, data_with_gaps_is_packed_before_and_unpacked_after) {
  in_ranks([](calling& at) {
    int x[6] = {1, 2, 3, 4, 5, 6}, y[18] = {};
    // Two elements x.x, whose extent is 3: 1 3 and 4 6.
    const collective_arguments what = at.its.allgather({x, 2, of(gaps)}, {y, 2, of(gaps)});
    EXPECT_EQ(what.element_bytes * what.count, 4 * sizeof(int));
    EXPECT_EQ(what.type, 0u);
    EXPECT_EQ(what.recv_blocks.block_bytes, 4 * sizeof(int));
    at.around.before();
    EXPECT_EQ(std::memcmp(what.send, std::array{1, 3, 4, 6}.data(), 4 * sizeof(int)), 0);
    std::vector<int> came(12);
    for (int i = 0; i < 12; ++i) came[static_cast<std::size_t>(i)] = 10 + i;
    std::memcpy(what.recv, came.data(), came.size() * sizeof(int));
    at.around.after();
    const int expected[18] = {10, 0, 11, 12, 0, 13, 14, 0, 15, 16, 0, 17, 18, 0, 19, 20, 0, 21};
    EXPECT_EQ(std::memcmp(y, expected, sizeof(y)), 0);
  });
}

TEST(collective_call, a_block_in_place_does_not_travel) {
  in_ranks([](calling& at) {
    int y[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const bool is_root = at.is_root;
    const collective_arguments what = is_root ? at.its.gather({in_place, -5, of(unknown)}, {y, 1, of(gaps)}, root)
                                              : at.its.gather({y, 1, of(gaps)}, {nullptr, -1, of(unknown)}, root);
    if (is_root) {
      EXPECT_EQ(what.send, nullptr);
      EXPECT_EQ(what.count * what.element_bytes, 2 * sizeof(int));
      int* const row = static_cast<int*>(what.recv);
      for (int i = 0; i < 6; ++i) row[i] = 100 + i;
      at.around.before();
      at.around.after();
      const int expected[9] = {100, 2, 101, 4, 5, 6, 104, 8, 105};  // 4 and 6 are the root's own
      EXPECT_EQ(std::memcmp(y, expected, sizeof(y)), 0);
    }
    // All receive in place what all have sent: it goes in, and comes out.
    calling all;
    const collective_arguments everywhere = all.its.alltoall({in_place, -5, of(unknown)}, {y, 1, of(gaps)});
    EXPECT_EQ(everywhere.send, nullptr);
    all.around.before();
    EXPECT_EQ(static_cast<int*>(everywhere.recv)[2], y[3]);
    static_cast<int*>(everywhere.recv)[2] = 77;
    all.around.after();
    EXPECT_EQ(y[3], 77);
  });
}

TEST(collective_call, types_of_each_rank) {
  in_ranks([](calling& at) {
    int x[16] = {1, 2, 3, 4, 5, 6}, y[16] = {};
    const int counts[ranks] = {1, 1, 1};
    const std::int64_t displs[ranks] = {0, 4, 12};  // bytes
    const std::uint64_t rows[ranks] = {ints, pairs, ints}, mixed[ranks] = {ints, gaps, ints};
    const number_array counts_of = counts, displs_of = displs;
    const collective_arguments what = at.its.alltoall({x, counts_of, displs_of, rows},
                                                      {y, counts_of, displs_of, mixed});
    EXPECT_EQ(what.send, x);
    EXPECT_EQ(what.send_blocks.bytes(1), 2 * sizeof(int));
    EXPECT_EQ(what.send_blocks.offset(2), 12);
    EXPECT_EQ(what.type, 0u);
    EXPECT_NE(what.recv, y);
    EXPECT_EQ(what.recv_blocks.offset(2), 12);  // behind 4 and 8 bytes
    for (int i = 0; i < 4; ++i) static_cast<int*>(what.recv)[i] = 20 + i;
    at.around.after();
    EXPECT_EQ((std::vector<int>(y, y + 5)),
              (std::vector<int>{20, 21, 0, 23, 0}));  // the third block covers the gap's end

    const std::uint64_t wrong[ranks] = {ints, ints, unknown};
    at.expect_refusal(errc::type, "rtypes/2 is unknown", [&] {
      static_cast<void>(at.its.alltoall({x, counts_of, displs_of, rows}, {y, counts_of, displs_of, wrong}));
    });
    at.expect_refusal(errc::argument, "stypes", [&] {
      const void* const none = nullptr;
      static_cast<void>(at.its.alltoall({x, counts_of, displs_of, none}, {y, counts_of, displs_of, rows}));
    });
  });
}

TEST(collective_call, displacements_may_be_addresses_of_objects_only) {
  in_ranks([](calling& at) {
    int x[ranks] = {7, 8, 9}, y[ranks] = {};
    const int counts[ranks] = {1, 1, 1};
    std::int64_t addresses[ranks];
    for (int r = 0; r < ranks; ++r) addresses[r] = reinterpret_cast<std::intptr_t>(&x[r]);  // NOLINT: an address
    const std::int64_t near[ranks] = {0, 4, 8};
    const std::uint64_t types[ranks] = {ints, ints, ints};
    const number_array counts_of = counts, addresses_of = addresses, near_of = near;
    const collective_arguments what = at.its.alltoall({nullptr, counts_of, addresses_of, types},
                                                      {y, counts_of, near_of, types});
    at.around.before();
    EXPECT_EQ(std::memcmp(what.send, x, sizeof(x)), 0);
    at.expect_refusal(errc::buffer, "null", [&] {
      static_cast<void>(at.its.alltoall({nullptr, counts_of, near_of, types}, {y, counts_of, near_of, types}));
    });
  });
}

TEST(collective_call, reductions_of_elements_with_gaps) {
  in_ranks([](calling& at) {
    int x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {};
    const collective_arguments built_in = at.its.reduce(x, {y, 6, of(ints)}, sum, root);
    EXPECT_EQ(built_in.send, x);
    EXPECT_EQ(built_in.recv, at.is_root ? y : nullptr);
    EXPECT_EQ(built_in.count, 6u);
    EXPECT_FALSE(at.around.is_used());

    const collective_arguments what = at.its.reduce_everywhere(collective::scan, x, {y, 2, of(gaps)}, program_sum);
    EXPECT_EQ(what.kind, collective::scan);
    EXPECT_EQ(what.count, 2u);
    EXPECT_NE(what.send, x);
    EXPECT_EQ(what.element_bytes % sizeof(int), 0u);
    EXPECT_EQ(what.how.element_bytes, what.element_bytes);

    // Elements without bytes are none.
    const std::int64_t counts[ranks] = {2, 2, 2};
    const collective_arguments none = at.its.reduce_scatter(x, y, counts, of(nothing), program_sum);
    EXPECT_EQ(none.count, 0u);
    EXPECT_EQ(none.recv_blocks.counts[0], 0);
    EXPECT_EQ(at.its.reduce_scatter_block(x, {y, 2, of(ints)}, sum).count, 6u);
    EXPECT_EQ(at.its.reduce_scatter(in_place, y, counts, of(ints), sum).send, nullptr);
  });
}

TEST(collective_call, what_does_not_matter_at_a_rank_is_not_looked_at) {
  in_ranks([](calling& at) {
    if (at.is_root) return;
    int x[2] = {};
    static_cast<void>(at.its.gather({x, 1, of(ints)}, {nullptr, nullptr, nullptr, of(unknown)}, root));
    static_cast<void>(at.its.scatter({nullptr, -1, of(unknown)}, {x, 1, of(ints)}, root));
    static_cast<void>(at.its.reduce(x, {in_place, 1, of(ints)}, sum, root));
    static_cast<void>(at.its.gather({in_place, 1, of(ints)}, {x, 1, of(ints)}, 99));  // the core refuses the root
    EXPECT_TRUE(at.door.asked.empty());
    at.expect_refusal(errc::buffer, "IN_PLACE is for the root only, which is rank 1", [&] {
      static_cast<void>(at.its.gather({in_place, 1, of(ints)}, {x, 1, of(ints)}, root));
    });
  });
}

TEST(collective_call, refuses_wrong_arguments) {
  in_ranks([](calling& at) {
    int x[4] = {}, y[16] = {};
    const auto gatherv = [&](number_array counts, number_array displs, std::uint64_t type) {
      return [&at, &x, &y, counts, displs, type] {
        static_cast<void>(at.its.allgather({x, 1, of(ints)}, {y, counts, displs, of(type)}));
      };
    };
    const std::int64_t ones[ranks] = {1, 1, 1}, displs[ranks] = {0, 1, 2}, negative[ranks] = {1, -1, 1};
    const std::int64_t fits[ranks] = {1, 1, most / 4}, too_many[ranks] = {1, 1, most / 4 + 1},
                       far[ranks] = {0, 1, most / 4};
    at.expect_refusal(errc::argument, "rcounts", gatherv(nullptr, displs, ints));
    at.expect_refusal(errc::argument, "displs", gatherv(ones, nullptr, ints));
    at.expect_refusal(errc::argument, "rcounts", gatherv(nullptr, displs, gaps));
    at.expect_refusal(errc::count, "rcounts[1] is -1: negative", gatherv(negative, displs, ints));
    at.expect_refusal(errc::count, "rcounts[2] is", gatherv(too_many, std::array<std::int64_t, 3>{}.data(), ints));
    gatherv(fits, std::array<std::int64_t, 3>{}.data(), ints)();
    at.expect_refusal(errc::argument, "displs[2] is", gatherv(ones, far, ints));
    at.expect_refusal(errc::argument, "too far", gatherv(ones, far, gaps));
    at.expect_refusal(errc::count, "negative", gatherv(negative, displs, gaps));
    at.expect_refusal(errc::type, "rtype/-1 is unknown", gatherv(ones, displs, unknown));
    at.expect_refusal(errc::buffer, "IN_PLACE stands for the send buffer", [&] {
      static_cast<void>(at.its.allgather({x, 1, of(ints)}, {in_place, 1, of(ints)}));
    });
    at.expect_refusal(errc::buffer, "IN_PLACE stands", [&] {
      static_cast<void>(at.its.bcast({in_place, 1, of(ints)}, root));
    });
    at.expect_refusal(errc::buffer, "the send buffer is null, but has 4 bytes", [&] {
      static_cast<void>(at.its.allgather({nullptr, 1, of(ints)}, {y, 1, of(ints)}));
    });
    EXPECT_NE(at.its.allgather({nullptr, 0, of(ints)}, {y, 0, of(ints)}).send, nullptr);  // null: in place
    at.expect_refusal(errc::buffer, "the receive buffer is null, but has data", [&] {
      static_cast<void>(at.its.scatter({x, 1, of(ints)}, {nullptr, 1, of(ints)}, root));
    });
    EXPECT_NE(at.its.scatter({x, 0, of(ints)}, {nullptr, 0, of(ints)}, root).recv, nullptr);
    at.expect_refusal(errc::count, "too many", [&] {
      static_cast<void>(at.its.alltoall({x, 1, of(ints)}, {y, most / 12 + 1, of(ints)}));
    });
    static_cast<void>(at.its.alltoall({x, 1, of(ints)}, {y, most / 12, of(ints)}));

    const auto scattered = [&](number_array counts, std::uint64_t type, std::uint64_t op) {
      return [&at, &x, &y, counts, type, op] { static_cast<void>(at.its.reduce_scatter(x, y, counts, of(type), op)); };
    };
    const std::int64_t all_of_it[ranks] = {most / 12, most / 12, most / 12},
                       more[ranks] = {most / 12, most / 12 + 2, most / 12};
    const std::int64_t overflow[ranks] = {most / 4, most / 4, most / 4};
    at.expect_refusal(errc::argument, "rcounts", scattered(nullptr, ints, sum));
    at.expect_refusal(errc::count, "rcounts[1] is -1", scattered(negative, ints, sum));
    scattered(all_of_it, ints, sum)();
    at.expect_refusal(errc::count, "too many", scattered(more, ints, sum));
    at.expect_refusal(errc::count, "too many", scattered(overflow, pairs, program_sum));
    at.expect_refusal(errc::type, "type/-1 is unknown", scattered(ones, unknown, no_operator));  // before the operator
    at.expect_refusal(errc::op, "no operator", scattered(ones, ints, no_operator));
    at.expect_refusal(errc::count, "the count -2 is negative", [&] {
      static_cast<void>(at.its.reduce_scatter_block(x, {y, -2, of(gaps)}, program_sum));
    });
    at.expect_refusal(errc::count, "too many", [&] {
      static_cast<void>(at.its.reduce_scatter_block(x, {y, most / 2, of(ints)}, sum));
    });
  });
}

}  // namespace
}  // namespace test_support::collective_calls
