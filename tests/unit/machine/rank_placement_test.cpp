// Rank placement: both directions against each other and against plain oracles, over many sizes; and every error of the
// two kinds of files.
#include "machine/rank_placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include <pure/error.hpp>

namespace {

using pure::core::rank_placement;

std::vector<int> ranks_in_order(const rank_placement& placement) {
  std::vector<int> ranks;
  for (int process = 0; process < placement.processes(); ++process) {
    for (const int rank : placement.ranks_of(process)) ranks.push_back(rank);
  }
  return ranks;
}

// From rank to process and index, and back, is the same rank; every rank is there once.
void expect_consistent(const rank_placement& placement, int ranks, int processes) {
  ASSERT_EQ(placement.ranks(), ranks);
  ASSERT_EQ(placement.processes(), processes);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto of_process = placement.ranks_of(placement.process_of(rank));
    ASSERT_EQ(of_process[static_cast<std::size_t>(placement.index_of(rank))], rank);
  }
  std::vector<int> sorted = ranks_in_order(placement), expected(static_cast<std::size_t>(ranks));
  std::sort(sorted.begin(), sorted.end());
  std::iota(expected.begin(), expected.end(), 0);
  ASSERT_EQ(sorted, expected);
}

template <class Check>
void for_many_sizes(Check check) {
  for (int processes = 1; processes <= 9; ++processes) {
    for (int ranks = processes; ranks <= 40; ++ranks) check(ranks, processes);
  }
  check(32'768, 1);
  check(32'768, 1000);
  check(1000, 1000);
}

TEST(RankPlacement, BlocksAreConsecutiveAndDifferByOne) {
  for_many_sizes([](int ranks, int processes) {
    const auto placement = rank_placement::block(ranks, processes);
    expect_consistent(placement, ranks, processes);
    const std::vector<int> in_order = ranks_in_order(placement);
    EXPECT_TRUE(std::is_sorted(in_order.begin(), in_order.end()));
    for (int process = 0; process < processes; ++process) {
      const int count = static_cast<int>(placement.ranks_of(process).size());
      EXPECT_EQ(count, ranks / processes + (process < ranks % processes ? 1 : 0));
    }
  });
}

TEST(RankPlacement, RoundRobinDealsOut) {
  for_many_sizes([](int ranks, int processes) {
    const auto placement = rank_placement::round_robin(ranks, processes);
    expect_consistent(placement, ranks, processes);
    for (int rank = 0; rank < ranks; ++rank) {
      ASSERT_EQ(placement.process_of(rank), rank % processes);
      ASSERT_EQ(placement.index_of(rank), rank / processes);
    }
  });
}

TEST(RankPlacement, BlocksOfGivenSizes) {
  const std::vector<int> counts = {3, 1, 4};
  const auto placement = rank_placement::block_of(counts);
  expect_consistent(placement, 8, 3);
  EXPECT_EQ(std::vector(placement.ranks_of(2).begin(), placement.ranks_of(2).end()), (std::vector<int>{4, 5, 6, 7}));
  EXPECT_THROW(rank_placement::block_of(std::vector<int>{2, 0, 1}), pure::Error);
}

TEST(RankPlacement, AFileSaysTheProcessOfEachRank) {
  std::mt19937 dice(20260401);
  for_many_sizes([&](int ranks, int processes) {
    if (ranks > 1000) return;
    std::vector<int> process_of(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
      process_of[static_cast<std::size_t>(rank)] = rank < processes ? rank : static_cast<int>(dice()) % processes;
      process_of[static_cast<std::size_t>(rank)] = std::abs(process_of[static_cast<std::size_t>(rank)]);
    }
    std::shuffle(process_of.begin(), process_of.end(), dice);
    std::string text = "# written by a test\n\n";
    for (int rank = 0; rank < ranks; ++rank) {
      text += fmt::format(" {}\t{}  # a rank\n", rank, process_of[static_cast<std::size_t>(rank)]);
    }
    std::istringstream file(text);
    const auto placement = rank_placement::from_file(ranks, processes, file, "test");
    expect_consistent(placement, ranks, processes);
    for (int rank = 0; rank < ranks; ++rank) {
      ASSERT_EQ(placement.process_of(rank), process_of[static_cast<std::size_t>(rank)]);
    }
    for (int process = 0; process < processes; ++process) {
      const auto mine = placement.ranks_of(process);
      EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
    }
  });
  std::istringstream ranges("0-2,7 1\n3-6 0\n");
  const auto placement = rank_placement::from_file(8, 2, ranges, "test");
  EXPECT_EQ(ranks_in_order(placement), (std::vector<int>{3, 4, 5, 6, 0, 1, 2, 7}));
}

TEST(RankPlacement, AnOrderFillsTheProcesses) {
  std::mt19937 dice(20260402);
  for_many_sizes([&](int ranks, int processes) {
    if (ranks > 1000) return;
    std::vector<int> order(static_cast<std::size_t>(ranks));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), dice);
    std::string text = "# grid_order -R -c 2,2 -g 4,4\n";
    for (std::size_t i = 0; i < order.size(); ++i) {
      text += fmt::format("{}{}", order[i], i + 1 == order.size() ? "" : dice() % 5 == 0 ? "\n" : ",");
    }
    std::istringstream file(text);
    const auto placement = rank_placement::from_order(ranks, processes, file, "test");
    expect_consistent(placement, ranks, processes);
    EXPECT_EQ(ranks_in_order(placement), order);
    EXPECT_EQ(placement.ranks_of(0).size(), rank_placement::block(ranks, processes).ranks_of(0).size());
  });
}

