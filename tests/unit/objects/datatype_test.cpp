// Datatypes without a door: basic ones, how others are made of them, what they say of messages, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <pure/run.hpp>

#include "comm/communicator_table.hpp"
#include "objects/datatype.hpp"
#include "objects/datatype_constructors.hpp"
#include "runtime/rank.hpp"

namespace {

using namespace pure::core;
using pure::errc;

/// test(world, constructors) in a rank.
template <class Test>
void with_constructors(Test test) {
  pure::run(1, [&] {
    const communicator& world = communicator_table::of(*self()).world();
    const call by{"make_type", {"here.cpp", 7}};
    test(world, datatype_constructors(world, by));
  });
}

void expect_refusal(errc code, const std::string& words, const std::function<void()>& wrong) {
  try {
    wrong();
    ADD_FAILURE() << "not refused: " << words;
  } catch (const pure::Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("make_type: "), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("here.cpp:7"), std::string::npos) << error.what();
  }
}

TEST(datatype, basic_types_are_rows_of_their_own_element) {
  for (const pure_datatype basic : {PURE_BYTE, PURE_CHAR, PURE_INT, PURE_DOUBLE, PURE_LONG_DOUBLE, PURE_2INT}) {
    const datatype& type = basic_datatype(basic);
    EXPECT_EQ(type.form->bytes(), size_of_type(basic));
    EXPECT_EQ(type.element(), basic);
    EXPECT_TRUE(type.is_row());
  }
}

TEST(datatype, elements_are_counted_whole) {
  const datatype& type = basic_datatype(PURE_INT);
  EXPECT_EQ(elements_in(0, type), 0);
  EXPECT_EQ(elements_in(12, type), 3);
  EXPECT_EQ(elements_in(13, type), -1);
  const datatype nothing(layout(), 0, type_signature::of(0, 0));
  EXPECT_EQ(elements_in(0, nothing), 0);
  EXPECT_EQ(elements_in(1, nothing), -1);
}

TEST(datatype, the_element_of_a_derived_type_is_that_of_all_its_parts) {
  with_constructors([](const communicator&, const datatype_constructors& make) {
    const datatype ints = make.vector(3, 2, 4, basic_datatype(PURE_INT));
    EXPECT_EQ(ints.element(), PURE_INT);
    EXPECT_EQ(ints.form->bytes(), 3 * 2 * sizeof(int));
    EXPECT_EQ(ints.form->extent(), static_cast<std::ptrdiff_t>((2 * 4 + 2) * sizeof(int)));
    EXPECT_FALSE(ints.is_row());

    const std::vector<const datatype*> parts{&ints, &basic_datatype(PURE_INT), &basic_datatype(PURE_DOUBLE), &ints};
    const auto structure = [&](std::int64_t count) {
      return make.structure(
          count, [](std::size_t) { return 1; }, [](std::size_t i) { return static_cast<std::ptrdiff_t>(i) * 64; },
          [&](std::size_t i) -> const datatype& { return *parts[i]; });
    };
    EXPECT_EQ(structure(0).element(), PURE_DATATYPE_NULL);
    EXPECT_EQ(structure(1).element(), PURE_INT);
    EXPECT_EQ(structure(2).element(), PURE_INT);
    EXPECT_EQ(structure(3).element(), PURE_DATATYPE_NULL);
    EXPECT_EQ(structure(4).element(), PURE_DATATYPE_NULL);
    const auto none = [](std::size_t) { return 0; };
    EXPECT_EQ(make.indexed(0, none, none, ints).element(), PURE_INT) << "also without blocks";
  });
}

TEST(datatype, displacements_are_in_elements_or_in_bytes) {
  with_constructors([](const communicator&, const datatype_constructors& make) {
    const datatype& element = basic_datatype(PURE_DOUBLE);
    const auto length = [](std::size_t) { return 1; };
    const auto displacement = [](std::size_t i) { return static_cast<std::int64_t>(i) * 16; };
    EXPECT_EQ(make.indexed(2, length, displacement, element).form->true_upper_bound(), 16 * 8 + 8);
    EXPECT_EQ(make.hindexed(2, length, displacement, element).form->true_upper_bound(), 16 + 8);
    EXPECT_EQ(make.vector(2, 1, 16, element).form->true_upper_bound(), 16 * 8 + 8);
    EXPECT_EQ(make.hvector(2, 1, 16, element).form->true_upper_bound(), 16 + 8);
  });
}

