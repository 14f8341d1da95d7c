// PURE_HUGE_PAGES: off, granted and not granted; and what the rings and stacks of a job take.
//
// Whether reserved pages are granted is the machine's matter: both outcomes are checked for what they promise. Refusals
// that any process can bring about are asked for: PR_SET_THP_DISABLE, and more pages than there is memory.
#include "machine/huge_pages.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <pure/pure.hpp>

#include "runtime/job.hpp"
#include "support/environment.hpp"

namespace pure::core {
namespace {

/// What /proc/self/smaps says of the mapping at an address: "KernelPageSize", "AnonHugePages", in KiB.
long smaps_of(const void* address, const std::string& name) {
  std::ifstream maps("/proc/self/smaps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  bool is_it = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long low = 0, high = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &low, &high) == 2) is_it = wanted >= low && wanted < high;
    if (is_it && line.starts_with(name + ":")) return std::stol(line.substr(name.size() + 1));
  }
  return -1;
}

/// What is printed on stderr meanwhile.
template <class Body>
std::string printed_by(Body body) {
  testing::internal::CaptureStderr();
  body();
  return testing::internal::GetCapturedStderr();
}

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(huge_pages, a_block_is_aligned_zeroed_and_writable_to_its_end) {
  const std::size_t page = huge_page_bytes();
  for (const page_kind kind : {page_kind::normal, page_kind::transparent}) {
    for (const std::size_t bytes : {std::size_t{1}, page, page + 1}) {
      const mapped_block block(bytes, kind);
      ASSERT_NE(block.data(), nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data()) % page, 0U);
      EXPECT_EQ(block.bytes(), (bytes + page - 1) / page * page);
      EXPECT_TRUE(
          std::all_of(block.data(), block.data() + block.bytes(), [](std::byte b) { return b == std::byte{0}; }));
      std::memset(block.data(), 7, block.bytes());
      const long in_front = smaps_of(block.data() - 1, "Rss");
      EXPECT_EQ(in_front, 0) << "nothing is in front of it but an inaccessible page";
    }
  }
}

void expect_granted_is_there(page_kind kind, const std::string& row_of_smaps) {
  const std::string why = why_not_granted(kind);
  if (!why.empty()) GTEST_SKIP() << why;
  mapped_block block(1, kind);
  ASSERT_NE(block.data(), nullptr);
  *block.data() = std::byte{1};
  EXPECT_GE(smaps_of(block.data(), row_of_smaps), static_cast<long>(huge_page_bytes() / 1024));
  const mapped_block moved = std::move(block);
  EXPECT_EQ(block.data(), nullptr);
  EXPECT_EQ(*moved.data(), std::byte{1});
}

TEST(huge_pages, transparent_ones_that_are_granted_are_there) {
  expect_granted_is_there(page_kind::transparent, "AnonHugePages");
}
TEST(huge_pages, reserved_ones_that_are_granted_are_there) {
  expect_granted_is_there(page_kind::reserved, "KernelPageSize");
}

TEST(huge_pages, a_refusal_says_once_what_was_asked_and_what_to_do) {
  const std::size_t too_much = std::size_t{1} << 46;  // 64 TiB
  const mapped_block none(too_much, page_kind::reserved);
  EXPECT_EQ(none.data(), nullptr);

  const std::string why = why_not_granted(page_kind::reserved);
  const std::string said = printed_by([&] {
    huge_pages pages(page_kind::reserved);
    EXPECT_EQ(pages.are_granted(), why.empty());
    for (int i = 0; i < 3; ++i) {
      mapped_block block = pages.map(std::size_t{1} << 36, "a stack");  // 64 GiB of addresses
      ASSERT_NE(block.data(), nullptr) << "it goes on with normal pages";
      *block.data() = std::byte{1};
    }
    EXPECT_FALSE(pages.are_granted());
  });
  EXPECT_EQ(count_of("pure: warning: PURE_HUGE_PAGES=reserved is not granted", said), 1U) << said;
  EXPECT_NE(said.find("/proc/sys/vm/nr_hugepages"), std::string::npos) << said;
}

TEST(huge_pages, a_process_without_transparent_pages_is_told_so) {
  const bool were_granted = why_not_granted(page_kind::transparent).empty();
  ASSERT_EQ(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
  const std::string why = why_not_granted(page_kind::transparent);
  const std::string said = printed_by([] { const huge_pages pages(page_kind::transparent); });
  ASSERT_EQ(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), 0);
  EXPECT_FALSE(why.empty());
  EXPECT_EQ(said,
            "pure: warning: PURE_HUGE_PAGES=transparent is not granted, so that rings and stacks are on normal "
            "pages: " +
                why + "\n");
  EXPECT_EQ(why_not_granted(page_kind::transparent).empty(), were_granted);
}

TEST(huge_pages, parts_share_blocks_and_do_not_overlap) {
  huge_pages pages(page_kind::transparent);
  constexpr std::size_t ring = 64 * 1024;
  const std::size_t in_a_block = huge_page_bytes() / ring;
  std::set<std::byte*> all;
  for (std::size_t i = 0; i < 4 * in_a_block; ++i) {
    auto* const part = static_cast<std::byte*>(pages.cut(ring, 0));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(part) % 128, 0U);
    std::memset(part, static_cast<int>(i % 100), ring);
    all.insert(part);
  }
  EXPECT_EQ(pages.blocks(), 4U) << "no page is wasted";
  std::byte* before = nullptr;
  for (std::byte* const part : all) {
    EXPECT_TRUE(before == nullptr || part - before >= static_cast<std::ptrdiff_t>(ring));
    before = part;
  }
  void* const last = pages.cut(100, 1);
  EXPECT_EQ(pages.blocks(), 5U) << "another NUMA node";
  pages.give_back(last, 100);
  EXPECT_EQ(pages.cut(3000, 1), last);
  EXPECT_NE(pages.cut(3000, 1), last);
  void* const large = pages.cut(3 * huge_page_bytes(), 1);
  std::memset(large, 1, 3 * huge_page_bytes());
  EXPECT_EQ(pages.blocks(), 6U);
}

