// What a rank's thread keeps with keys (pthread_key_create): the program's own are forgotten at its end, no others.
#include "loader/program_threads.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <threads.h>

#include "support/loaded_rank.hpp"

namespace pure::core {
namespace {

template <class Function>
Function* in_place_of(std::string_view name) {
  return test_support::replaced<Function>(thread_replacements(), name);
}

TEST(program_threads, forget_values_of_keys_of_programs) {
  int value = 0;
  pthread_key_t key{}, not_of_program{};
  tss_t other{};
  ASSERT_EQ(in_place_of<int(pthread_key_t*, void (*)(void*))>("pthread_key_create")(&key, nullptr), 0);
  ASSERT_EQ(in_place_of<int(tss_t*, tss_dtor_t)>("tss_create")(&other, nullptr), thrd_success);
  ASSERT_EQ(pthread_key_create(&not_of_program, nullptr), 0);
  for (const pthread_key_t each : {key, other, not_of_program}) pthread_setspecific(each, &value);
  forget_thread_values();
  EXPECT_EQ(pthread_getspecific(key), nullptr);
  EXPECT_EQ(pthread_getspecific(other), nullptr);
  EXPECT_EQ(pthread_getspecific(not_of_program), &value);
  EXPECT_EQ(in_place_of<int(pthread_key_t)>("pthread_key_delete")(key), 0);
  in_place_of<void(tss_t)>("tss_delete")(other);
  pthread_key_delete(not_of_program);
}

TEST(program_threads, keep_values_of_keys_that_programs_have_given_back) {
  int value = 0;
  for (const bool is_of_c11 : {false, true}) {
    pthread_key_t key{}, next{};
    ASSERT_EQ(in_place_of<int(pthread_key_t*, void (*)(void*))>("__pthread_key_create")(&key, nullptr), 0);
    if (is_of_c11) {
      in_place_of<void(tss_t)>("tss_delete")(key);
    } else {
      EXPECT_EQ(in_place_of<int(pthread_key_t)>("pthread_key_delete")(key), 0);
    }
    ASSERT_EQ(pthread_key_create(&next, nullptr), 0);
    ASSERT_EQ(next, key) << "libc gives the first number that is free";
    pthread_setspecific(next, &value);
    forget_thread_values();
    EXPECT_EQ(pthread_getspecific(next), &value);
    pthread_key_delete(next);
  }
}

}  // namespace
}  // namespace pure::core
