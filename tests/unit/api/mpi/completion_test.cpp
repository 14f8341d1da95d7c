// mpi.h, requests: what completes, what does not, and what statuses say of it (MPI 5.0, 3.7, 3.8.4 and 3.9).
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "support/mpi_ranks.hpp"

namespace {

using test_support::on_mpi_ranks;

/// A receive from nobody yet, on MPI_COMM_SELF.
MPI_Request receive_into(int& to, int tag) {
  MPI_Request made = MPI_REQUEST_NULL;
  EXPECT_MPI(MPI_Irecv(&to, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &made));
  return made;
}
void send_to_self(int value, int tag) { EXPECT_MPI(MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_SELF)); }

bool is_complete(MPI_Request request) {
  int flag = 0;
  EXPECT_MPI(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
  return flag != 0;
}

MPI_Status unset() {
  MPI_Status status;
  std::memset(&status, 77, sizeof status);
  return status;
}
bool is_empty(const MPI_Status& status) {
  int count = -1;
  EXPECT_MPI(MPI_Get_count(&status, MPI_INT, &count));
  return status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG && status.MPI_ERROR == MPI_SUCCESS &&
         count == 0;
}

TEST(mpi_completion, startall_checks_all_before_it_starts_any) {
  on_mpi_ranks(1, [](int) {
    int in = 0, other = 0;
    const int out = 1;
    MPI_Request receive = MPI_REQUEST_NULL, send = MPI_REQUEST_NULL, active = MPI_REQUEST_NULL;
    EXPECT_MPI(MPI_Recv_init(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &receive));
    EXPECT_MPI(MPI_Send_init(&out, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &send));
    EXPECT_MPI(MPI_Recv_init(&other, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &active));
    EXPECT_MPI(MPI_Start(&active));
    const MPI_Request once = receive_into(other, 4);
    for (const MPI_Request wrong : {MPI_REQUEST_NULL, active, once, receive}) {
      std::array all{receive, send, wrong};
      EXPECT_CLASS(MPI_Startall(3, all.data()), MPI_ERR_REQUEST);
      EXPECT_EQ(all, (std::array{receive, send, wrong}));
      int flag = 1;
      EXPECT_MPI(MPI_Iprobe(0, 2, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
      EXPECT_EQ(flag, 0) << "the send was started";
      EXPECT_TRUE(is_complete(receive)) << "the receive was started";
    }
    std::array right{receive, send};
    EXPECT_MPI(MPI_Startall(2, right.data()));
    EXPECT_FALSE(is_complete(receive));
    send_to_self(5, 1);
    EXPECT_MPI(MPI_Recv(&other, 1, MPI_INT, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    EXPECT_MPI(MPI_Waitall(2, right.data(), MPI_STATUSES_IGNORE));
    EXPECT_EQ(in, 5);
    EXPECT_EQ(right, (std::array{receive, send})) << "persistent ones stay";
    std::array ended{active, once};
    send_to_self(6, 3);
    send_to_self(7, 4);
    EXPECT_MPI(MPI_Waitall(2, ended.data(), MPI_STATUSES_IGNORE));
    EXPECT_EQ(ended[1], MPI_REQUEST_NULL);
    for (MPI_Request* const each : {&receive, &send, &active}) EXPECT_MPI(MPI_Request_free(each));
  });
}

TEST(mpi_completion, of_several_the_errors_are_in_the_statuses) {
  on_mpi_ranks(1, [](int) {
    int in[3] = {};
    std::array all{receive_into(in[0], 0), receive_into(in[1], 1), receive_into(in[2], 2)};
    std::array statuses{unset(), unset(), unset()};
    const int two[2] = {8, 9};
    send_to_self(7, 0);
    EXPECT_MPI(MPI_Send(two, 2, MPI_INT, 0, 1, MPI_COMM_SELF));
    send_to_self(9, 2);
    EXPECT_CLASS(MPI_Waitall(3, all.data(), statuses.data()), MPI_ERR_IN_STATUS);
    EXPECT_EQ(statuses[0].MPI_ERROR, MPI_SUCCESS);
    EXPECT_CLASS(statuses[1].MPI_ERROR, MPI_ERR_TRUNCATE);
    EXPECT_EQ(statuses[2].MPI_ERROR, MPI_SUCCESS);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(statuses[static_cast<std::size_t>(i)].MPI_TAG, i);
    EXPECT_EQ(all, (std::array{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL}));
    EXPECT_EQ(in[0], 7);
    EXPECT_EQ(in[2], 9);

    MPI_Status one = unset();
    MPI_Request alone = receive_into(in[0], 3);
    EXPECT_MPI(MPI_Send(two, 2, MPI_INT, 0, 3, MPI_COMM_SELF));
    EXPECT_CLASS(MPI_Wait(&alone, &one), MPI_ERR_TRUNCATE) << "of one it is the call's";
    EXPECT_EQ(alone, MPI_REQUEST_NULL);
  });
}

thread_local std::array<MPI_Comm, 2> comms;
thread_local int first_calls, second_calls;
void note_first(MPI_Comm* comm, int*, ...) { first_calls += *comm == comms[0]; }
void note_second(MPI_Comm* comm, int*, ...) { second_calls += *comm == comms[1]; }

/// The first that fails: the handler of its communicator is called, and no other one.
TEST(mpi_completion, the_error_is_of_the_first_that_fails) {
  on_mpi_ranks(1, [](int) {
    first_calls = second_calls = 0;
    MPI_Errhandler of_first, of_second;
    EXPECT_MPI(MPI_Comm_create_errhandler(note_first, &of_first));
    EXPECT_MPI(MPI_Comm_create_errhandler(note_second, &of_second));
    for (MPI_Comm& each : comms) EXPECT_MPI(MPI_Comm_dup(MPI_COMM_SELF, &each));
    EXPECT_MPI(MPI_Comm_set_errhandler(comms[0], of_first));
    EXPECT_MPI(MPI_Comm_set_errhandler(comms[1], of_second));
    int in[2] = {};
    const int two[2] = {1, 2};
    std::array<MPI_Request, 2> all;
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_MPI(MPI_Irecv(&in[i], 1, MPI_INT, 0, 0, comms[i], &all[i]));
      EXPECT_MPI(MPI_Send(two, 2, MPI_INT, 0, 0, comms[i]));
    }
    EXPECT_CLASS(MPI_Waitall(2, all.data(), MPI_STATUSES_IGNORE), MPI_ERR_IN_STATUS);
    EXPECT_EQ(first_calls, 1);
    EXPECT_EQ(second_calls, 0);
    for (MPI_Comm& each : comms) EXPECT_MPI(MPI_Comm_free(&each));
    EXPECT_MPI(MPI_Errhandler_free(&of_first));
    EXPECT_MPI(MPI_Errhandler_free(&of_second));
  });
}

TEST(mpi_completion, a_look_at_many_leaves_them_and_says_all) {
  on_mpi_ranks(1, [](int) {
    constexpr int count = 40;
    std::array<int, count> in{};
    std::array<MPI_Request, count> all{};
    std::array<MPI_Status, count> statuses{};
    std::array<int, count> indices{};
    for (int i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = receive_into(in[static_cast<std::size_t>(i)], i);
    const std::array before = all;
    int flag = 1, some = 0;
    for (int i = 0; i < count; ++i) {
      EXPECT_MPI(MPI_Request_get_status_all(count, all.data(), &flag, statuses.data()));
      EXPECT_EQ(flag, 0) << i << " of " << count;
      send_to_self(i, count - 1 - i);
      EXPECT_MPI(MPI_Request_get_status_some(count, all.data(), &some, indices.data(), statuses.data()));
      ASSERT_EQ(some, i + 1);
      for (std::size_t j = 0; j < static_cast<std::size_t>(some); ++j) {
        EXPECT_EQ(indices[j], count - 1 - i + static_cast<int>(j));
        EXPECT_EQ(statuses[j].MPI_TAG, indices[j]) << "statuses stand in the order of the indices";
      }
    }
    EXPECT_MPI(MPI_Request_get_status_all(count, all.data(), &flag, statuses.data()));
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(all, before);
    for (int i = 0; i < count; ++i) EXPECT_EQ(statuses[static_cast<std::size_t>(i)].MPI_TAG, i);
    EXPECT_MPI(MPI_Waitall(count, all.data(), MPI_STATUSES_IGNORE));
    for (const MPI_Request each : all) EXPECT_EQ(each, MPI_REQUEST_NULL);
  });
}

TEST(mpi_completion, null_and_inactive_requests_give_the_empty_status) {
  on_mpi_ranks(1, [](int) {
    int in = 0, index = 0, flag = 0, count = 0;
    MPI_Request inactive = MPI_REQUEST_NULL;
    EXPECT_MPI(MPI_Recv_init(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &inactive));
    for (const MPI_Request of : {MPI_REQUEST_NULL, inactive}) {
      std::array all{of, MPI_REQUEST_NULL};
      std::array statuses{unset(), unset()};
      EXPECT_MPI(MPI_Wait(all.data(), statuses.data()));
      EXPECT_TRUE(is_empty(statuses[0]));
      statuses.fill(unset());
      EXPECT_MPI(MPI_Test(all.data(), &flag, statuses.data()));
      EXPECT_TRUE(flag == 1 && is_empty(statuses[0]));
      statuses.fill(unset());
      EXPECT_MPI(MPI_Waitany(2, all.data(), &index, statuses.data()));
      EXPECT_TRUE(index == MPI_UNDEFINED && is_empty(statuses[0]));
      statuses.fill(unset());
      EXPECT_MPI(MPI_Testany(2, all.data(), &index, &flag, statuses.data()));
      EXPECT_TRUE(flag == 1 && index == MPI_UNDEFINED && is_empty(statuses[0]));
      statuses.fill(unset());
      EXPECT_MPI(MPI_Waitall(2, all.data(), statuses.data()));
      EXPECT_TRUE(is_empty(statuses[0]) && is_empty(statuses[1]));
      EXPECT_MPI(MPI_Waitsome(2, all.data(), &count, &index, statuses.data()));
      EXPECT_EQ(count, MPI_UNDEFINED);
      EXPECT_MPI(MPI_Testsome(2, all.data(), &count, &index, statuses.data()));
      EXPECT_EQ(count, MPI_UNDEFINED);
      EXPECT_EQ(all[0], of);
    }
    EXPECT_MPI(MPI_Request_free(&inactive));
  });
}

TEST(mpi_completion, only_what_is_complete_ends) {
  on_mpi_ranks(1, [](int) {
    int in[3] = {}, flag = 1, count = 0, index = 0, indices[3] = {};
    std::array all{receive_into(in[0], 0), receive_into(in[1], 1), receive_into(in[2], 2)};
    const std::array before = all;
    std::array statuses{unset(), unset(), unset()};
    send_to_self(5, 1);
    EXPECT_MPI(MPI_Testall(3, all.data(), &flag, statuses.data()));
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(all, before) << "none ends where not all do";
    EXPECT_MPI(MPI_Waitsome(3, all.data(), &count, indices, statuses.data()));
    EXPECT_TRUE(count == 1 && indices[0] == 1 && statuses[0].MPI_TAG == 1 && in[1] == 5);
    EXPECT_EQ(all, (std::array{before[0], MPI_REQUEST_NULL, before[2]}));
    EXPECT_MPI(MPI_Testany(3, all.data(), &index, &flag, MPI_STATUS_IGNORE));
    EXPECT_EQ(flag, 0);
    EXPECT_MPI(MPI_Testsome(3, all.data(), &count, indices, MPI_STATUSES_IGNORE));
    EXPECT_EQ(count, 0);
    send_to_self(6, 2);
    EXPECT_MPI(MPI_Waitany(3, all.data(), &index, statuses.data()));
    EXPECT_TRUE(index == 2 && statuses[0].MPI_TAG == 2 && all[2] == MPI_REQUEST_NULL && in[2] == 6);
    EXPECT_MPI(MPI_Cancel(all.data()));
    EXPECT_MPI(MPI_Wait(all.data(), statuses.data()));
    EXPECT_MPI(MPI_Test_cancelled(statuses.data(), &flag));
    EXPECT_EQ(flag, 1);
  });
}

TEST(mpi_completion, a_look_leaves_the_request_which_may_be_freed_then) {
  for (const int ranks : {1, 3}) {
    on_mpi_ranks(ranks, [=](int rank) {
      MPI_Request request = MPI_REQUEST_NULL;
      int sum = 0, flag = 0;
      if (ranks > 1 && rank == 1) {  // so the request of rank 0 is active
        EXPECT_MPI(MPI_Recv(nullptr, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      }
      EXPECT_MPI(MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
      if (ranks > 1 && rank == 0) {
        EXPECT_CLASS(MPI_Request_free(&request), MPI_ERR_REQUEST);
        EXPECT_MPI(MPI_Send(nullptr, 0, MPI_INT, 1, 1, MPI_COMM_WORLD));
      }
      const MPI_Request before = request;
      while (flag == 0) EXPECT_MPI(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
      EXPECT_EQ(request, before);
      EXPECT_EQ(sum, ranks * (ranks - 1) / 2);
      EXPECT_MPI(MPI_Request_free(&request));
      EXPECT_EQ(request, MPI_REQUEST_NULL);
    });
  }
}

TEST(mpi_completion, what_is_no_request_is_refused_and_stays) {
  on_mpi_ranks(1, [](int) {
    int in = 0, flag = 0, index = 0, count = 0;
    const MPI_Request right = receive_into(in, 0);
    for (const std::uintptr_t number : {0U, 3U, 14U, 16U, 4095U, 4096U, 0x7fffffffU}) {
      const auto none = reinterpret_cast<MPI_Request>(number);
      std::array all{right, none};
      EXPECT_CLASS(MPI_Wait(&all[1], MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
      EXPECT_CLASS(MPI_Test(&all[1], &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
      EXPECT_CLASS(MPI_Waitall(2, all.data(), MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
      EXPECT_CLASS(MPI_Testall(2, all.data(), &flag, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
      EXPECT_CLASS(MPI_Waitany(2, all.data(), &index, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
      EXPECT_CLASS(MPI_Testsome(2, all.data(), &count, &index, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
      EXPECT_CLASS(MPI_Request_get_status(none, &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
      EXPECT_CLASS(MPI_Start(&all[1]), MPI_ERR_REQUEST);
      EXPECT_CLASS(MPI_Cancel(&all[1]), MPI_ERR_REQUEST);
      EXPECT_CLASS(MPI_Request_free(&all[1]), MPI_ERR_REQUEST);
      EXPECT_EQ(all, (std::array{right, none})) << number;
    }
    MPI_Request ended = right;
    EXPECT_MPI(MPI_Cancel(&ended));
    EXPECT_MPI(MPI_Wait(&ended, MPI_STATUS_IGNORE));
  });
}

TEST(mpi_completion, statuses_hold_what_is_set) {
  on_mpi_ranks(1, [](int) {
    MPI_Status status = unset();
    int count = 0, value = 0, flag = 0;
    EXPECT_MPI(MPI_Status_set_elements(&status, MPI_SHORT, 3));
    EXPECT_MPI(MPI_Get_count(&status, MPI_SHORT, &count));
    EXPECT_EQ(count, 3);
    EXPECT_MPI(MPI_Get_count(&status, MPI_INT, &count));
    EXPECT_EQ(count, MPI_UNDEFINED) << "no whole number of them";
    EXPECT_MPI(MPI_Status_set_cancelled(&status, 1));
    EXPECT_MPI(MPI_Test_cancelled(&status, &flag));
    EXPECT_EQ(flag, 1);
    EXPECT_MPI(MPI_Status_set_source(&status, 5));
    EXPECT_MPI(MPI_Status_get_source(&status, &value));
    EXPECT_TRUE(value == 5 && status.MPI_SOURCE == 5);
    EXPECT_MPI(MPI_Status_set_tag(&status, 6));
    EXPECT_MPI(MPI_Status_get_tag(&status, &value));
    EXPECT_TRUE(value == 6 && status.MPI_TAG == 6);
    EXPECT_CLASS(MPI_Status_set_elements(nullptr, MPI_INT, 1), MPI_ERR_ARG);
    EXPECT_CLASS(MPI_Status_set_cancelled(nullptr, 1), MPI_ERR_ARG);
    EXPECT_CLASS(MPI_Status_set_source(nullptr, 1), MPI_ERR_ARG);
    EXPECT_CLASS(MPI_Status_set_tag(nullptr, 1), MPI_ERR_ARG);
    EXPECT_CLASS(MPI_Status_set_error(nullptr, 1), MPI_ERR_ARG);
  });
}

TEST(mpi_completion, nobody_needs_no_type) {
  on_mpi_ranks(1, [](int) {
    MPI_Status status = unset();
    MPI_Request request = MPI_REQUEST_NULL;
    EXPECT_MPI(MPI_Send(nullptr, 1, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    EXPECT_MPI(MPI_Recv(nullptr, 1, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
    EXPECT_TRUE(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    EXPECT_MPI(MPI_Irecv(nullptr, 1, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request));
    EXPECT_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    int in = 0;
    const int out = 4;
    EXPECT_MPI(MPI_Sendrecv(nullptr, 1, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, nullptr, 1, MPI_DATATYPE_NULL,
                            MPI_PROC_NULL, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    EXPECT_MPI(MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request));
    EXPECT_MPI(MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, nullptr, 1, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_SELF,
                            MPI_STATUS_IGNORE));
    EXPECT_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    EXPECT_EQ(in, 4);
    EXPECT_CLASS(MPI_Send(nullptr, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_SELF), MPI_ERR_TYPE);
  });
}

}  // namespace