TEST(datatype, the_order_of_an_array_says_which_dimension_runs_fastest) {
  with_constructors([](const communicator&, const datatype_constructors& make) {
    const std::vector<std::int64_t> sizes{2, 10}, subsizes{1, 3}, starts{1, 2};
    const datatype& element = basic_datatype(PURE_BYTE);
    const datatype last = make.subarray(sizes, subsizes, starts, array_order::last_dimension, element);
    EXPECT_EQ(last.form->true_lower_bound(), 1 * 10 + 2);
    EXPECT_EQ(last.form->true_upper_bound(), 1 * 10 + 5);
    EXPECT_EQ(last.form->extent(), 20);
    const datatype first = make.subarray(sizes, subsizes, starts, array_order::first_dimension, element);
    EXPECT_EQ(first.form->true_lower_bound(), 2 * 2 + 1);
    EXPECT_EQ(first.form->true_upper_bound(), 4 * 2 + 2);
  });
}

TEST(datatype, bounds_of_counts_and_places) {
  with_constructors([](const communicator&, const datatype_constructors& make) {
    const datatype& element = basic_datatype(PURE_INT);
    constexpr std::int64_t far = INT64_MAX / 2, most = (std::int64_t{1} << 60) / sizeof(int);  // of bytes, 2^60
    expect_refusal(errc::count, "the count -1 is negative", [&] { static_cast<void>(make.contiguous(-1, element)); });
    expect_refusal(errc::count, "the block length -2 is negative",
                   [&] { static_cast<void>(make.vector(1, -2, 1, element)); });
    expect_refusal(errc::argument, "are too far", [&] { static_cast<void>(make.vector(1, 1, far, element)); });
    EXPECT_NO_THROW(static_cast<void>(make.contiguous(most, element)));
    expect_refusal(errc::argument, "more bytes", [&] { static_cast<void>(make.contiguous(most + 1, element)); });
    const std::vector<std::int64_t> sizes{4}, none{0}, two{2}, three{3};
    const auto part = [&](const auto& subsizes, const auto& starts) {
      return make.subarray(sizes, subsizes, starts, array_order::last_dimension, element);
    };
    EXPECT_NO_THROW(static_cast<void>(part(two, two)));
    expect_refusal(errc::argument, "dimension 0", [&] { static_cast<void>(part(two, three)); });
    expect_refusal(errc::argument, "dimension 0", [&] { static_cast<void>(part(none, two)); });
  });
}

TEST(datatype, a_message_under_way_outlives_its_type) {
  with_constructors([](const communicator& world, const datatype_constructors& make) {
    const call by{"send", {}};
    double data[8] = {};
    placed_message column, row;
    {
      const datatype strided = make.vector(2, 1, 4, basic_datatype(PURE_DOUBLE));
      column = placed_at(world, by, data, 1, strided);
      row = placed_at(world, by, data, 4, basic_datatype(PURE_DOUBLE));
    }
    EXPECT_EQ(column.bytes, 16U);
    ASSERT_NE(column.form, nullptr);
    EXPECT_EQ(column.form->bytes(), 16U);
    EXPECT_EQ(row.bytes, 32U);
    EXPECT_EQ(row.form, nullptr) << "a row has no layout";
    EXPECT_THROW(static_cast<void>(placed_at(world, by, nullptr, 1, basic_datatype(PURE_INT))), pure::Error);
    EXPECT_NO_THROW(
        static_cast<void>(placed_at(world, by, nullptr, 3, datatype(layout(), 0, type_signature::of(0, 0)))))
        << "of no bytes";
  });
}

