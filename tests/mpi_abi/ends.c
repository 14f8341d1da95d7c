/* How a rank of an MPI program may begin and end, well or not: argument 1 says which way. */
#define _GNU_SOURCE
#include <err.h>
#include <error.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#define CHECK(is)                                                      \
  do {                                                                 \
    if (!(is)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #is); \
      _exit(3);                                                        \
    }                                                                  \
  } while (0)
#define DO(call) CHECK((call) == MPI_SUCCESS)

enum { LARGE = 1 << 21 };

static void at_exit(void) {
  int is_initialized = 0, is_finalized = 0;
  DO(MPI_Initialized(&is_initialized));
  DO(MPI_Finalized(&is_finalized));
  printf("at exit: %d %d\n", is_initialized, is_finalized);
}

/* As a library has it that has been told of MPI before MPI_Init. */
static void end_at_exit(void) {
  int in = 1, sum = 0, size = 0;
  DO(MPI_Comm_size(MPI_COMM_WORLD, &size));
  DO(MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  CHECK(sum == size);
  DO(MPI_Finalize());
  printf("ended\n");
}

/* Values of MPI_COMM_SELF are deleted last first, and calls still work. */
static int delete_value(MPI_Comm comm, int key, void* value, void* deleted) {
  int is_finalized = 1, size = 0;
  (void)key;
  CHECK(comm == MPI_COMM_SELF);
  DO(MPI_Finalized(&is_finalized));
  DO(MPI_Comm_size(MPI_COMM_WORLD, &size));
  CHECK(!is_finalized && size > 0);
  DO(MPI_Barrier(comm));
  *(int*)deleted = *(int*)deleted * 10 + *(int*)value;
  return MPI_SUCCESS;
}

/* As libraries have it that take every signal for an error of theirs. */
static void abort_too(int number) {
  (void)number;
  MPI_Abort(MPI_COMM_WORLD, 59);
}

static const char* name_of_file;
static int is_last;
static void write_file(void) {
  if (is_last) fclose(fopen(name_of_file, "w"));
}

static void said_at_exit(void) { printf("handler\n"); }

/* All ways to end a process, outside of MPI. */
static void leave_by(const char* function, int code) {
  if (strcmp(function, "exit") == 0) exit(code);
  if (strcmp(function, "_exit") == 0) _exit(code);
  if (strcmp(function, "_Exit") == 0) _Exit(code);
  if (strcmp(function, "quick_exit") == 0) quick_exit(code);
  if (strcmp(function, "pthread_exit") == 0) pthread_exit(NULL);
  if (strcmp(function, "thrd_exit") == 0) thrd_exit(code);
  if (strcmp(function, "abort") == 0) abort();
  if (strcmp(function, "crash") == 0) *(volatile int*)16 = 0;
  if (strcmp(function, "err") == 0) err(code, "broken %d", code);
  if (strcmp(function, "errx") == 0) errx(code, "broken %d", code);
  if (strcmp(function, "error") == 0) error(code, 0, "broken %d", code);
  if (strcmp(function, "error_at_line") == 0) error_at_line(code, 0, "file", 7, "broken %d", code);
  CHECK(0);
}

static void* receive(void* nothing) {
  MPI_Recv(nothing, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return NULL;
}

/* When a process of its rank would be gone. */
static void* leave_late(void* function) {
  usleep(300000);
  leave_by(function, 7);
  return NULL;
}

static void* call_size(void* unused) {
  int size;
  (void)unused;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return NULL;
}

/* A thread of the program is MPI's main thread, and main calls in between, or ends in another way. */
static int level;
static sem_t is_begun, may_end;
static void* begin_and_end(void* unused) {
  int provided = -1, is_main = 0, rank = -1, size = 0, key, value = 4, deleted = 0;
  MPI_Comm comm;
  (void)unused;
  DO(MPI_Init_thread(NULL, NULL, level, &provided));
  CHECK(provided == level);
  DO(MPI_Is_thread_main(&is_main));
  CHECK(is_main);
  DO(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  DO(MPI_Comm_size(MPI_COMM_WORLD, &size));
  DO(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &value, 1, MPI_INT, (rank + size - 1) % size, 1,
                  MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(value == (rank + size - 1) % size);
  DO(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  DO(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  CHECK(MPI_Send(&value, 1, MPI_INT, size, 0, comm) != MPI_SUCCESS);
  DO(MPI_Comm_free(&comm));
  value = 7;
  DO(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_value, &key, &deleted));
  DO(MPI_Comm_set_attr(MPI_COMM_SELF, key, &value));
  sem_post(&is_begun);
  sem_wait(&may_end);
  DO(MPI_Finalize());
  CHECK(deleted == 7);
  return NULL;
}
static void* begin_only(void* unused) {
  (void)unused;
  DO(MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level));
  return NULL;
}
static void* try_to_end(void* unused) { /* mostly where the other thread lay */
  int is_main = 1;
  (void)unused;
  DO(MPI_Is_thread_main(&is_main));
  CHECK(!is_main);
  MPI_Finalize();
  return NULL;
}
/* The thread that has called MPI_Init has ended: no other one is it. */
static int begun_by_thread_that_ends(void) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, begin_only, NULL) == 0 && pthread_join(thread, NULL) == 0);
  CHECK(pthread_create(&thread, NULL, try_to_end, NULL) == 0 && pthread_join(thread, NULL) == 0);
  return 0;
}
static int begun_by_thread(const char* how, int code) {
  int is_main = 1, is_initialized = 0, is_finalized = 0, size = 0, sum = 0, one = 1;
  pthread_t other;
  level = strcmp(how, "serialized") == 0 || strcmp(how, "ends") == 0 ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED;
  CHECK(sem_init(&is_begun, 0, 0) == 0 && sem_init(&may_end, 0, 0) == 0);
  CHECK(pthread_create(&other, NULL, begin_and_end, NULL) == 0);
  sem_wait(&is_begun);
  DO(MPI_Initialized(&is_initialized));
  CHECK(is_initialized);
  DO(MPI_Is_thread_main(&is_main));
  CHECK(!is_main);
  if (strcmp(how, "calls") == 0) MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(how, "ends") == 0) MPI_Finalize();
  if (strcmp(how, "returns") == 0) return code;
  if (strcmp(how, "leaves") == 0) exit(code);
  if (strcmp(how, "serialized") == 0) {
    DO(MPI_Comm_size(MPI_COMM_WORLD, &size));
    DO(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(sum == size);
  }
  atexit(said_at_exit);
  sem_post(&may_end);
  if (strcmp(how, "is_first") == 0) pthread_exit(NULL);
  CHECK(pthread_join(other, NULL) == 0);
  DO(MPI_Finalized(&is_finalized));
  CHECK(is_finalized);
  if (strcmp(how, "late") == 0) MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(how, "exits") == 0) exit(code);
  return code;
}

