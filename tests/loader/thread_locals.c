/* Thread-local variables of a program (LARGE, ALIGNED: what it has besides) and of its libraries, in each thread of a
   rank. -D__thread= makes common ones of them. */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "cases.h"

static int sees_first_values(void* (*see)(void*)) {
  pthread_t thread;
  int is_right = 0;
  return pthread_create(&thread, NULL, see, &is_right) == 0 && pthread_join(thread, NULL) == 0 && is_right;
}
/* The rank's thread has its own, and each other thread begins with the first value. */
#define THREAD_LOCAL(name, variable, first)  \
  static void* see_##name(void* is_right) {  \
    *(int*)is_right = (variable) == (first); \
    (variable) = WORTH(12345);               \
    return NULL;                             \
  }                                          \
  SET(name) {                                \
    EXPECT((variable) == (first));           \
    (variable) = WORTH(me);                  \
    EXPECT(sees_first_values(see_##name));   \
    EXPECT((variable) == WORTH(me));         \
    return NONE;                             \
  }                                          \
  GET(name) {                                \
    EXPECT((variable) == WORTH(me));         \
    EXPECT(sees_first_values(see_##name));   \
    EXPECT((variable) == WORTH(me));         \
    return NONE;                             \
  }

static __thread char one = 'a';
SET(one) {
  EXPECT(one == 'a');
  one = (char)me;
  return NONE;
}
GET(one) {
  EXPECT(one == (char)me);
  return NONE;
}
__thread int initialized = 61;
THREAD_LOCAL(initialized, initialized, 61)
static __thread long zero;
THREAD_LOCAL(zero, zero, 0)
__thread int of_program = 62; /* as the libraries know it, too */
THREAD_LOCAL(of_program, of_program, 62)
static __thread char text[16] = "text";
SET(text) {
  EXPECT(is_text(text, "text"));
  snprintf(text, sizeof text, "r%d", me);
  return NONE;
}
GET(text) {
  char expected[16];
  snprintf(expected, sizeof expected, "r%d", me);
  EXPECT(is_text(text, expected));
  return NONE;
}
/* Its first value is an address, and so another one for each rank. */
static int target = 63;
static __thread int* pointer = &target;
static int* of_other_thread;
static void* note_pointer(void* unused) {
  of_other_thread = pointer;
  return unused;
}
SET(pointer) {
  pthread_t thread;
  EXPECT(pointer == &target && *pointer == 63);
  *pointer = me;
  EXPECT(pthread_create(&thread, NULL, note_pointer, NULL) == 0 && pthread_join(thread, NULL) == 0);
  return NONE;
}
GET(pointer) {
  EXPECT(of_other_thread == &target && *of_other_thread == me && *pointer == me);
  return NONE;
}
#ifndef LARGE
#define LARGE 20
#endif
static __thread int large[LARGE] = {[0] = 64, [LARGE - 1] = 65};
THREAD_LOCAL(first_of_large, large[0], 64)
THREAD_LOCAL(last_of_large, large[LARGE - 1], 65)
static __thread int large_zeros[LARGE];
THREAD_LOCAL(last_of_zeros, large_zeros[LARGE - 1], 0)
#ifndef ALIGNED
#define ALIGNED 64
#endif
static __thread _Alignas(ALIGNED) int aligned = 66;
THREAD_LOCAL(aligned, aligned, 66)
static __thread _Alignas(ALIGNED) int aligned_zero;
static void* see_alignment(void* is_right) {
  *(int*)is_right = (uintptr_t)&aligned % ALIGNED == 0 && (uintptr_t)&aligned_zero % ALIGNED == 0;
  return NULL;
}
SET(alignment) {
  EXPECT((uintptr_t)&aligned % ALIGNED == 0 && (uintptr_t)&aligned_zero % ALIGNED == 0);
  EXPECT(sees_first_values(see_alignment));
  aligned_zero = me;
  return NONE;
}
GET(alignment) {
  EXPECT(aligned_zero == me);
  return NONE;
}
/* Threads that are there at the same time. */
static pthread_barrier_t meeting;
static void* count_up(void* sum) {
  int i;
  for (i = 0; i < 100; ++i) {
    ++zero;
    if (i % 25 == 0) pthread_barrier_wait(&meeting);
  }
  *(long*)sum = zero;
  return NULL;
}
SET(side_by_side) {
  pthread_t threads[3];
  long sums[3] = {0, 0, 0};
  int i;
  zero = me;
  pthread_barrier_init(&meeting, NULL, 3);
  for (i = 0; i < 3; ++i) EXPECT(pthread_create(&threads[i], NULL, count_up, &sums[i]) == 0);
  for (i = 0; i < 3; ++i) EXPECT(pthread_join(threads[i], NULL) == 0);
  EXPECT(sums[0] == 100 && sums[1] == 100 && sums[2] == 100);
  return NONE;
}
GET(side_by_side) {
  EXPECT(zero == me);
  return NONE;
}

#define LIBRARY(model)                                  \
  int* model##_address(int which);                      \
  extern __thread int model##_exported;                 \
  THREAD_LOCAL(model##_extern, model##_exported, 71)    \
  SET(model##_same) {                                   \
    EXPECT(model##_address(0) == &model##_exported);    \
    EXPECT(model##_address(4) == &of_program);          \
    model##_exported = me;                              \
    return NONE;                                        \
  }                                                     \
  GET(model##_same) {                                   \
    EXPECT(*model##_address(0) == me);                  \
    return NONE;                                        \
  }                                                     \
  THREAD_LOCAL(model##_static, *model##_address(1), 72) \
  THREAD_LOCAL(model##_zeros, *model##_address(2), 0)   \
  SET(model##_pointer) {                                \
    EXPECT(*model##_address(3) == 73);                  \
    *model##_address(3) = me;                           \
    return NONE;                                        \
  }                                                     \
  GET(model##_pointer) {                                \
    EXPECT(*model##_address(3) == me);                  \
    return NONE;                                        \
  }
#define CASES_OF(model)                                                                                                \
  CASE(model##_extern, THREAD), CASE(model##_same, THREAD), CASE(model##_static, THREAD), CASE(model##_zeros, THREAD), \
      CASE(model##_pointer, PRIVATE)
LIBRARY(general)
LIBRARY(local)
LIBRARY(initial)
LIBRARY(descriptors)

static const struct named_case cases[] = {
    CASE(one, THREAD),
    CASE(initialized, THREAD),
    CASE(zero, THREAD),
    CASE(of_program, THREAD),
    CASE(text, THREAD),
    CASE(pointer, PRIVATE),
    CASE(first_of_large, THREAD),
    CASE(last_of_large, THREAD),
    CASE(last_of_zeros, THREAD),
    CASE(aligned, THREAD),
    CASE(alignment, THREAD),
    CASE(side_by_side, THREAD),
    CASES_OF(general),
    CASES_OF(local),
    CASES_OF(initial),
    CASES_OF(descriptors),
};

int main(int argc, char** argv) { return RUN_CASES(argc, argv, cases); }