/// The elements of a distributed array that a process has, in order, by the text of MPI 5.0, 5.1.4.
std::vector<std::int64_t> owned(std::span<const distributed_dimension> dimensions, std::int64_t rank,
                                bool last_is_fastest) {
  const std::size_t n = dimensions.size();
  std::vector<std::int64_t> process(n);
  for (std::size_t d = n; d-- > 0; rank /= dimensions[d].processes) process[d] = rank % dimensions[d].processes;
  std::int64_t all = 1;
  for (const distributed_dimension& each : dimensions) all *= each.size;
  std::vector<std::int64_t> places;
  for (std::int64_t place = 0; place < all; ++place) {
    std::int64_t left = place;
    bool is_own = true;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t d = last_is_fastest ? n - 1 - i : i;
      const distributed_dimension& of = dimensions[d];
      const std::int64_t at = left % of.size;
      left /= of.size;
      if (of.kind == distribution::none) continue;
      const std::int64_t equal = (of.size + of.processes - 1) / of.processes;
      const std::int64_t block = of.block != 0 ? of.block : of.kind == distribution::block ? equal : 1;
      is_own = is_own && at / block % of.processes == process[d];
    }
    if (is_own) places.push_back(place);
  }
  return places;
}

TEST(datatype, a_distributed_array_is_what_its_process_owns) {
  with_constructors([](const communicator&, const datatype_constructors& make) {
    using kind = distribution;
    const std::vector<std::vector<distributed_dimension>> arrays{
        {{7, kind::block, 0, 3}},
        {{7, kind::cyclic, 0, 3}},
        {{11, kind::cyclic, 2, 3}},
        {{5, kind::block, 4, 4}},
        {{4, kind::block, 0, 2}, {6, kind::cyclic, 2, 2}},
        {{3, kind::none, 0, 1}, {5, kind::cyclic, 0, 2}, {4, kind::block, 0, 3}}};
    for (const auto& dimensions : arrays) {
      std::int64_t ranks = 1, all = 1;
      for (const distributed_dimension& each : dimensions) ranks *= each.processes, all *= each.size;
      for (const array_order order : {array_order::last_dimension, array_order::first_dimension}) {
        for (std::int64_t rank = 0; rank < ranks; ++rank) {
          const auto expected = owned(dimensions, rank, order == array_order::last_dimension);
          const datatype type = make.distributed_array(ranks, rank, dimensions, order, basic_datatype(PURE_INT));
          EXPECT_EQ(type.form->bytes(), 4 * expected.size());
          EXPECT_EQ(type.signature->elements(), expected.size());
          EXPECT_EQ(type.form->extent(), 4 * all);
          std::vector<int> from(static_cast<std::size_t>(all)), got(expected.size());
          for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<int>(i);
          copy_laid_out({reinterpret_cast<std::byte*>(got.data()), nullptr},
                        {reinterpret_cast<const std::byte*>(from.data()), type.form.get()}, 0, 4 * got.size());
          EXPECT_TRUE(std::equal(got.begin(), got.end(), expected.begin()));
        }
      }
    }
  });
}

TEST(datatype, a_distributed_array_needs_a_process_for_each_part) {
  with_constructors([](const communicator&, const datatype_constructors& make) {
    const auto made = [&](std::int64_t ranks, std::int64_t rank, distributed_dimension one) {
      const distributed_dimension all[] = {one};
      static_cast<void>(
          make.distributed_array(ranks, rank, all, array_order::last_dimension, basic_datatype(PURE_INT)));
    };
    using kind = distribution;
    expect_refusal(errc::argument, "has 2 processes, and not 3", [&] { made(3, 0, {4, kind::block, 0, 2}); });
    expect_refusal(errc::argument, "no process 2 of 2", [&] { made(2, 2, {4, kind::block, 0, 2}); });
    expect_refusal(errc::argument, "less than its 5", [&] { made(2, 0, {5, kind::block, 2, 2}); });
    expect_refusal(errc::argument, "is not distributed", [&] { made(2, 0, {4, kind::none, 0, 2}); });
    expect_refusal(errc::argument, "0 elements", [&] { made(1, 0, {0, kind::block, 0, 1}); });
  });
}

}  // namespace
