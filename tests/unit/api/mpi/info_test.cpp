// mpi.h, infos, the hints that they give, and numbers for handles (MPI 5.0, chapter 10, 7.4.4 and 19.3.4).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/mpi_ranks.hpp"

namespace {

using test_support::on_mpi_ranks;

MPI_Info made_info() {
  MPI_Info made = MPI_INFO_NULL;
  EXPECT_MPI(MPI_Info_create(&made));
  return made;
}

/// "none": there is no such key.
std::string value_of(MPI_Info info, const char* key) {
  char value[MPI_MAX_INFO_VAL + 1] = "";
  int flag = 0;
  EXPECT_MPI(MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &flag));
  return flag == 1 ? value : "none";
}
int size_of(MPI_Info info) {
  int keys = -1;
  EXPECT_MPI(MPI_Info_get_nkeys(info, &keys));
  return keys;
}

TEST(mpi_info, blanks_count) {
  on_mpi_ranks(1, [](int) {
    MPI_Info info = made_info();
    EXPECT_MPI(MPI_Info_set(info, "a", " x "));
    EXPECT_MPI(MPI_Info_set(info, " a ", "y"));
    EXPECT_MPI(MPI_Info_set(info, " ", "  "));
    EXPECT_EQ(size_of(info), 3);
    EXPECT_EQ(value_of(info, "a"), " x ");
    EXPECT_EQ(value_of(info, " a "), "y");
    EXPECT_EQ(value_of(info, " "), "  ");
    EXPECT_MPI(MPI_Info_delete(info, " a "));
    EXPECT_EQ(value_of(info, "a"), " x ");
    EXPECT_MPI(MPI_Info_free(&info));
    EXPECT_EQ(info, MPI_INFO_NULL);
  });
}

TEST(mpi_info, keys_keep_their_order_and_duplicates_are_their_own) {
  on_mpi_ranks(1, [](int) {
    MPI_Info info = made_info(), dup = MPI_INFO_NULL;
    for (const char* const key : {"third", "first", "second"}) EXPECT_MPI(MPI_Info_set(info, key, key));
    EXPECT_MPI(MPI_Info_set(info, "third", "again"));
    EXPECT_MPI(MPI_Info_dup(info, &dup));
    EXPECT_MPI(MPI_Info_delete(info, "first"));
    char key[MPI_MAX_INFO_KEY];
    int n = 0;
    for (const char* const right : {"third", "first", "second"}) {
      EXPECT_MPI(MPI_Info_get_nthkey(dup, n++, key));
      EXPECT_STREQ(key, right);
    }
    EXPECT_CLASS(MPI_Info_get_nthkey(dup, 3, key), MPI_ERR_ARG);
    EXPECT_NE(MPI_Info_get_nthkey(dup, -1, key), MPI_SUCCESS);
    EXPECT_EQ(size_of(info), 2);
    EXPECT_EQ(value_of(dup, "third"), "again");
    EXPECT_CLASS(MPI_Info_delete(info, "first"), MPI_ERR_INFO_NOKEY);
    EXPECT_MPI(MPI_Info_free(&info));
    EXPECT_MPI(MPI_Info_free(&dup));
  });
}

TEST(mpi_info, strings_are_cut_to_the_room_and_their_length_is_told) {
  on_mpi_ranks(1, [](int) {
    MPI_Info info = made_info();
    EXPECT_MPI(MPI_Info_set(info, "key", "1234567890"));
    for (int room = 0; room < 14; ++room) {
      char text[16];
      std::fill(std::begin(text), std::end(text), 'z');
      int length = room, flag = 0;
      EXPECT_MPI(MPI_Info_get_string(info, "key", &length, text, &flag));
      EXPECT_TRUE(flag == 1 && length == 11) << room;
      if (room > 0) {
        EXPECT_EQ(std::string(text), std::string("1234567890").substr(0, static_cast<std::size_t>(room) - 1));
      }
      EXPECT_EQ(text[std::min(room, 11)], 'z') << room << ": written past the room";
    }
    char text[16] = "zzzzzzzz";
    int length = 0, flag = 0;
    EXPECT_MPI(MPI_Info_get(info, "key", 3, text, &flag));
    EXPECT_TRUE(flag == 1 && std::string(text) == "123" && text[4] == 'z') << text;
    EXPECT_MPI(MPI_Info_get_valuelen(info, "key", &length, &flag));
    EXPECT_TRUE(flag == 1 && length == 10);
    EXPECT_MPI(MPI_Info_get_string(info, "none", &length, text, &flag));
    EXPECT_TRUE(flag == 0 && length == 10 && std::string(text) == "123");
    EXPECT_MPI(MPI_Info_free(&info));
  });
}

