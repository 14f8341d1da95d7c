// mpi.h, error handlers: whose handler gets an error, and how long a handler lasts (MPI 5.0, 9.3).
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "api/mpi/door_state.hpp"
#include "runtime/rank.hpp"
#include "support/mpi_ranks.hpp"

namespace {

using test_support::on_mpi_ranks;
using test_support::on_usual_mpi_ranks;

struct noted {
  int calls = 0;
  int code = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Win win = MPI_WIN_NULL;
  MPI_File file = reinterpret_cast<MPI_File>(1);
};
thread_local noted last;

void note_comm(MPI_Comm* comm, int* code, ...) { last = {.calls = last.calls + 1, .code = *code, .comm = *comm}; }
void note_win(MPI_Win* win, int* code, ...) { last = {.calls = last.calls + 1, .code = *code, .win = *win}; }
void note_file(MPI_File* file, int* code, ...) { last = {.calls = last.calls + 1, .code = *code, .file = *file}; }
void throw_it(MPI_Comm*, int* code, ...) { throw std::runtime_error("error " + std::to_string(*code)); }
void throw_of_win(MPI_Win*, int* code, ...) { throw std::runtime_error("window error " + std::to_string(*code)); }

MPI_Errhandler made_handler(MPI_Comm_errhandler_function* function = note_comm) {
  MPI_Errhandler made = MPI_ERRHANDLER_NULL;
  EXPECT_MPI(MPI_Comm_create_errhandler(function, &made));
  last = {};
  return made;
}
/// An error of that communicator.
int wrong_send(MPI_Comm on) { return MPI_Send(nullptr, 0, MPI_INT, 99, 0, on); }

std::size_t live_handlers() { return pure::core::mpi::door_state::of(*pure::core::self()).made_handlers.live(); }

TEST(mpi_error_handlers, get_the_object_and_the_code_which_the_call_returns) {
  for (const int ranks : {1, 2}) {
    on_mpi_ranks(ranks, [](int) {
      MPI_Errhandler handler = made_handler();
      MPI_Comm dup = MPI_COMM_NULL;
      EXPECT_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
      EXPECT_MPI(MPI_Comm_set_errhandler(dup, handler));
      EXPECT_CLASS(wrong_send(dup), MPI_ERR_RANK);
      EXPECT_TRUE(last.calls == 1 && last.comm == dup);
      EXPECT_CLASS(last.code, MPI_ERR_RANK);
      EXPECT_CLASS(wrong_send(MPI_COMM_WORLD), MPI_ERR_RANK);
      EXPECT_EQ(last.calls, 1) << "another communicator's";
      EXPECT_MPI(MPI_Errhandler_free(&handler));
      EXPECT_MPI(MPI_Comm_free(&dup));
    });
  }
}

TEST(mpi_error_handlers, last_as_long_as_an_object_has_them) {
  on_mpi_ranks(2, [](int) {
    MPI_Errhandler handler = made_handler(), got = MPI_ERRHANDLER_NULL;
    MPI_Comm first = MPI_COMM_NULL, second = MPI_COMM_NULL;
    EXPECT_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &first));
    EXPECT_MPI(MPI_Comm_set_errhandler(first, handler));
    EXPECT_MPI(MPI_Comm_dup(first, &second)) << "which has it, too";
    EXPECT_MPI(MPI_Errhandler_free(&handler));
    EXPECT_EQ(handler, MPI_ERRHANDLER_NULL);
    EXPECT_MPI(MPI_Comm_free(&first));
    EXPECT_EQ(live_handlers(), 1U);
    EXPECT_CLASS(wrong_send(second), MPI_ERR_RANK);
    EXPECT_TRUE(last.calls == 1 && last.comm == second);
    EXPECT_MPI(MPI_Comm_get_errhandler(second, &got));
    EXPECT_MPI(MPI_Comm_set_errhandler(second, MPI_ERRORS_RETURN));
    EXPECT_EQ(live_handlers(), 1U) << "the program has got a name for it";
    EXPECT_MPI(MPI_Errhandler_free(&got));
    EXPECT_EQ(live_handlers(), 0U);
    EXPECT_MPI(MPI_Comm_free(&second));
  });
}

TEST(mpi_error_handlers, are_given_back_when_they_are_replaced) {
  on_mpi_ranks(1, [](int) {
    for (int i = 0; i < 3; ++i) {
      MPI_Errhandler handler = made_handler();
      EXPECT_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, handler));
      EXPECT_MPI(MPI_Errhandler_free(&handler));
      EXPECT_EQ(live_handlers(), 1U);
    }
    EXPECT_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    EXPECT_EQ(live_handlers(), 0U);
  });
}

TEST(mpi_error_handlers, of_self_get_what_is_of_no_object) {
  on_mpi_ranks(1, [](int) {
    MPI_Errhandler handler = made_handler();
    int size = 0;
    EXPECT_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, handler));
    EXPECT_CLASS(MPI_Type_size(MPI_DATATYPE_NULL, &size), MPI_ERR_TYPE);
    EXPECT_CLASS(MPI_Comm_size(MPI_COMM_NULL, &size), MPI_ERR_COMM);
    EXPECT_EQ(last.calls, 2);
    EXPECT_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    EXPECT_MPI(MPI_Errhandler_free(&handler));
  });
}