TEST(RankPlacement, AnOrderAsCrayPatWritesIt) {
  std::istringstream file(
      "# The 'Custom' rank order in this file targets nodes with multi-core\n"
      "# processors, based on Sent Msg Total Bytes collected for:\n"
      "#\n"
      "0,4,1,5\n"
      "2,6,3,7\n"
      "8-11,15-12\n");
  const auto placement = rank_placement::from_order(16, 4, file, "MPICH_RANK_ORDER");
  EXPECT_EQ(ranks_in_order(placement), (std::vector<int>{0, 4, 1, 5, 2, 6, 3, 7, 8, 9, 10, 11, 15, 14, 13, 12}));
  EXPECT_EQ(placement.process_of(6), 1);
  EXPECT_EQ(placement.index_of(6), 1);
}

void expect_placement_refused(const std::string& expected, const auto& make) {
  try {
    make();
    ADD_FAILURE() << "not refused: " << expected;
  } catch (const pure::Error& error) {
    EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
  }
}

TEST(RankPlacement, WrongFilesAreRefused) {
  const auto file = [](const char* text, int ranks = 4, int processes = 2) {
    return [=] {
      std::istringstream content(text);
      rank_placement::from_file(ranks, processes, content, "f");
    };
  };
  expect_placement_refused("f:2: 'x 1'", file("0 0\nx 1\n"));
  expect_placement_refused("f:1: '0' is not", file("0\n"));
  expect_placement_refused("f:1: '0 1 2' is not", file("0 1 2\n"));
  expect_placement_refused("f:1: '3-0 1' is not", file("3-0 1\n"));
  expect_placement_refused("f:1: there is no process 2; the job has 2 processes", file("0 2\n"));
  expect_placement_refused("f:1: there is no rank 4; the job has 4", file("0-4 1\n"));
  expect_placement_refused("f:2: rank 1 is in process 0 already", file("0-2 0\n1,3 1\n"));
  expect_placement_refused("f: no line for rank 3", file("0-2 0\n"));
  expect_placement_refused("f: process 1 has no rank", file("0-3 0\n"));
  expect_placement_refused("2 processes cannot share 1 rank", file("", 1));
}

TEST(RankPlacement, WrongOrdersAreRefused) {
  const auto order = [](const char* text, int ranks = 4) {
    return [=] {
      std::istringstream content(text);
      rank_placement::from_order(ranks, 2, content, "o");
    };
  };
  expect_placement_refused("o:2: 'x' is no rank", order("0,1\nx\n"));
  expect_placement_refused("o:1: '1-' is no rank", order("0,1-\n"));
  expect_placement_refused("o:1: '-1' is no rank", order("0,-1\n"));
  expect_placement_refused("o:1: '0-1-2' is no rank", order("0-1-2\n"));
  expect_placement_refused("o:1: there is no rank 4; the job has 4", order("2-4\n"));
  expect_placement_refused("o:1: there is no rank 99999", order("99999-0\n"));
  expect_placement_refused("o:3: rank 1 is listed already", order("0\n1\n3-1\n"));
  expect_placement_refused("o: rank 2 is not listed; the job has 4 ranks", order("0 1 3\n"));
}

TEST(RankPlacement, WordsOfTheSetting) {
  EXPECT_EQ(rank_placement::of("block", 5, 2).process_of(2), 0);
  EXPECT_EQ(rank_placement::of("round-robin", 5, 2).process_of(2), 0);
  EXPECT_EQ(rank_placement::of("round-robin", 5, 2).process_of(3), 1);
  const std::string path = testing::TempDir() + "pure_rank_placement_" + std::to_string(getpid());
  std::ofstream(path) << "3-0\n";
  EXPECT_EQ(rank_placement::of("order:" + path, 4, 2).process_of(3), 0);
  std::ofstream(path) << "0-2 1\n3 0\n";
  EXPECT_EQ(rank_placement::of("file:" + path, 4, 2).process_of(3), 0);
  std::filesystem::remove(path);
  EXPECT_EQ(rank_placement::path_in("order:a b"), "a b");
  EXPECT_EQ(rank_placement::path_in("block"), "");
  expect_placement_refused("cannot be read", [&] { rank_placement::of("file:" + path, 4, 2); });
  expect_placement_refused("is a directory", [&] { rank_placement::of("order:/tmp", 4, 2); });
  expect_placement_refused("did you mean round-robin?", [] { rank_placement::path_in("round_robin"); });
  expect_placement_refused("allowed is block", [] { rank_placement::path_in("file:"); });
  expect_placement_refused("3 processes cannot share 2 ranks", [] { rank_placement::block(2, 3); });
}

}  // namespace
