/* Threads that a rank makes: they belong to it, and see its variables. */
#define _GNU_SOURCE
#include <aio.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>

#include "cases.h"

static int number = 91;
static void run(void* (*body)(void*), void* argument) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, body, argument) != 0 || pthread_join(thread, NULL) != 0) abort();
}
static void* set_number(void* value) {
  number = *(int*)value;
  return NULL;
}
SET(written_by_thread) {
  EXPECT(number == 91);
  run(set_number, &me);
  return NONE;
}
static void* get_number(void* value) {
  *(int*)value = number;
  return NULL;
}
GET(written_by_thread) {
  int seen = -1;
  run(get_number, &seen);
  EXPECT(seen == me && number == me);
  return NONE;
}
/* A thread of a thread, with a small stack of its own. */
static void* make_another(void* value) {
  run(set_number, value);
  return NULL;
}
SET(of_thread) {
  pthread_attr_t small;
  pthread_t thread;
  EXPECT(pthread_attr_init(&small) == 0 && pthread_attr_setstacksize(&small, 1 << 17) == 0);
  EXPECT(pthread_create(&thread, &small, make_another, &me) == 0 && pthread_join(thread, NULL) == 0);
  return NONE;
}
GET(of_thread) {
  EXPECT(number == me);
  return NONE;
}
static void* ask_rank(void* value) {
  *(int*)value = rank_here();
  return NULL;
}
static int rank_of_thread = -2;
SET(rank) {
  run(ask_rank, &rank_of_thread);
  EXPECT(rank_of_thread == me);
  return NONE;
}
GET(rank) {
  EXPECT(rank_of_thread == me);
  return NONE;
}
static pthread_key_t key;
static int keyed, last_of_key;
static void end_of_key(void* value) { last_of_key = *(int*)value; }
static void* use_key(void* value) {
  if (pthread_getspecific(key) == NULL) pthread_setspecific(key, value);
  return NULL;
}
SET(key) {
  EXPECT(keyed == 0 && pthread_key_create(&key, end_of_key) == 0);
  EXPECT(pthread_setspecific(key, &keyed) == 0);
  keyed = me;
  run(use_key, &me);
  return NONE;
}
GET(key) {
  EXPECT(pthread_getspecific(key) == &keyed && keyed == me && last_of_key == me);
  return NONE;
}
static pthread_once_t flag = PTHREAD_ONCE_INIT;
static once_flag c11_flag = ONCE_FLAG_INIT;
static int calls, c11_calls;
static void count_call(void) { ++calls; }
static void count_c11_call(void) { ++c11_calls; }
SET(once) {
  int i;
  for (i = 0; i < 2; ++i) EXPECT(pthread_once(&flag, count_call) == 0);
  for (i = 0; i < 2; ++i) call_once(&c11_flag, count_c11_call);
  EXPECT(calls == 1 && c11_calls == 1);
  calls = me;
  return NONE;
}
GET(once) {
  EXPECT(calls == me && c11_calls == 1);
  return NONE;
}
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int passed;
static void* pass(void* turn) {
  pthread_mutex_lock(&mutex);
  while (passed != (int)(intptr_t)turn) pthread_cond_wait(&changed, &mutex);
  ++passed;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  return NULL;
}
SET(conditions) {
  pthread_t threads[3];
  int i;
  passed = 0;
  for (i = 0; i < 3; ++i) EXPECT(pthread_create(&threads[i], NULL, pass, (void*)(intptr_t)(2 - i)) == 0);
  for (i = 0; i < 3; ++i) EXPECT(pthread_join(threads[i], NULL) == 0);
  EXPECT(passed == 3);
  passed = me;
  return NONE;
}
GET(conditions) {
  EXPECT(passed == me);
  return NONE;
}
static int set_by_c11(void* value) {
  number = *(int*)value + 5;
  return 7;
}
SET(c11) {
  thrd_t thread;
  int result = 0;
  EXPECT(thrd_create(&thread, set_by_c11, &me) == thrd_success && thrd_join(thread, &result) == thrd_success);
  EXPECT(result == 7);
  return NONE;
}
GET(c11) {
  EXPECT(number == me + 5);
  return NONE;
}
static sem_t ended;
static void* end_detached(void* unused) {
  number += 1000;
  sem_post(&ended);
  pthread_exit(unused);
}
SET(detached) {
  pthread_t thread;
  number = me;
  EXPECT(sem_init(&ended, 0, 0) == 0 && pthread_create(&thread, NULL, end_detached, NULL) == 0);
  EXPECT(pthread_detach(thread) == 0 && sem_wait(&ended) == 0);
  return NONE;
}
GET(detached) {
  EXPECT(number == me + 1000);
  return NONE;
}
static void note_cleanup(void* value) { number = *(int*)value + 9; }
static void* wait_for_ever(void* value) {
  pthread_cleanup_push(note_cleanup, value);
  sem_post(&ended);
  for (;;) pthread_testcancel();
  pthread_cleanup_pop(0);
  return NULL;
}
SET(cancelled) {
  pthread_t thread;
  void* result = NULL;
  EXPECT(sem_init(&ended, 0, 0) == 0 && pthread_create(&thread, NULL, wait_for_ever, &me) == 0);
  EXPECT(sem_wait(&ended) == 0 && pthread_cancel(thread) == 0);
  EXPECT(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
  return NONE;
}
GET(cancelled) {
  EXPECT(number == me + 9);
  return NONE;
}
/* Threads that libc makes, to call a function of the program. */
static sem_t notified;
static __thread int first_value = 92;
static int seen_by_notified[3];
static void note_notified(union sigval value) {
  const char* const own = getenv("LOADER_TEST_RANK");
  seen_by_notified[0] = value.sival_int + number;
  seen_by_notified[1] = own == NULL ? -1 : atoi(own);
  seen_by_notified[2] = first_value++;
  sem_post(&notified);
}
static const char* is_notified(int me, int (*begin)(struct sigevent* event)) {
  struct sigevent event;
  char text[16];
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = note_notified;
  event.sigev_value.sival_int = 1000;
  snprintf(text, sizeof text, "%d", me);
  number = me;
  EXPECT(sem_init(&notified, 0, 0) == 0 && setenv("LOADER_TEST_RANK", text, 1) == 0 && begin(&event) == 0);
  EXPECT(sem_wait(&notified) == 0 && seen_by_notified[2] == 92);
  return NONE;
}
static const char* was_notified(int me) {
  EXPECT(seen_by_notified[0] == me + 1000 && seen_by_notified[1] == me);
  return NONE;
}
static int begin_timer(struct sigevent* event) {
  static timer_t timer;
  const struct itimerspec soon = {{0, 0}, {0, 1000}};
  return timer_create(CLOCK_MONOTONIC, event, &timer) == 0 ? timer_settime(timer, 0, &soon, NULL) : -1;
}
SET(notified_by_timer) { return is_notified(me, begin_timer); }
GET(notified_by_timer) { return was_notified(me); }
static int begin_aio(struct sigevent* event) {
  static struct aiocb request;
  static char word[4];
  memset(&request, 0, sizeof request);
  request.aio_fildes = open("/dev/zero", O_RDONLY);
  request.aio_buf = word;
  request.aio_nbytes = sizeof word;
  request.aio_sigevent = *event;
  return aio_read(&request);
}
SET(notified_by_aio) { return is_notified(me, begin_aio); }
GET(notified_by_aio) { return was_notified(me); }
/* Before main. */
static int by_constructor;
static void* note_constructor(void* unused) {
  by_constructor += 1;
  return unused;
}
__attribute__((constructor)) static void construct(void) { run(note_constructor, NULL); }
SET(of_constructor) {
  EXPECT(by_constructor == 1);
  by_constructor = me;
  return NONE;
}
GET(of_constructor) {
  EXPECT(by_constructor == me);
  return NONE;
}

static const struct named_case cases[] = {
    CASE(written_by_thread, PRIVATE),
    CASE(of_thread, PRIVATE),
    CASE(rank, PRIVATE),
    CASE(key, PRIVATE),
    CASE(once, PRIVATE),
    CASE(conditions, PRIVATE),
    CASE(c11, PRIVATE),
    CASE(detached, PRIVATE),
    CASE(cancelled, PRIVATE),
    CASE(notified_by_timer, PRIVATE),
    CASE(notified_by_aio, PRIVATE),
    CASE(of_constructor, PRIVATE),
};

int main(int argc, char** argv) { return RUN_CASES_WITH(argc, argv, cases, SERIALIZED); }
