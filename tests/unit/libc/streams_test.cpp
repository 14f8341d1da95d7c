// stdin, stdout and stderr of a loaded rank: buffers of its own over the process's descriptors. In children, whose
// descriptors 0 and 1 are files.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cwchar>
#include <string>
#include <thread>

#include "libc/shared_things.hpp"
#include "support/in_a_child.hpp"
#include "support/loaded_rank.hpp"

namespace streams_test {

using namespace pure::core;
using test_support::as_rank;
using test_support::in_a_child;
using test_support::new_rank;
using test_support::replaced_of_process;

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
                replaced_of_process<int(const char*, ...)>("printf")("%s %d, ", "one", 1);
                replaced_of_process<int(int)>("putchar_unlocked")('x');
              }
              {
                const as_rank here(second);
                if (replaced_of_process<int(const char*)>("puts")("two") < 0) return 1;
                second.streams.flush();
              }
              {
                const as_rank here(first);
                replaced_of_process<int(int, const char*, ...)>("__printf_chk")(1, "%d", 3);
                replaced_of_process<int(int)>("putchar")('y');
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
                replaced_of_process<int(const wchar_t*, ...)>("wprintf")(L"%ls", L"wide");
                replaced_of_process<std::wint_t(wchar_t)>("putwchar")(L'!');
              }
              const as_rank here(second);
              replaced_of_process<int(const char*, ...)>("printf")("narrow");  // those of the other rank are
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
      if (replaced_of_process<FILE*(const char*, const char*, FILE*)>("freopen")(
              "/dev/null", "w", second.streams.output) != second.streams.output) {
        return 1;
      }
      replaced_of_process<int(const char*)>("puts")("nowhere");
      second.streams.flush();
    }
    const as_rank here(first);
    replaced_of_process<int(const char*)>("puts")("before");
    if (replaced_of_process<int(FILE*)>("fclose")(first.streams.output) != 0) return 2;
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
              replaced_of_process<int(const char*)>("puts")("to the other");
              first.streams.output = own;
              replaced_of_process<int(const char*)>("puts")("to its own");
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
                    if (replaced_of_process<int()>("getchar")() != EOF) return 1;
                  }
                  const as_rank here(first);
                  int number = 0;
                  char word[10] = "", line[10] = "";
                  if (replaced_of_process<int(const char*, ...)>("__isoc99_scanf")("%d %9s", &number, word) != 2)
                    return 2;
                  if (number != 12 || std::string(word) != "words") return 3;
                  if (replaced_of_process<int()>("getchar")() != '\n') return 4;
                  if (replaced_of_process<char*(char*)>("gets")(line) != line || std::string(line) != "a line")
                    return 5;
                  if (replaced_of_process<char*(char*)>("gets")(line) != line || std::string(line) != "end") return 6;
                  return replaced_of_process<char*(char*)>("gets")(line) == nullptr ? 0 : 7;
                },
                "12 words\na line\nend"),
            "");
}

TEST(rank_streams, go_out_while_another_rank_waits_for_input) {
  EXPECT_EQ(written_by_two([](hidden_state& first, hidden_state& second) {
              expect_ranks(2);
              std::atomic<bool> is_locked{false};
              std::thread([&] {
                flockfile(first.streams.own_input);  // as one that reads
                is_locked = true;
                for (;;) pause();
              }).detach();
              while (!is_locked) std::this_thread::yield();
              alarm(20);
              const as_rank here(second);
              replaced_of_process<int(const char*, ...)>("printf")("written, ");
              if (replaced_of_process<int(FILE*)>("fflush")(nullptr) != 0) return 1;
              replaced_of_process<int(const char*, ...)>("printf")("and kept");
              return 0;
            }),
            "written, ");
}

TEST(rank_streams, descriptor_0_has_nothing_for_other_ranks) {
  EXPECT_EQ(
      written_by_two(
          [](hidden_state& first, hidden_state& second) {
            char bytes[20] = "";
            const auto read_here = replaced_of_process<ssize_t(int, void*, std::size_t)>("read");
            {
              const as_rank here(second);
              if (read_here(0, bytes, sizeof bytes) != 0) return 1;
              if (replaced_of_process<ssize_t(int, void*, std::size_t, std::size_t)>("__read_chk")(0, bytes, 9, 9) != 0)
                return 2;
              const iovec part{bytes, sizeof bytes};
              if (replaced_of_process<ssize_t(int, const iovec*, int)>("readv")(0, &part, 1) != 0) return 3;
              if (replaced_of_process<ssize_t(int, void*, std::size_t, off_t)>("pread64")(0, bytes, 1, 0) != 0)
                return 4;
              if (replaced_of_process<off_t(int, off_t, int)>("lseek")(0, 0, SEEK_END) != 0) return 5;
              struct stat status {};
              if (replaced_of_process<int(int, struct stat*)>("fstat")(0, &status) != 0 || !S_ISCHR(status.st_mode))
                return 6;
              const int copy = replaced_of_process<int(int)>("dup")(0);
              if (read(copy, bytes, 1) != 0) return 7;
              FILE* const stream = replaced_of_process<FILE*(int, const char*)>("fdopen")(0, "r");
              if (std::fgetc(stream) != EOF || std::fclose(stream) != 0) return 8;
              if (replaced_of_process<int(int)>("isatty")(0) != 0) return 9;
              int waiting = 7;
              if (replaced_of_process<int(int, unsigned long, ...)>("ioctl")(0, FIONREAD, &waiting) == 0 &&
                  waiting != 0)
                return 10;
            }
            const as_rank here(first);
            if (read_here(0, bytes, sizeof bytes) != 4 || std::string(bytes) != "text") return 11;
            const as_rank again(second);
            const int other = memfd_create("other", 0);
            if (pwrite(other, "new", 3, 0) != 3 || replaced_of_process<int(int, int)>("dup2")(other, 0) != 0) return 12;
            return read_here(0, bytes, sizeof bytes) == 3 ? 0 : 13;  // as said in its warning
          },
          "text"),
      "");
}

}  // namespace streams_test
