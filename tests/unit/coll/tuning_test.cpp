// The table that chooses algorithms: which row fits, which are in force, and its files, good ones and each kind of bad.
#include "coll/tuning.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <pure/error.hpp>

namespace {

using namespace pure::core;
using pure::detail::collective;
using pure::detail::collective_kinds;

constexpr int any_ranks = tuning::any_ranks;

// A file in the folder of the test, for as long as it lives.
class file_with {
 public:
  explicit file_with(const std::string& text) { std::ofstream(path_) << text; }
  ~file_with() { std::filesystem::remove(path_); }
  file_with(const file_with&) = delete;
  file_with& operator=(const file_with&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_ = std::filesystem::absolute("tuning_test.json").string();
};

tuning read(const std::string& text) { return tuning(file_with(text).path()); }

// What a file is refused with; fails the test if it is not refused.
std::string refusal_of_path(const std::string& path) {
  try {
    const tuning table(path);
  } catch (const pure::Error& error) {
    EXPECT_EQ(error.code(), pure::errc::argument);
    EXPECT_EQ(std::string(error.what()).find("PURE_TUNING=" + path + ": "), 0U) << error.what();
    EXPECT_NE(std::string(error.what()).find("pure bench tune"), std::string::npos) << error.what();
    return error.what();
  }
  ADD_FAILURE() << path << " was accepted";
  return {};
}

void expect_refused(const std::string& text, const std::vector<std::string>& parts) {
  const std::string why = refusal_of_path(file_with(text).path());
  for (const std::string& part : parts) EXPECT_NE(why.find(part), std::string::npos) << text << "\n" << why;
}

// A file of one good row and one with these members.
std::string with_row(const std::string& members) {
  return R"({"collectives": [{"collective": "scan"}, {)" + members + "}]}";
}

bool same_rows(const std::vector<tuning_row>& a, const std::vector<tuning_row>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const tuning_row& x, const tuning_row& y) {
    return x.kind == y.kind && x.most_ranks == y.most_ranks && x.shared_cores == y.shared_cores && x.use == y.use;
  });
}

TEST(Tuning, NamesAreThereAndBack) {
  for (std::size_t i = 0; i < collective_kinds; ++i) {
    collective found{};
    ASSERT_TRUE(collective_named(name_of(static_cast<collective>(i)), found));
    EXPECT_EQ(found, static_cast<collective>(i));
  }
  collective found{};
  EXPECT_FALSE(collective_named("Barrier", found));
  EXPECT_FALSE(collective_named("", found));
}

TEST(Tuning, TheBuiltInTableHasARowForEveryCase) {
  const tuning table;
  for (std::size_t i = 0; i < collective_kinds; ++i) {
    const auto kind = static_cast<collective>(i);
    for (const bool shared_cores : {false, true}) {
      for (const int ranks : {2, 3, 16, 17, 1000, any_ranks}) {
        const algorithm_choice& use = table.choose(kind, ranks, shared_cores);
        EXPECT_GE(use.copied_bytes, 8U);
        EXPECT_LE(use.copied_bytes, tuning::most_copied_bytes);
        EXPECT_NE(use.tree_radix, 1);
        EXPECT_TRUE(use.tree_radix == 0 || has_tree(kind)) << name_of(kind);
      }
    }
  }
}

TEST(Tuning, TheFirstRowThatFitsIsChosen) {
  const algorithm_choice a{16, 2, 1024}, b{32, 3, 2048}, c{64, 4, 4096};
  const tuning table({{collective::bcast, 4, false, a},
                      {collective::bcast, 8, false, b},
                      {collective::bcast, 3, true, c},
                      {collective::bcast, 6, false, c}});
  const tuning plain;
  const algorithm_choice& built_in = plain.choose(collective::bcast, 9, false);
  EXPECT_EQ(table.choose(collective::bcast, 2, false), a);
  EXPECT_EQ(table.choose(collective::bcast, 4, false), a);
  EXPECT_EQ(table.choose(collective::bcast, 5, false), b);
  EXPECT_EQ(table.choose(collective::bcast, 8, false), b);
  EXPECT_EQ(table.choose(collective::bcast, 9, false), built_in);
  EXPECT_EQ(table.choose(collective::bcast, 3, true), c);
  EXPECT_EQ(table.choose(collective::bcast, 4, true), plain.choose(collective::bcast, 4, true));
  EXPECT_EQ(table.choose(collective::reduce, 4, false), plain.choose(collective::reduce, 4, false));
}