/// Before MPI 4.0 they were that communicator's.
TEST(mpi_error_handlers, of_world_get_it_where_self_has_none) {
  on_usual_mpi_ranks(1, [](int) {
    int size = 0;
    EXPECT_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    EXPECT_CLASS(MPI_Type_size(MPI_DATATYPE_NULL, &size), MPI_ERR_TYPE);
  });
}

TEST(mpi_error_handlers, are_for_one_sort_of_objects) {
  on_mpi_ranks(1, [](int) {
    MPI_Errhandler of_comm = made_handler(), of_win = MPI_ERRHANDLER_NULL, of_file = MPI_ERRHANDLER_NULL;
    MPI_Win win = MPI_WIN_NULL;
    int memory[4] = {};
    EXPECT_MPI(MPI_Win_create_errhandler(note_win, &of_win));
    EXPECT_MPI(MPI_File_create_errhandler(note_file, &of_file));
    EXPECT_MPI(MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF, &win));
    EXPECT_CLASS(MPI_Comm_set_errhandler(MPI_COMM_SELF, of_win), MPI_ERR_ERRHANDLER);
    EXPECT_CLASS(MPI_File_set_errhandler(MPI_FILE_NULL, of_comm), MPI_ERR_ERRHANDLER);
    EXPECT_MPI(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    EXPECT_CLASS(MPI_Win_set_errhandler(win, of_file), MPI_ERR_ERRHANDLER);
    EXPECT_MPI(MPI_Win_set_errhandler(win, of_win));
    EXPECT_MPI(MPI_Win_fence(0, win));
    EXPECT_CLASS(MPI_Put(memory, 1, MPI_INT, 7, 0, 1, MPI_INT, win), MPI_ERR_RANK);
    EXPECT_TRUE(last.calls == 1 && last.win == win);
    EXPECT_MPI(MPI_Win_fence(0, win));
    EXPECT_MPI(MPI_Win_free(&win));
    for (MPI_Errhandler* const each : {&of_comm, &of_win, &of_file}) EXPECT_MPI(MPI_Errhandler_free(each));
    EXPECT_EQ(live_handlers(), 0U);
  });
}

TEST(mpi_error_handlers, of_no_file_return_unless_the_program_sets_another_one) {
  on_usual_mpi_ranks(1, [](int) {
    MPI_File file = MPI_FILE_NULL;
    const auto open = [&] { return MPI_File_open(MPI_COMM_SELF, "/none", MPI_MODE_RDONLY, MPI_INFO_NULL, &file); };
    EXPECT_CLASS(open(), MPI_ERR_UNSUPPORTED_OPERATION);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL, got = MPI_ERRHANDLER_NULL;
    EXPECT_MPI(MPI_File_get_errhandler(MPI_FILE_NULL, &got));
    EXPECT_EQ(got, MPI_ERRORS_RETURN);
    EXPECT_MPI(MPI_File_create_errhandler(note_file, &handler));
    EXPECT_MPI(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    last = {};
    EXPECT_CLASS(open(), MPI_ERR_UNSUPPORTED_OPERATION);
    EXPECT_TRUE(last.calls == 1 && last.file == MPI_FILE_NULL);
    EXPECT_MPI(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO));
    EXPECT_EQ(last.calls, 2);
    EXPECT_MPI(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    EXPECT_MPI(MPI_Errhandler_free(&handler));
    EXPECT_EQ(live_handlers(), 0U);
  });
}

TEST(mpi_error_handlers, that_are_called_by_name_are_the_callers) {
  on_mpi_ranks(1, [](int) {
    MPI_Errhandler handler = made_handler();
    EXPECT_MPI(MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_TAG)) << "it returns errors: nothing happens";
    EXPECT_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, handler));
    EXPECT_MPI(MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_TAG));
    EXPECT_TRUE(last.calls == 1 && last.code == MPI_ERR_TAG && last.comm == MPI_COMM_SELF);
    EXPECT_MPI(MPI_Errhandler_free(&handler));
    EXPECT_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  });
}

template <class Call>
std::string thrown_by(Call call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(mpi_error_handlers, may_throw_to_the_program) {
  on_mpi_ranks(2, [](int) {
    MPI_Errhandler handler = made_handler(throw_it), of_win = MPI_ERRHANDLER_NULL;
    MPI_Comm dup = MPI_COMM_NULL;
    MPI_Win win = MPI_WIN_NULL;
    EXPECT_MPI(MPI_Win_create_errhandler(throw_of_win, &of_win));
    EXPECT_MPI(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &win));
    EXPECT_MPI(MPI_Win_set_errhandler(win, of_win));
    EXPECT_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    EXPECT_MPI(MPI_Comm_set_errhandler(dup, handler));
    EXPECT_EQ(thrown_by([&] { wrong_send(dup); }), "error " + std::to_string(MPI_ERR_RANK));
    EXPECT_EQ(thrown_by([&] { MPI_Comm_call_errhandler(dup, 3); }), "error 3");
    EXPECT_EQ(thrown_by([&] { MPI_Win_call_errhandler(win, 4); }), "window error 4");
    int sum = 0;
    const int one = 1;
    EXPECT_MPI(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, dup)) << "the ranks go on";
    EXPECT_EQ(sum, 2);
    EXPECT_MPI(MPI_Comm_free(&dup));
    EXPECT_MPI(MPI_Win_free(&win));
    EXPECT_MPI(MPI_Errhandler_free(&handler));
    EXPECT_MPI(MPI_Errhandler_free(&of_win));
  });
}

}  // namespace
