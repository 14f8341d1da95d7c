// What the functions in place of libc's ask the program of a rank for, over one that only notes what it is asked for:
// its exit, its threads, its values in the auxiliary vector. And what is done around a fork, which each program has
// asked for.
#include "libc/program_of_rank.hpp"

#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <thread>

#include "libc/notifications.hpp"
#include "libc/replacement_parts.hpp"
#include "support/in_a_child.hpp"
#include "support/kept_stderr.hpp"
#include "support/loaded_rank.hpp"

namespace program_of_rank_test {

using namespace pure::core;
using test_support::as_rank;
using test_support::in_a_child;
using test_support::kept_stderr;
using test_support::new_rank;
using test_support::replaced;
using test_support::replaced_of_process;

constexpr int own_exits = 40;

struct noted_program final : program_of_rank {
  hidden_state& state = new_rank();
  int begun = 0;

  noted_program() { state.program = this; }
  noted_program(const noted_program&) = delete;
  noted_program& operator=(const noted_program&) = delete;
  ~noted_program() { state.program = nullptr; }

  void begin_thread() override {
    ++begun;
    set_hidden_state_here(&state);
  }
  [[noreturn]] void exit(int status) override { _exit(own_exits + status); }
  std::optional<unsigned long> auxiliary_value(unsigned long type) override {
    return type == AT_ENTRY ? std::optional(17UL) : std::nullopt;
  }
};

TEST(program_of_rank, is_that_of_the_thread_s_rank) {
  EXPECT_EQ(program_of_thread(), nullptr);
  noted_program one, other;
  const as_rank here(one.state);
  EXPECT_EQ(program_of_thread(), &one);
  {
    const as_rank there(other.state);
    EXPECT_EQ(program_of_thread(), &other);
    const as_rank without_program(new_rank());
    EXPECT_EQ(program_of_thread(), nullptr);
  }
  std::thread([] { EXPECT_EQ(program_of_thread(), nullptr); }).join();
}

TEST(program_of_rank, exits_where_a_message_ends_it) {
  const auto rank_errx = replaced<void(int, const char*, ...)>(error_replacements(), "errx");
  const auto rank_error = replaced<void(int, int, const char*, ...)>(error_replacements(), "error");
  noted_program program;
  const kept_stderr kept;
  const auto in_rank = [&](auto say) {
    return in_a_child([&] {
      program.state.variables.errors = &stderr;
      program.state.variables.output = &stdout;
      const as_rank here(program.state);
      say();
      return 0;
    });
  };
  EXPECT_EQ(in_rank([&] { rank_errx(3, "ends"); }), own_exits + 3);
  EXPECT_EQ(in_rank([&] { rank_error(4, 0, "ends"); }), own_exits + 4);
  EXPECT_EQ(in_rank([&] { rank_error(0, 0, "goes on"); }), 0);
}

TEST(program_of_rank, has_values_of_its_own_where_it_has_any) {
  const auto rank_getauxval = replaced_of_process<unsigned long(unsigned long)>("getauxval");
  noted_program program;
  program.state.program_path = "/its/path";
  const as_rank here(program.state);
  EXPECT_EQ(rank_getauxval(AT_ENTRY), 17U);
  EXPECT_EQ(rank_getauxval(AT_PAGESZ), getauxval(AT_PAGESZ));
  EXPECT_STREQ(reinterpret_cast<const char*>(rank_getauxval(AT_EXECFN)), "/its/path");
  const as_rank without_program(new_rank());
  EXPECT_EQ(rank_getauxval(AT_ENTRY), getauxval(AT_ENTRY));
}

hidden_state* notified = nullptr;

TEST(program_of_rank, has_the_threads_that_libc_makes_for_it) {
  const auto notify_of = [](hidden_state& state) {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = [](sigval) { notified = hidden_state_of_thread(); };
    {
      const as_rank here(state);
      notify_in_rank(event);
    }
    std::thread([&] { event.sigev_notify_function(event.sigev_value); }).join();
  };
  noted_program program;
  notify_of(program.state);
  EXPECT_EQ(program.begun, 1);
  EXPECT_EQ(notified, &program.state);
  hidden_state& without_program = new_rank();
  notify_of(without_program);
  EXPECT_EQ(program.begun, 1);
  EXPECT_EQ(notified, &without_program);
}

std::string around_fork;

TEST(program_of_rank, is_told_of_its_own_forks) {
  using handler = void (*)();
  const auto rank_register = replaced_of_process<int(handler, handler, handler, void*)>("__register_atfork");
  noted_program one, other;
  int library = 0;
  // In a child, for libc forgets no handlers.
  EXPECT_EQ(in_a_child([&] {
              const auto fork_as = [](noted_program& program) {
                around_fork.clear();
                const as_rank here(program.state);
                const pid_t child = fork();
                if (child == 0) _exit(around_fork == "BAb" ? 0 : 1);
                int status = -1;
                waitpid(child, &status, 0);
                return around_fork + (status == 0 ? " BAb" : "");
              };
              {
                const as_rank here(one.state);
                if (rank_register([] { around_fork += 'A'; }, [] { around_fork += 'a'; }, nullptr, nullptr) != 0)
                  return 1;
                if (rank_register([] { around_fork += 'B'; }, nullptr, [] { around_fork += 'b'; }, &library) != 0)
                  return 2;
              }
              if (fork_as(one) != "BAa BAb") return 3;
              if (fork_as(other) != "") return 4;
              {
                const as_rank there(other.state);
                forget_fork_handlers(&library);  // another's
              }
              if (fork_as(one) != "BAa BAb") return 5;
              const as_rank here(one.state);
              forget_fork_handlers(&library);
              return fork_as(one) == "Aa" ? 0 : 6;
            }),
            0);
}

}  // namespace program_of_rank_test