TEST(mpi_info, the_longest_fit_and_longer_ones_are_refused) {
  on_mpi_ranks(1, [](int) {
    MPI_Info info = made_info();
    const std::string key(MPI_MAX_INFO_KEY - 1, 'k'), value(MPI_MAX_INFO_VAL - 1, 'v');
    EXPECT_MPI(MPI_Info_set(info, key.c_str(), value.c_str()));
    EXPECT_EQ(value_of(info, key.c_str()), value);
    EXPECT_CLASS(MPI_Info_set(info, (key + "k").c_str(), "x"), MPI_ERR_INFO_KEY);
    EXPECT_CLASS(MPI_Info_set(info, "x", (value + "v").c_str()), MPI_ERR_INFO_VALUE);
    EXPECT_CLASS(MPI_Info_set(info, "", "x"), MPI_ERR_INFO_KEY);
    EXPECT_EQ(size_of(info), 1);
    MPI_Info freed = info;
    EXPECT_MPI(MPI_Info_free(&info));
    EXPECT_CLASS(MPI_Info_set(freed, "x", "y"), MPI_ERR_INFO);
    EXPECT_CLASS(MPI_Info_set(MPI_INFO_NULL, "x", "y"), MPI_ERR_INFO);
  });
}

TEST(mpi_info, communicators_tell_all_hints_that_are_supported) {
  on_mpi_ranks(2, [](int) {
    constexpr const char *any_tag = "mpi_assert_no_any_tag", *overtaking = "mpi_assert_allow_overtaking";
    MPI_Info given = made_info(), used = MPI_INFO_NULL;
    EXPECT_MPI(MPI_Info_set(given, any_tag, "true"));
    EXPECT_MPI(MPI_Info_set(given, overtaking, "perhaps"));
    EXPECT_MPI(MPI_Info_set(given, "nobody_knows", "true"));
    MPI_Comm hinted = MPI_COMM_NULL, dup = MPI_COMM_NULL;
    EXPECT_MPI(MPI_Comm_dup_with_info(MPI_COMM_WORLD, given, &hinted));
    EXPECT_MPI(MPI_Comm_dup(hinted, &dup));
    const auto hint = [&](MPI_Comm of, const char* key) {
      EXPECT_MPI(MPI_Comm_get_info(of, &used));
      const std::string value = value_of(used, key);
      EXPECT_MPI(MPI_Info_free(&used));
      return value;
    };
    EXPECT_EQ(hint(MPI_COMM_WORLD, any_tag), "false");
    EXPECT_EQ(hint(hinted, any_tag), "true");
    EXPECT_EQ(hint(dup, any_tag), "false") << "a duplicate has none (MPI 5.0, 7.4.2)";
    EXPECT_EQ(hint(hinted, overtaking), "false") << "a value that is none is ignored";
    EXPECT_EQ(hint(hinted, "nobody_knows"), "none");
    EXPECT_MPI(MPI_Info_set(given, any_tag, "false"));
    EXPECT_MPI(MPI_Comm_set_info(hinted, given));
    EXPECT_EQ(hint(hinted, any_tag), "false");
    EXPECT_MPI(MPI_Info_free(&given));
    EXPECT_MPI(MPI_Comm_free(&hinted));
    EXPECT_MPI(MPI_Comm_free(&dup));
  });
}