/// A job on 3 ranks that talk, all with all: the address of a variable on each stack, and what the job has said.
struct talk {
  std::vector<long> anon_huge_kib, page_kib;  // of the mappings of the stacks
  std::string said;
};
talk talk_with(const char* setting) {
  const test_support::environment set{{"PURE_HUGE_PAGES", setting}, {"PURE_STACK_BYTES", "2M"}};
  talk result;
  std::mutex adding;
  result.said = printed_by([&] {
    pure::run(3, [&](pure::comm world) {
      for (int i = 0; i < world.size(); ++i) {
        pure::request sent = world.isend(world.rank(), i);
        EXPECT_EQ(world.recv<int>(i), i);
        sent.wait();
      }
      const int on_stack = world.rank();
      const std::lock_guard lock(adding);
      result.anon_huge_kib.push_back(smaps_of(&on_stack, "AnonHugePages"));
      result.page_kib.push_back(smaps_of(&on_stack, "KernelPageSize"));
    });
  });
  return result;
}

TEST(huge_pages, a_job_runs_on_them_or_says_why_not) {
  const talk off = talk_with("off");
  EXPECT_EQ(off.said, "");
  for (const long kib : off.page_kib) EXPECT_LT(kib, 100);

  const std::string no_transparent = why_not_granted(page_kind::transparent);
  const talk transparent = talk_with("transparent");
  EXPECT_EQ(count_of("PURE_HUGE_PAGES=transparent is not granted", transparent.said), no_transparent.empty() ? 0U : 1U)
      << transparent.said;
  if (no_transparent.empty()) {
    for (const long kib : transparent.anon_huge_kib) EXPECT_GE(kib, static_cast<long>(huge_page_bytes() / 1024));
  }

  const talk reserved = talk_with("reserved");
  if (why_not_granted(page_kind::reserved).empty() && reserved.said.empty()) {
    for (const long kib : reserved.page_kib) EXPECT_EQ(kib, static_cast<long>(huge_page_bytes() / 1024));
  } else {
    EXPECT_EQ(count_of("PURE_HUGE_PAGES=reserved is not granted", reserved.said), 1U) << reserved.said;
  }
}

TEST(huge_pages, many_pairs_of_ranks_do_with_few_pages) {
  const test_support::environment set{{"PURE_HUGE_PAGES", "transparent"}, {"PURE_STACK_BYTES", "64K"}};
  printed_by([] {  // it may be refused here: the blocks are the same
    pure::run(16, [](pure::comm world) {
      for (int i = 0; i < world.size(); ++i) {
        pure::request sent = world.isend(world.rank(), i);
        EXPECT_EQ(world.recv<int>(i), i);
        sent.wait();
      }
      const rank_context& me = *self();
      const std::size_t rings = huge_page_bytes() / (64 * 1024);
      std::set<int> nodes;
      for (int i = 0; i < world.size(); ++i) nodes.insert(me.owner().place_of(me.owner().at(i))->numa);
      EXPECT_LE(me.owner().pages()->blocks(), 256 / rings + nodes.size());
    });
  });
}

}  // namespace
}  // namespace pure::core
