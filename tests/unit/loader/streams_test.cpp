// stdin, stdout and stderr of a loaded rank: buffers of its own over the process's descriptors. In children, whose
// descriptors 0 and 1 are files.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cwchar>
#include <string>

#include "support/in_a_child.hpp"
#include "support/loaded_rank.hpp"

namespace streams_test {

using namespace pure::core;
using test_support::as_rank;
using test_support::in_a_child;
using test_support::new_rank;

template <class Function>
Function* replaced(std::string_view name) {
  return test_support::replaced<Function>(process_replacements(), name);
}

std::string content_of(int file) {
  std::string bytes(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
  EXPECT_EQ(pread(file, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  return bytes;
}

/// What check(first, second), of two ranks whose streams are made, writes to descriptor 1; it returns 0 if all is well.
template <class Check>
std::string written_by_two(Check check, const std::string& input = "") {
  const int output = memfd_create("output", 0), given = memfd_create("input", 0);
  EXPECT_EQ(pwrite(given, input.data(), input.size(), 0), static_cast<ssize_t>(input.size()));
  EXPECT_EQ(in_a_child([&] {
              dup2(output, 1);
              dup2(given, 0);
              hidden_state &first = new_rank(0), &second = new_rank(1);
              for (hidden_state* const each : {&first, &second}) {
                each->streams.begin(each == &first);
                each->streams.input = each->streams.own_input;
              }
              return check(first, second);
            }),
            0);
  std::string text = content_of(output);
  close(output);
  close(given);
  return text;
}

TEST(rank_streams, have_a_buffer_for_each_rank) {
  EXPECT_EQ(written_by_two([](hidden_state& first, hidden_state& second) {
              {
                const as_rank here(first);
                replaced<int(const char*, ...)>("printf")("%s %d, ", "one", 1);
                replaced<int(int)>("putchar_unlocked")('x');
              }
              {
                const as_rank here(second);
                if (replaced<int(const char*)>("puts")("two") < 0) return 1;
                second.streams.flush();
              }
              {
                const as_rank here(first);
                replaced<int(int, const char*, ...)>("__printf_chk")(1, "%d", 3);
                replaced<int(int)>("putchar")('y');
                first.streams.flush();
              }
              return 0;
            }),
            "two\none 1, x3y");
}

TEST(rank_streams, are_wide_where_the_program_makes_them_so) {
  EXPECT_EQ(written_by_two([](hidden_state& first, hidden_state& second) {
              {
                const as_rank here(first);
                replaced<int(const wchar_t*, ...)>("wprintf")(L"%ls", L"wide");
                replaced<std::wint_t(wchar_t)>("putwchar")(L'!');
              }
              const as_rank here(second);
              replaced<int(const char*, ...)>("printf")("narrow");  // those of the other rank are
              first.streams.flush();
              second.streams.flush();
              return 0;
            }),
            "wide!narrow");
}

TEST(rank_streams, are_closed_and_opened_anew_by_one_rank_only) {
  const std::string written = written_by_two([](hidden_state& first, hidden_state& second) {
    {
      const as_rank here(second);
      if (replaced<FILE*(const char*, const char*, FILE*)>("freopen")("/dev/null", "w", second.streams.output) !=
          second.streams.output) {
        return 1;
      }
      replaced<int(const char*)>("puts")("nowhere");
      second.streams.flush();
    }
    const as_rank here(first);
    replaced<int(const char*)>("puts")("before");
    if (replaced<int(FILE*)>("fclose")(first.streams.output) != 0) return 2;
    if (fcntl(1, F_GETFD) < 0) return 3;
    first.streams.flush();  // there is none any more
    return write(1, "after", 5) == 5 ? 0 : 4;
  });
  EXPECT_EQ(written, "before\nafter");
}

TEST(rank_streams, are_what_the_program_assigns) {
  EXPECT_EQ(written_by_two([](hidden_state& first, hidden_state& /*second*/) {
              const as_rank here(first);
              FILE* const other = std::fopen("/dev/null", "w");
              FILE* const own = first.streams.output;
              first.streams.output = other;
              replaced<int(const char*)>("puts")("to the other");
              first.streams.output = own;
              replaced<int(const char*)>("puts")("to its own");
              first.streams.flush();
              return 0;
            }),
            "to its own\n");
}

TEST(rank_streams, give_the_input_to_rank_0_alone) {
  EXPECT_EQ(written_by_two(
                [](hidden_state& first, hidden_state& second) {
                  {
                    const as_rank here(second);
                    if (replaced<int()>("getchar")() != EOF) return 1;
                  }
                  const as_rank here(first);
                  int number = 0;
                  char word[10] = "", line[10] = "";
                  if (replaced<int(const char*, ...)>("__isoc99_scanf")("%d %9s", &number, word) != 2) return 2;
                  if (number != 12 || std::string(word) != "words") return 3;
                  if (replaced<int()>("getchar")() != '\n') return 4;
                  if (replaced<char*(char*)>("gets")(line) != line || std::string(line) != "a line") return 5;
                  if (replaced<char*(char*)>("gets")(line) != line || std::string(line) != "end") return 6;
                  return replaced<char*(char*)>("gets")(line) == nullptr ? 0 : 7;
                },
                "12 words\na line\nend"),
            "");
}

}  // namespace streams_test
