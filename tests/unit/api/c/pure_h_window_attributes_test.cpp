// pure.h, windows: attributes that programs attach, and when their callbacks run.
#include <pure.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/pure_h.hpp"

namespace {

using test_support::expect_error;
using test_support::on_ranks;
using test_support::world;

pure_win window_of_eight_bytes() {
  void* base = nullptr;
  pure_win win = PURE_WIN_NULL;
  EXPECT_OK(pure_win_allocate(8, 1, PURE_INFO_NULL, world, &base, &win));
  return win;
}

/// What a callback is told; extra_state points to the log of its rank.
struct deleted {
  pure_win win;
  int keyval;
  void* value;

  friend bool operator==(const deleted& a, const deleted& b) noexcept {
    return a.win == b.win && a.keyval == b.keyval && a.value == b.value;
  }
};
using deletions = std::vector<deleted>;

int note(pure_win win, int keyval, void* value, void* extra_state) {
  static_cast<deletions*>(extra_state)->push_back({win, keyval, value});
  return PURE_SUCCESS;
}

int refuse(pure_win, int, void*, void* extra_state) {
  bool& refuses = *static_cast<bool*>(extra_state);
  return refuses ? 7 : PURE_SUCCESS;
}

void* value_of(pure_win win, int keyval) {
  void* value = nullptr;
  int flag = 0;
  EXPECT_OK(pure_win_get_attr(win, keyval, &value, &flag));
  return flag == 1 ? value : nullptr;
}

int key_with(deletions& log) {
  int key = PURE_KEYVAL_INVALID;
  EXPECT_OK(pure_win_create_keyval(PURE_WIN_NULL_COPY_FN, note, &key, &log));
  return key;
}

TEST(pure_h_window_attributes, values_are_those_of_a_window_and_a_key) {
  on_ranks(2, [] {
    pure_win first = window_of_eight_bytes(), second = window_of_eight_bytes();
    int a = 0, b = 0;
    EXPECT_OK(pure_win_create_keyval(PURE_WIN_DUP_FN, PURE_WIN_NULL_DELETE_FN, &a, nullptr));
    EXPECT_OK(pure_win_create_keyval(PURE_WIN_NULL_COPY_FN, PURE_WIN_NULL_DELETE_FN, &b, nullptr));
    EXPECT_NE(a, b);
    int x = 0, y = 0;
    EXPECT_EQ(value_of(first, a), nullptr);
    EXPECT_OK(pure_win_set_attr(first, a, &x));
    EXPECT_OK(pure_win_set_attr(second, a, &y));
    EXPECT_EQ(value_of(first, a), &x);
    EXPECT_EQ(value_of(second, a), &y);
    EXPECT_EQ(value_of(first, b), nullptr);
    EXPECT_OK(pure_win_set_attr(first, b, nullptr));
    int flag = 0;
    void* value = &x;
    EXPECT_OK(pure_win_get_attr(first, b, &value, &flag));
    EXPECT_EQ(flag, 1) << "a null pointer is a value";
    EXPECT_EQ(value, nullptr);
    EXPECT_OK(pure_win_set_attr(first, a, &y));
    EXPECT_EQ(value_of(first, a), &y);
    EXPECT_OK(pure_win_delete_attr(first, a));
    EXPECT_EQ(value_of(first, a), nullptr);
    EXPECT_EQ(value_of(second, a), &y);
    EXPECT_OK(pure_win_free(&first));
    EXPECT_OK(pure_win_free(&second));
    EXPECT_OK(pure_win_free_keyval(&a));
    EXPECT_EQ(a, PURE_KEYVAL_INVALID);
    EXPECT_OK(pure_win_free_keyval(&b));
  });
}

TEST(pure_h_window_attributes, callbacks_are_told_what_is_deleted) {
  on_ranks(3, [] {
    deletions log;
    int values[4] = {};
    const int a = key_with(log), b = key_with(log), c = key_with(log);
    pure_win win = window_of_eight_bytes();
    const pure_win handle = win;
    EXPECT_OK(pure_win_set_attr(win, a, &values[0]));
    EXPECT_TRUE(log.empty());
    EXPECT_OK(pure_win_set_attr(win, a, &values[1]));
    EXPECT_EQ(log, (deletions{{handle, a, &values[0]}})) << "the value that was there";
    EXPECT_OK(pure_win_set_attr(win, b, &values[2]));
    EXPECT_OK(pure_win_set_attr(win, c, &values[3]));
    EXPECT_OK(pure_win_delete_attr(win, b));
    log.clear();
    EXPECT_OK(pure_win_set_attr(win, b, &values[2]));
    EXPECT_OK(pure_win_free(&win));
    EXPECT_EQ(log, (deletions{{handle, b, &values[2]}, {handle, c, &values[3]}, {handle, a, &values[1]}}));
  });
}

TEST(pure_h_window_attributes, a_freed_key_lasts_as_long_as_its_values) {
  on_ranks(1, [] {
    deletions log;
    int value = 0;
    int key = key_with(log);
    const int number = key;
    pure_win win = window_of_eight_bytes();
    EXPECT_OK(pure_win_set_attr(win, key, &value));
    EXPECT_OK(pure_win_free_keyval(&key));
    EXPECT_TRUE(log.empty());
    EXPECT_EQ(value_of(win, number), &value);
    expect_error(pure_win_set_attr(win, number, &value), PURE_ERR_KEYVAL, {"was freed"});
    EXPECT_OK(pure_win_free(&win));
    EXPECT_EQ(log.size(), 1U);
  });
}

TEST(pure_h_window_attributes, a_callback_that_fails_stops_what_has_called_it) {
  on_ranks(2, [] {
    bool refuses = true;
    int key = 0, value = 0;
    EXPECT_OK(pure_win_create_keyval(PURE_WIN_NULL_COPY_FN, refuse, &key, &refuses));
    pure_win win = window_of_eight_bytes();
    EXPECT_OK(pure_win_set_attr(win, key, &value));
    const std::vector<std::string> text = {"the callback that deletes attribute " + std::to_string(key),
                                           "has returned 7"};
    expect_error(pure_win_set_attr(win, key, nullptr), PURE_ERR_OTHER, text);
    expect_error(pure_win_delete_attr(win, key), PURE_ERR_OTHER, text);
    expect_error(pure_win_free(&win), PURE_ERR_OTHER, text);
    EXPECT_NE(win, PURE_WIN_NULL);
    EXPECT_EQ(value_of(win, key), &value);
    EXPECT_OK(pure_win_fence(0, win)) << "it is still there";
    refuses = false;
    EXPECT_OK(pure_win_free(&win));
  });
}

TEST(pure_h_window_attributes, a_window_that_cannot_be_freed_keeps_them) {
  on_ranks(2, [](int me) {
    deletions log;
    const int key = key_with(log);
    pure_win win = window_of_eight_bytes();
    EXPECT_OK(pure_win_set_attr(win, key, &log));
    EXPECT_OK(pure_win_lock(PURE_LOCK_SHARED, me, 0, win));
    expect_error(pure_win_free(&win), PURE_ERR_RMA_SYNC, {"unlock it first"});
    EXPECT_TRUE(log.empty());
    EXPECT_OK(pure_win_unlock(me, win));
    EXPECT_OK(pure_win_free(&win));
    EXPECT_EQ(log.size(), 1U);
  });
}

/// Deletes the attribute whose key is in extra_state, too.
int delete_another(pure_win win, int, void*, void* extra_state) {
  return pure_win_delete_attr(win, *static_cast<int*>(extra_state));
}

TEST(pure_h_window_attributes, a_callback_may_delete_another_one) {
  on_ranks(1, [] {
    deletions log;
    int other = key_with(log), key = 0;
    EXPECT_OK(pure_win_create_keyval(PURE_WIN_NULL_COPY_FN, delete_another, &key, &other));
    pure_win win = window_of_eight_bytes();
    EXPECT_OK(pure_win_set_attr(win, other, &log));
    EXPECT_OK(pure_win_set_attr(win, key, nullptr));
    EXPECT_OK(pure_win_free(&win));
    EXPECT_EQ(log.size(), 1U);
  });
}

TEST(pure_h_window_attributes, what_is_wrong_is_named) {
  on_ranks(1, [] {
    pure_win win = window_of_eight_bytes();
    int flag = 0, none = 5000, own = PURE_WIN_SIZE, key = 0;
    expect_error(pure_win_set_attr(win, none, nullptr), PURE_ERR_KEYVAL, {"5000 is no key", "pure_win_create_keyval"});
    expect_error(pure_win_set_attr(win, PURE_WIN_SIZE, &flag), PURE_ERR_KEYVAL, {"cannot be changed"});
    expect_error(pure_win_delete_attr(win, PURE_WIN_BASE), PURE_ERR_KEYVAL, {"cannot be changed"});
    expect_error(pure_win_free_keyval(&own), PURE_ERR_KEYVAL, {"cannot be changed"});
    expect_error(pure_win_free_keyval(&none), PURE_ERR_KEYVAL, {"5000 is no key"});
    expect_error(pure_win_create_keyval(nullptr, nullptr, nullptr, nullptr), PURE_ERR_ARG, {"`keyval` is null"});
    EXPECT_OK(pure_win_create_keyval(nullptr, nullptr, &key, nullptr));
    expect_error(pure_win_delete_attr(win, key), PURE_ERR_KEYVAL, {"it has no attribute"});
    expect_error(pure_win_set_attr(PURE_WIN_NULL, key, nullptr), PURE_ERR_WIN, {"null"});
    EXPECT_OK(pure_win_free(&win));
    void* copy = nullptr;
    EXPECT_EQ(PURE_WIN_DUP_FN(win, key, nullptr, &key, &copy, &flag), PURE_SUCCESS);
    EXPECT_EQ(copy, &key);
    EXPECT_EQ(flag, 1);
  });
}

}  // namespace