int main(int argc, char** argv) {
  const char* const way = argc > 1 ? argv[1] : "";
  const int code = argc > 2 ? atoi(argv[2]) : 0;
  int rank = -1, size = 0, token = 0, values[] = {1, 2, 3}, i, deleted = 0;
#define IS(name) (strcmp(way, name) == 0)
  if (IS("early")) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (IS("never")) return code;
  if (IS("begun_by_thread_that_ends")) return begun_by_thread_that_ends();
  if (IS("begun_by_thread")) return begun_by_thread(argv[3], code);
  if (IS("leave_before")) leave_by(argv[3], code);
  if (IS("at_exit")) atexit(at_exit);
  if (IS("end_at_exit")) atexit(end_at_exit);
  if (IS("wait_after")) {
    name_of_file = argv[3];
    atexit(write_file);
  }
  if (IS("abort_early")) MPI_Abort(MPI_COMM_WORLD, code);
  if (IS("overlap"))
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &token);
  else if (IS("funneled_thread"))
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &token);
  else
    MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  is_last = rank > 0 && rank == size - 1;
  MPI_Allreduce(&rank, &token, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (IS("init_twice")) MPI_Init(&argc, &argv);
  if (IS("return") || IS("end_at_exit")) return code;
  if (IS("exit")) exit(code);
  if (IS("exit_now")) _exit(code);
  if (IS("segv") && rank == size - 1) raise(SIGSEGV);
  if (IS("abort_twice")) {
    signal(SIGTERM, abort_too);
    DO(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == size - 1) MPI_Abort(MPI_COMM_WORLD, code);
    MPI_Recv(&token, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (IS("abort") && rank == size - 1) {
    printf("kept");
    MPI_Abort(MPI_COMM_WORLD, code);
  }
  if (IS("abort_part")) {
    MPI_Comm part;
    DO(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &part));
    DO(MPI_Comm_set_name(part, "part"));
    if (rank == 0) MPI_Abort(part, code);
    MPI_Barrier(MPI_COMM_WORLD);
    sleep(20);
  }
  if (IS("fork")) {
    const pid_t child = fork();
    if (child == 0) {
      execlp("sh", "sh", "-c", "exit 5", NULL);
      _exit(6);
    }
    CHECK(waitpid(child, &token, 0) == child && WIFEXITED(token) && WEXITSTATUS(token) == 5);
  }
  if (IS("fork_calls")) {
    const pid_t child = fork();
    if (child == 0) {
      MPI_Barrier(MPI_COMM_WORLD);
      _exit(6);
    }
    CHECK(waitpid(child, &token, 0) == child && WIFEXITED(token) && WEXITSTATUS(token) == 1);
  }
  if (IS("values")) {
    for (i = 0; i < 3; ++i) {
      int key;
      DO(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_value, &key, &deleted));
      DO(MPI_Comm_set_attr(MPI_COMM_SELF, key, &values[i]));
    }
  }
  if (IS("open_receive")) {
    MPI_Request request;
    DO(MPI_Irecv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &request));
  }
  if (IS("freed_receive")) { /* which is received all the same, after main's end where ranks are threads */
    char* const much = calloc(1, LARGE);
    MPI_Request request;
    if (rank == size - 1) {
      DO(MPI_Irecv(much, LARGE, MPI_BYTE, 0, 97, MPI_COMM_WORLD, &request));
      DO(MPI_Request_free(&request));
    }
    if (rank == 0) DO(MPI_Ssend(much, LARGE, MPI_BYTE, size - 1, 97, MPI_COMM_WORLD));
    if (rank < size - 1) free(much);
  }
  if (IS("open_send") && rank == 0) {
    char* const much = calloc(1, LARGE);
    MPI_Request request;
    DO(MPI_Isend(much, 8, MPI_BYTE, size - 1, 98, MPI_COMM_WORLD, &request));
    DO(MPI_Isend(much, LARGE, MPI_BYTE, size - 1, 99, MPI_COMM_WORLD, &request));
  }
  if (IS("returned")) {
    MPI_Comm comm;
    DO(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    DO(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    CHECK(MPI_Send(&token, 1, MPI_INT, size, 0, comm) != MPI_SUCCESS);
    CHECK(MPI_Send(&token, 1, MPI_DATATYPE_NULL, 0, 0, comm) != MPI_SUCCESS);
    CHECK(MPI_Send(&token, -1, MPI_INT, 0, 0, comm) != MPI_SUCCESS);
    DO(MPI_Comm_free(&comm));
  }
  if (IS("fatal")) {
    MPI_Comm comm;
    DO(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    DO(MPI_Comm_set_name(comm, "ocean"));
    if (rank == size - 1) MPI_Send(&token, 1, MPI_INT, size, 0, comm);
    MPI_Barrier(comm);
  }
  if (IS("thread") || IS("funneled_thread")) {
    pthread_t other;
    pthread_create(&other, NULL, call_size, NULL);
    pthread_join(other, NULL);
  }
  if (IS("overlap")) {
    pthread_t other;
    pthread_create(&other, NULL, receive, NULL);
    usleep(100000); /* it waits */
    MPI_Recv(&token, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  DO(MPI_Finalize());
  CHECK(deleted == (IS("values") ? 321 : 0));
  if (IS("end_twice")) MPI_Finalize();
  if (IS("late")) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (IS("late_type")) MPI_Type_size(MPI_INT, &token);
  if (IS("init_again")) MPI_Init(&argc, &argv);
  if (IS("leave_after")) {
    atexit(said_at_exit);
    if (rank == size - 1) leave_by(argv[3], code);
    usleep(200000);
    printf("rank %d went on\n", rank);
  }
  if (IS("left_thread")) {
    pthread_t other;
    if (rank == 0)
      usleep(800000);
    else
      CHECK(pthread_create(&other, NULL, leave_late, argv[3]) == 0);
    printf("rank %d went on\n", rank);
  }
  if (IS("wait_after") && rank == 0) { /* for what the last rank does at its end, by a handler older than MPI_Init */
    for (i = 0; i < 1000 && access(argv[3], R_OK) != 0; ++i) usleep(10000);
    CHECK(size == 1 || access(argv[3], R_OK) == 0);
  }
  if (IS("exit_after")) exit(code);
  if (IS("exit_now_after")) _exit(code);
  if (IS("return_after")) return code;
  return 0;
}
