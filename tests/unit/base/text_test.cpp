// Text: numbers, sizes, lists of cpus, distances between words; against simple oracles.
#include "base/text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

namespace {

using namespace pure::core;

TEST(Text, Trims) {
  EXPECT_EQ(trimmed("  a b\t\n"), "a b");
  EXPECT_EQ(trimmed(" \t "), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Text, SplitsAtEverySeparator) {
  using parts = std::vector<std::string_view>;
  EXPECT_EQ(split("a,b,,c,", ','), (parts{"a", "b", "", "c", ""}));
  EXPECT_EQ(split("", ','), (parts{""}));
}

TEST(Text, NumbersAreDigitsThatFit) {
  EXPECT_EQ(parse_number("0"), 0U);
  EXPECT_EQ(parse_number("18446744073709551615"), 18446744073709551615U);
  for (const char* bad : {"", "-1", "+1", " 1", "1 ", "1a", "18446744073709551616"}) {
    EXPECT_FALSE(parse_number(bad)) << bad;
  }
}

TEST(Text, BytesOverflowIsRefused) {
  EXPECT_EQ(parse_bytes("16777215T"), 16777215ULL << 40);
  EXPECT_FALSE(parse_bytes("16777216T"));
  EXPECT_EQ(parse_bytes("0G"), 0U);
  for (const char* bad : {"", "K", "1Q", "1KBB", "1BK", "1i", "1Ki", "- 1K", "1K 1"})
    EXPECT_FALSE(parse_bytes(bad)) << bad;
}

TEST(Text, BytesAreWrittenAsTheyAreRead) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1000), "1000 B");
  EXPECT_EQ(bytes_text(65536), "64 KiB");
  EXPECT_EQ(bytes_text(1ULL << 50), "1024 TiB");
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t bytes = random() >> (random() % 64) << (random() % 30);
    EXPECT_EQ(parse_bytes(bytes_text(bytes)), bytes);
  }
}

TEST(Text, CpuLists) {
  using cpus = std::vector<int>;
  EXPECT_EQ(parse_cpu_list("3"), cpus{3});
  EXPECT_EQ(parse_cpu_list("8, 0-3 ,2"), (cpus{0, 1, 2, 3, 8}));
  EXPECT_EQ(cpu_list_text(cpus{0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
  EXPECT_EQ(cpu_list_text({}), "none");
  for (const char* bad : {"", ",", "1,", "3-1", "-1", "1-", "a", "1-2-3", "0-1048576", "1048576", "1;2"}) {
    EXPECT_FALSE(parse_cpu_list(bad)) << bad;
  }
  std::mt19937 random(2);
  for (int i = 0; i < 500; ++i) {
    std::set<int> chosen;
    for (int n = 1 + static_cast<int>(random() % 30); n > 0; --n) chosen.insert(static_cast<int>(random() % 64));
    const cpus list(chosen.begin(), chosen.end());
    EXPECT_EQ(parse_cpu_list(cpu_list_text(list)), list);
  }
}

// By the definition, without a table.
std::size_t slow_distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  std::size_t best = std::min({slow_distance(a.substr(1), b) + 1, slow_distance(a, b.substr(1)) + 1,
                               slow_distance(a.substr(1), b.substr(1)) + (a[0] == b[0] ? 0 : 1)});
  if (a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0]) {
    best = std::min(best, slow_distance(a.substr(2), b.substr(2)) + 1);
  }
  return best;
}

TEST(Text, EditDistance) {
  EXPECT_EQ(edit_distance("ranks", "ranks"), 0U);
  EXPECT_EQ(edit_distance("ransk", "ranks"), 1U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    std::string a, b;
    for (auto n = random() % 6; n > 0; --n) a += static_cast<char>('a' + random() % 3);
    for (auto n = random() % 6; n > 0; --n) b += static_cast<char>('a' + random() % 3);
    EXPECT_EQ(edit_distance(a, b), slow_distance(a, b)) << a << " " << b;
  }
}

TEST(Text, NearestIsTheOneThatWasMeant) {
  const std::vector<std::string_view> words = {"core", "numa", "socket", "none", "--report-bindings", "--map-by"};
  EXPECT_EQ(nearest("cores", words), "core");
  EXPECT_EQ(nearest("NUAM", words), "numa");
  EXPECT_EQ(nearest("sockets", words), "socket");
  EXPECT_EQ(nearest("--report", words), "--report-bindings");
  EXPECT_EQ(nearest("--mapby", words), "--map-by");
  EXPECT_EQ(nearest("banana", words), "");
  EXPECT_EQ(nearest("", words), "");
}

TEST(Text, WrapsAtSpaces) {
  EXPECT_EQ(wrapped("one two three", 2, 9), "  one two\n  three\n");
  EXPECT_EQ(wrapped("  averyverylongword  x ", 1, 5), " averyverylongword\n x\n");
  EXPECT_EQ(wrapped("", 3, 10), "");
}

TEST(Text, CountsNouns) {
  EXPECT_EQ(counted(0, "rank"), "0 ranks");
  EXPECT_EQ(counted(1, "rank"), "1 rank");
  EXPECT_EQ(counted(2, "rank"), "2 ranks");
  EXPECT_EQ(counted(2, "process"), "2 processes");
}

TEST(Text, NamesTypesAsProgramsWriteThem) {
  EXPECT_EQ(type_name(typeid(unsigned).name()), "unsigned int");
  EXPECT_EQ(type_name(typeid(std::set<int>).name()).substr(0, 13), "std::set<int,");
}

}  // namespace
