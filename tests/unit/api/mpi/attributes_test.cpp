// mpi.h, attributes: who copies and deletes them, when, and how long keys last (MPI 5.0, 7.7).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/mpi_ranks.hpp"

namespace {

using test_support::on_mpi_ranks;

thread_local std::vector<std::string> said;
thread_local int code_of_copy, code_of_delete, flag_of_copy;

int copy(MPI_Comm, int, void* extra, void* value, void* to, int* flag) {
  said.push_back(std::string("copy ") + static_cast<const char*>(extra));
  *static_cast<void**>(to) = static_cast<char*>(value) + 1;
  *flag = flag_of_copy;
  return code_of_copy;
}
int remove(MPI_Comm, int, void*, void* extra) {
  said.push_back(std::string("delete ") + static_cast<const char*>(extra));
  return code_of_delete;
}

char texts[][2] = {"a", "b", "c"};

int made_key(int number) {
  int key = MPI_KEYVAL_INVALID;
  EXPECT_MPI(MPI_Comm_create_keyval(copy, remove, &key, texts[number]));
  return key;
}

char* value_of(MPI_Comm on, int key) {
  char* got = nullptr;
  int flag = -1;
  EXPECT_MPI(MPI_Comm_get_attr(on, key, &got, &flag));
  return flag == 1 ? got : nullptr;
}

using words = std::vector<std::string>;

/// One rank, with a communicator of its own.
template <class Function>
void on_a_comm(Function function) {
  on_mpi_ranks(1, [&](int) {
    said.clear();
    code_of_copy = code_of_delete = MPI_SUCCESS;
    flag_of_copy = 1;
    MPI_Comm own = MPI_COMM_NULL;
    EXPECT_MPI(MPI_Comm_dup(MPI_COMM_SELF, &own));
    function(own);
    if (own != MPI_COMM_NULL) {
      EXPECT_MPI(MPI_Comm_free(&own));
    }
  });
}

char values[8];

TEST(mpi_attributes, are_copied_by_a_duplicate_and_deleted_with_it) {
  on_a_comm([](MPI_Comm& own) {
    int a = made_key(0), b = made_key(1);
    EXPECT_MPI(MPI_Comm_set_attr(own, a, values));
    EXPECT_MPI(MPI_Comm_set_attr(own, b, values + 4));
    MPI_Comm dup = MPI_COMM_NULL, part = MPI_COMM_NULL;
    EXPECT_MPI(MPI_Comm_dup(own, &dup));
    EXPECT_EQ(said.size(), 2U);
    EXPECT_EQ(value_of(dup, a), values + 1);
    EXPECT_EQ(value_of(dup, b), values + 5);
    EXPECT_EQ(value_of(own, a), values);
    said.clear();
    EXPECT_MPI(MPI_Comm_split(own, 0, 0, &part));
    EXPECT_EQ(value_of(part, a), nullptr) << "only duplicates have them";
    EXPECT_MPI(MPI_Comm_free(&part));
    EXPECT_TRUE(said.empty());
    EXPECT_MPI(MPI_Comm_free(&dup));
    EXPECT_EQ(said.size(), 2U);
    EXPECT_MPI(MPI_Comm_free_keyval(&a));
    EXPECT_MPI(MPI_Comm_free_keyval(&b));
  });
}

TEST(mpi_attributes, are_not_copied_where_the_function_says_so) {
  on_a_comm([](MPI_Comm& own) {
    int key = made_key(0);
    EXPECT_MPI(MPI_Comm_set_attr(own, key, values));
    flag_of_copy = 0;
    MPI_Comm dup = MPI_COMM_NULL;
    EXPECT_MPI(MPI_Comm_dup(own, &dup));
    EXPECT_EQ(value_of(dup, key), nullptr);
    EXPECT_MPI(MPI_Comm_free(&dup));
    code_of_copy = MPI_ERR_OTHER;
    EXPECT_CLASS(MPI_Comm_dup(own, &dup), MPI_ERR_OTHER);
    EXPECT_EQ(dup, MPI_COMM_NULL);
    code_of_copy = MPI_SUCCESS;
    EXPECT_MPI(MPI_Comm_free_keyval(&key));
  });
}

TEST(mpi_attributes, of_before_are_deleted_when_they_are_replaced) {
  on_a_comm([](MPI_Comm& own) {
    int key = made_key(2);
    EXPECT_MPI(MPI_Comm_set_attr(own, key, values));
    EXPECT_TRUE(said.empty());
    EXPECT_MPI(MPI_Comm_set_attr(own, key, values + 1));
    EXPECT_EQ(said, (words{"delete c"}));
    EXPECT_MPI(MPI_Comm_delete_attr(own, key));
    EXPECT_EQ(said, (words{"delete c", "delete c"}));
    EXPECT_EQ(value_of(own, key), nullptr);
    EXPECT_MPI(MPI_Comm_free_keyval(&key));
  });
}

TEST(mpi_attributes, whose_delete_function_fails_keep_the_object) {
  on_a_comm([](MPI_Comm& own) {
    int key = made_key(0);
    EXPECT_MPI(MPI_Comm_set_attr(own, key, values));
    code_of_delete = MPI_ERR_TAG;
    const MPI_Comm before = own;
    EXPECT_CLASS(MPI_Comm_free(&own), MPI_ERR_TAG);
    EXPECT_EQ(own, before);
    EXPECT_CLASS(MPI_Comm_set_attr(own, key, values + 1), MPI_ERR_TAG);
    EXPECT_EQ(value_of(own, key), values);
    code_of_delete = MPI_SUCCESS;
    EXPECT_MPI(MPI_Comm_free(&own));
    EXPECT_MPI(MPI_Comm_free_keyval(&key));
  });
}

TEST(mpi_attributes, keys_last_as_long_as_values_have_them) {
  on_a_comm([](MPI_Comm& own) {
    int key = made_key(0);
    const int name = key;
    EXPECT_MPI(MPI_Comm_set_attr(own, key, values));
    EXPECT_MPI(MPI_Comm_free_keyval(&key));
    EXPECT_EQ(key, MPI_KEYVAL_INVALID);
    EXPECT_EQ(value_of(own, name), values);
    EXPECT_MPI(MPI_Comm_delete_attr(own, name));
    EXPECT_EQ(said, (words{"delete a"}));
    void* got = nullptr;
    int flag = 0;
    EXPECT_CLASS(MPI_Comm_get_attr(own, name, &got, &flag), MPI_ERR_KEYVAL);
  });
}

TEST(mpi_attributes, what_is_no_key_is_refused) {
  on_a_comm([](MPI_Comm& own) {
    int of_types = MPI_KEYVAL_INVALID, tag_ub = MPI_TAG_UB;
    EXPECT_MPI(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &of_types, nullptr));
    for (const int none : {int{MPI_KEYVAL_INVALID}, -5, 77, of_types}) {
      void* got = nullptr;
      int flag = 0, freed = none;
      EXPECT_CLASS(MPI_Comm_get_attr(own, none, &got, &flag), MPI_ERR_KEYVAL) << none;
      EXPECT_CLASS(MPI_Comm_set_attr(own, none, values), MPI_ERR_KEYVAL) << none;
      EXPECT_CLASS(MPI_Comm_delete_attr(own, none), MPI_ERR_KEYVAL) << none;
      EXPECT_CLASS(MPI_Comm_free_keyval(&freed), MPI_ERR_KEYVAL) << none;
      EXPECT_EQ(freed, none);
    }
    EXPECT_CLASS(MPI_Comm_set_attr(own, MPI_TAG_UB, values), MPI_ERR_KEYVAL) << "the program cannot change it";
    EXPECT_CLASS(MPI_Comm_free_keyval(&tag_ub), MPI_ERR_KEYVAL);
    EXPECT_MPI(MPI_Type_free_keyval(&of_types));
  });
}

TEST(mpi_attributes, that_mpi_sets_itself) {
  for (const int ranks : {1, 3}) {
    on_mpi_ranks(ranks, [=](int) {
      int *value = nullptr, flag = 0;
      EXPECT_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag));
      EXPECT_TRUE(flag == 1 && *value >= 32767);
      EXPECT_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag));
      EXPECT_TRUE(flag == 1 && *value == ranks);
      int memory[3] = {}, *unit = nullptr, *flavor = nullptr;
      void* base = nullptr;
      MPI_Aint* size = nullptr;
      MPI_Win win = MPI_WIN_NULL;
      EXPECT_MPI(MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
      EXPECT_MPI(MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag));
      EXPECT_TRUE(flag == 1 && base == memory);
      EXPECT_MPI(MPI_Win_get_attr(win, MPI_WIN_SIZE, &size, &flag));
      EXPECT_EQ(*size, 12);
      EXPECT_MPI(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag));
      EXPECT_EQ(*unit, 4);
      EXPECT_MPI(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag));
      EXPECT_EQ(*flavor, MPI_WIN_FLAVOR_CREATE);
      EXPECT_MPI(MPI_Win_free(&win));
    });
  }
}

}  // namespace