TEST(Tuning, RowsInForceChooseTheSameAndHideNothing) {
  const algorithm_choice a{16, 2, 1024}, b{32, 3, 2048};
  const tuning table({{collective::scan, 8, true, a},
                      {collective::scan, 8, true, b},
                      {collective::scan, 5, true, b},
                      {collective::bcast, any_ranks, false, a}});
  const std::vector<tuning_row> rows = table.rows_in_force();
  const tuning again(rows);
  for (std::size_t i = 0; i < collective_kinds; ++i) {
    const auto kind = static_cast<collective>(i);
    for (const bool shared_cores : {false, true}) {
      int below = 0;
      for (const tuning_row& row : rows) {
        if (row.kind != kind || row.shared_cores != shared_cores) continue;
        EXPECT_GT(row.most_ranks, below) << name_of(kind);
        below = row.most_ranks;
      }
      EXPECT_EQ(below, any_ranks) << name_of(kind);
      for (const int ranks : {2, 5, 8, 9, 16, 17, 1000}) {
        EXPECT_EQ(again.choose(kind, ranks, shared_cores), table.choose(kind, ranks, shared_cores)) << name_of(kind);
      }
    }
  }
}

TEST(Tuning, AFileIsReadAsItIsWritten) {
  const std::vector<tuning_row> rows = {{collective::allreduce, 4, false, {65536, 2, 32768}},
                                        {collective::allreduce, any_ranks, true, {8, 0, 1024}},
                                        {collective::alltoall, 2, true, {}}};
  const std::string text = tuning_file_text(rows);
  EXPECT_TRUE(same_rows(read(text).rows_in_force(), tuning(rows).rows_in_force())) << text;
  const std::vector<tuning_row> built_in = tuning().rows_in_force();
  EXPECT_TRUE(same_rows(read(tuning_file_text(built_in)).rows_in_force(), built_in));
  EXPECT_TRUE(same_rows(read(tuning_file_text({})).rows_in_force(), built_in));
}

TEST(Tuning, WhatARowOmitsHasItsDefault) {
  const tuning table = read(R"({"collectives": [{"collective": "reduce", "tree_radix": 5}]})");
  const algorithm_choice otherwise;
  EXPECT_EQ(table.choose(collective::reduce, 1000, false),
            (algorithm_choice{otherwise.copied_bytes, 5, otherwise.piece_bytes}));
  EXPECT_EQ(table.choose(collective::reduce, 1000, true), tuning().choose(collective::reduce, 1000, true));
}

TEST(Tuning, FilesThatAreNoTablesAreRefused) {
  EXPECT_NE(refusal_of_path("/no/such/file").find("cannot be read"), std::string::npos);
  EXPECT_NE(refusal_of_path("/tmp").find("directory"), std::string::npos);
  expect_refused("", {"not JSON"});
  expect_refused("{\"collectives\": [", {"not JSON", "byte"});
  expect_refused("\xff\xfe", {"not JSON"});
  for (const char* text : {"[]", "3", "null", "{}", R"({"collectives": {}})", R"({"collectives": 3})"}) {
    expect_refused(text, {"a list \"collectives\""});
  }
  expect_refused(R"({"collectives": [], "colectives": []})", {"\"colectives\"", "did you mean \"collectives\"?"});
}

TEST(Tuning, WrongRowsAreRefusedByTheirNumber) {
  for (const char* row : {"3", "null", "[]", "\"scan\""}) {
    expect_refused(std::string(R"({"collectives": [{"collective": "scan"}, )") + row + "]}",
                   {"row 2", "not an object"});
  }
  expect_refused(with_row(""), {"row 2", "which \"collective\""});
  expect_refused(with_row(R"("collective": "allredcue")"), {"row 2", "\"allredcue\" is no collective", "allreduce,"});
  expect_refused(with_row(R"("collective": 3)"), {"row 2", "3 is no collective"});
  expect_refused(with_row(R"("collective": "scan", "rank": 3)"), {"row 2", "\"rank\"", "did you mean \"ranks\"?"});
  expect_refused(with_row(R"("collective": "scan", "shared_cores": 1)"), {"row 2", "\"shared_cores\" is 1", "true"});
  expect_refused(with_row(R"("collective": "scan", "tree_radix": 1)"), {"row 2", "\"tree_radix\" is 1", "2 or more"});
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"ranks", "0"},          {"ranks", "-1"},         {"ranks", "2147483648"},
      {"ranks", "\"2\""},      {"ranks", "2.5"},        {"copied_bytes", "7"},
      {"tree_radix", "-1"},    {"tree_radix", "1025"},  {"copied_bytes", "65537"},
      {"piece_bytes", "1023"}, {"piece_bytes", "null"}, {"piece_bytes", "18446744073709551615"}};
  for (const auto& [name, value] : wrong) {
    expect_refused(with_row(R"("collective": "scan", ")" + name + "\": " + value),
                   {"row 2", "\"" + name + "\" is " + value, "a number from "});
  }
}

}  // namespace