TEST(mpi_info, what_is_none_is_refused_by_collectives_that_are_prepared) {
  on_mpi_ranks(1, [](int) {
    MPI_Info freed = made_info();
    const MPI_Info none = freed;
    EXPECT_MPI(MPI_Info_free(&freed));
    int value = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    EXPECT_CLASS(MPI_Barrier_init(MPI_COMM_SELF, none, &request), MPI_ERR_INFO);
    EXPECT_CLASS(MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_SELF, none, &request), MPI_ERR_INFO);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    EXPECT_MPI(MPI_Barrier_init(MPI_COMM_SELF, MPI_INFO_NULL, &request));
    EXPECT_MPI(MPI_Request_free(&request));
  });
}

// ---- numbers ----

TEST(mpi_numbers, predefined_handles_are_their_own) {
  on_mpi_ranks(1, [](int) {
    EXPECT_EQ(MPI_Type_toint(MPI_INT), 0x209);
    EXPECT_EQ(MPI_Type_fromint(0x209), MPI_INT);
    EXPECT_EQ(MPI_Comm_fromint(MPI_Comm_toint(MPI_COMM_WORLD)), MPI_COMM_WORLD);
    EXPECT_EQ(MPI_Request_fromint(MPI_Request_toint(MPI_REQUEST_NULL)), MPI_REQUEST_NULL);
  });
}

void ignore(MPI_Comm*, int*, ...) {}

/// Each kind of object has one that lives, and a thousand that come and go.
TEST(mpi_numbers, of_what_lives_stay_and_others_are_given_again) {
  on_mpi_ranks(1, [](int) {
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Info info = made_info();
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    int in = 0, largest = 0, largest_info = 0;
    EXPECT_MPI(MPI_Comm_group(MPI_COMM_SELF, &group));
    EXPECT_MPI(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    EXPECT_MPI(MPI_Type_contiguous(2, MPI_INT, &type));
    EXPECT_MPI(MPI_Comm_create_errhandler(ignore, &handler));
    EXPECT_MPI(MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request));
    const std::vector<int> numbers{MPI_Group_toint(group), MPI_Comm_toint(comm),          MPI_Type_toint(type),
                                   MPI_Info_toint(info),   MPI_Errhandler_toint(handler), MPI_Request_toint(request)};
    for (int i = 0; i < 1000; ++i) {
      MPI_Info other = made_info();
      largest_info = std::max(largest_info, MPI_Info_toint(other));
      EXPECT_MPI(MPI_Info_free(&other));
      MPI_Group another = MPI_GROUP_NULL;
      EXPECT_MPI(MPI_Comm_group(MPI_COMM_SELF, &another));
      largest = std::max(largest, MPI_Group_toint(another));
      EXPECT_MPI(MPI_Group_free(&another));
    }
    EXPECT_LT(largest, 4096 + 600);
    EXPECT_LT(largest_info, (1 << 28) + 600) << "infos are the process's";
    EXPECT_EQ(MPI_Group_fromint(numbers[0]), group);
    EXPECT_EQ(MPI_Comm_fromint(numbers[1]), comm);
    EXPECT_EQ(MPI_Type_fromint(numbers[2]), type);
    EXPECT_EQ(MPI_Info_fromint(numbers[3]), info);
    EXPECT_EQ(MPI_Errhandler_fromint(numbers[4]), handler);
    EXPECT_EQ(MPI_Request_fromint(numbers[5]), request);
    EXPECT_MPI(MPI_Group_free(&group));
    EXPECT_MPI(MPI_Comm_free(&comm));
    EXPECT_MPI(MPI_Type_free(&type));
    EXPECT_MPI(MPI_Info_free(&info));
    EXPECT_MPI(MPI_Errhandler_free(&handler));
    EXPECT_MPI(MPI_Cancel(&request));
    EXPECT_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
  });
}

}  // namespace
