// Conversions that ranks add to the formats of printf: each has its own, whatever others register and take back.
#include <gtest/gtest.h>
#include <printf.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cwchar>
#include <string>
#include <thread>

#include "support/loaded_rank.hpp"

namespace formats_test {

using namespace pure::core;
using test_support::as_rank;
using test_support::new_rank;
using test_support::replaced_of_process;

using specifier = int(int, printf_function*, printf_arginfo_size_function*);
using modifier = int(const wchar_t*);
using type = int(printf_va_arg_function*);

const auto register_specifier = [](int spec, printf_function* print, printf_arginfo_size_function* arguments) {
  return replaced_of_process<specifier>("register_printf_specifier")(spec, print, arguments);
};

int one_int(const printf_info* /*info*/, std::size_t count, int* types, int* sizes) {
  if (count > 0) types[0] = PA_INT, sizes[0] = sizeof(int);
  return 1;
}

template <char name>
int print_with_name(FILE* stream, const printf_info* /*info*/, const void* const* arguments) {
  return std::fprintf(stream, "%c%d", name, *static_cast<const int*>(arguments[0]));
}

// The format is no constant: compilers know nothing of %Y.
std::string printed(const char* format, int value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

TEST(rank_formats, are_each_rank_s_own) {
  hidden_state& a = new_rank();
  hidden_state& b = new_rank();
  hidden_state& c = new_rank();
  {
    const as_rank here(a);
    EXPECT_EQ(register_specifier('Y', print_with_name<'a'>, one_int), 0);
    EXPECT_EQ(printed("<%Y>", 7), "<a7>");
  }
  {
    const as_rank here(b);
    EXPECT_EQ(printed("<%Y>", 7), "<%Y>");
    EXPECT_EQ(register_specifier('Y', print_with_name<'b'>, one_int), 0);
    EXPECT_EQ(printed("<%Y>", 8), "<b8>");
  }
  {
    const as_rank here(a);
    EXPECT_EQ(printed("<%Y>", 9), "<a9>");
    EXPECT_EQ(register_specifier('Y', nullptr, nullptr), 0);
    EXPECT_EQ(printed("<%Y>", 9), "<%Y>");
  }
  {
    const as_rank here(b);
    EXPECT_EQ(printed("<%Y>", 10), "<b10>") << "another rank has taken back its own";
  }
  const as_rank here(c);
  EXPECT_EQ(printed("<%Y>", 11), "<%Y>");
  EXPECT_EQ(printed("<%d>", 11), "<11>");
}

TEST(rank_formats, of_a_thread_of_no_rank_are_those_that_it_registers) {
  std::thread([] {
    EXPECT_EQ(printed("<%Y>", 4), "<%Y>");
    EXPECT_EQ(register_specifier('Y', print_with_name<'n'>, one_int), 0);
    EXPECT_EQ(printed("<%Y>", 5), "<n5>");
    EXPECT_EQ(register_specifier('Y', nullptr, nullptr), 0);
    EXPECT_EQ(printed("<%Y>", 6), "<%Y>");
  }).join();
}

TEST(rank_formats, are_refused_beyond_a_character) {
  hidden_state& its = new_rank();
  const as_rank here(its);
  for (const int spec : {-1, 256}) {
    errno = 0;
    EXPECT_EQ(register_specifier(spec, print_with_name<'a'>, one_int), -1);
    EXPECT_EQ(errno, EINVAL);
  }
  EXPECT_EQ(its.formats.types[0].load(), nullptr) << "one behind the last conversion";
  EXPECT_EQ(its.formats.types[1].load(), nullptr);
  EXPECT_EQ(register_specifier(255, nullptr, nullptr), 0);
}

// As libquadmath does: conversions of libc's own, for another type only, and back at the end of a rank.
TEST(rank_formats, come_and_go_while_other_ranks_print) {
  const auto not_mine = [](FILE*, const printf_info*, const void* const*) { return -2; };
  const auto by_libc = [](const printf_info*, std::size_t, int*, int*) { return -1; };
  hidden_state& its = new_rank();
  const as_rank here(new_rank());
  std::atomic<bool> is_over{false};
  std::thread others([&] {
    while (!is_over) {
      const as_rank there(its);
      register_specifier('g', not_mine, by_libc);
      std::this_thread::yield();
      register_specifier('g', nullptr, nullptr);
    }
  });
  for (int i = 0; i < 20'000; ++i) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", i + 0.5);
    ASSERT_EQ(std::stod(text), i + 0.5);
  }
  is_over = true;
  others.join();
}

TEST(rank_formats, a_modifier_has_one_bit_and_a_type_of_each_place_one_number) {
  auto* const register_modifier = replaced_of_process<modifier>("register_printf_modifier");
  auto* const register_type = replaced_of_process<type>("register_printf_type");
  const auto take = [](void*, va_list*) {};
  int bit = 0;
  int first = 0;
  for (int rank = 0; rank < 20; ++rank) {
    const as_rank here(new_rank());
    const int its_bit = register_modifier(L"Qtest");
    const int its_first = register_type(take);
    if (rank == 0) bit = its_bit, first = its_first;
    EXPECT_GT(its_bit, 0);
    EXPECT_EQ(its_bit, bit);
    EXPECT_GE(its_first, PA_LAST);
    EXPECT_EQ(its_first, first);
  }
  const as_rank here(new_rank());
  for (int i = 0; i < format_state::most_types; ++i) EXPECT_EQ(register_type(take) == first, i == 0);
  errno = 0;
  EXPECT_EQ(register_type(take), -1) << "one more than there is room for";
  EXPECT_EQ(errno, ENOSPC);
}

}  // namespace formats_test
