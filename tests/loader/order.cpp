// In what order a program begins and ends, which it writes down. The first argument says which way it ends, the second
// with which status.
#include <mpi.h>
#include <pthread.h>
#include <threads.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

extern "C" {
void note(const char* event);
void set_rank(int rank);
void print_events();
void upper_at_exit();
void lower_at_exit();
}

namespace {

std::string way;
int status = 0;
bool is_way(const char* name) { return way == name; }

struct noted {
  explicit noted(const char* its_name) : name(its_name) { note((name + "+").c_str()); }
  ~noted() { note((name + "-").c_str()); }
  noted(const noted&) = delete;
  std::string name;
};
noted object("object");
__attribute__((init_priority(300))) noted early_object("object_300");
thread_local noted of_thread("thread_local");

void preinit(int argc, char** argv, char** environment) {
  note(argc > 1 && argv[argc] == nullptr && environment[0] != nullptr ? "preinit" : "WRONG_PREINIT");
}
__attribute__((section(".preinit_array"), used)) void (*const preinit_entry)(int, char**, char**) = preinit;

__attribute__((constructor(250))) void construct_250() { note("constructor_250"); }
__attribute__((constructor)) void construct(int argc, char** argv, char**) {
  note("constructor");
  if (argc > 2 && std::strcmp(argv[1], "constructor") == 0) std::exit(std::atoi(argv[2]));
}
__attribute__((destructor)) void destroy() { note("destructor"); }
__attribute__((destructor(250))) void destroy_250() { note("destructor_250"); }

void at_exit_of_handler() { note("atexit_of_handler"); }
void at_exit() {
  note("atexit");
  std::atexit(at_exit_of_handler);
  if (is_way("in_handler")) std::exit(status);
  if (is_way("now_in_handler")) {
    print_events();
    _exit(status);
  }
}
void on_exit(int its_status, void* argument) {
  note(("on_exit_" + std::to_string(its_status) + static_cast<const char*>(argument)).c_str());
}
void at_quick_exit() {
  note("at_quick_exit");
  print_events();
}
void first_at_quick_exit() { note("first_at_quick_exit"); }
void before_the_end() {
  static noted of_function("static_of_function");
  // glibc 2.36 destroys no thread-local objects of a main thread that ends before others.
  if (!is_way("main_thread_is_first")) of_thread.name += of_function.name.substr(0, 1);
  std::atexit(at_exit);
  ::on_exit(on_exit, const_cast<char*>("_argument"));
  std::at_quick_exit(at_quick_exit);
  std::at_quick_exit(first_at_quick_exit);
  upper_at_exit();
  lower_at_exit();
}
void finalize_at_exit() {
  note("finalizes");
  MPI_Finalize();
}
void* exits(void*) { std::exit(status); }
void* ends(void*) {
  const noted local("local_of_thread");
  of_thread.name += "2";
  pthread_exit(nullptr);
}
void* works_on(void*) {
  usleep(300'000);
  note("worked_on");
  return nullptr;
}
void touches_nothing() { *reinterpret_cast<volatile int*>(16) = 1; }
void exits_below() {
  const noted local("never_destroyed");
  std::exit(status);
}
void deep() {
  const noted local("nor_this_one");
  exits_below();
}

int my_rank = -1;
tss_t keys[2];
char names_of_values[][20] = {"of no key", "of main", "of another thread"};
void end_value(void* name) {
  std::printf("rank %d: a value %s ends\n", my_rank, static_cast<const char*>(name));
  std::fflush(stdout);
}
void* has_value(void*) {
  tss_set(keys[1], names_of_values[2]);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  way = argc > 1 ? argv[1] : "";
  status = argc > 2 ? std::atoi(argv[2]) : 0;
  note("main");
  before_the_end();
  if (is_way("before")) std::exit(status);
  if (is_way("return_before")) return status;
  if (is_way("now_before")) _exit(status);
  if (is_way("quick_before")) std::quick_exit(status);
  MPI_Init(&argc, &argv);
  int rank = -1, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  set_rank(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (is_way("at_exit")) std::atexit(finalize_at_exit);
  if (is_way("at_exit") || is_way("between")) std::exit(status);
  if (is_way("abort_one") && rank == size - 1) std::abort();
  if (is_way("abort")) std::abort();
  if (is_way("exception")) throw std::runtime_error("rank " + std::to_string(rank));
  if (is_way("segv") && rank == size - 1) touches_nothing();
  if (is_way("between_one") && rank == size - 1) std::exit(status);
  if (is_way("between_one") || is_way("segv") || is_way("abort_one")) MPI_Barrier(MPI_COMM_WORLD);
  if (is_way("mpi_abort")) MPI_Abort(MPI_COMM_WORLD, status);
  pthread_t thread;
  if (is_way("keys")) {
    my_rank = rank;
    for (tss_t& key : keys) tss_create(&key, end_value);
    for (int number = 0; number < 2; ++number) tss_set(keys[number], names_of_values[number]);
    tss_delete(keys[0]);
    pthread_create(&thread, nullptr, has_value, nullptr);
    pthread_join(thread, nullptr);
  }
  if (is_way("thread_ends")) {
    pthread_create(&thread, nullptr, ends, nullptr);
    pthread_join(thread, nullptr);
  }
  MPI_Finalize();
  note("finalized");
  if (is_way("return")) return status;
  if (is_way("return_own")) return rank == size - 1 ? status : 0;
  if (is_way("exit")) std::exit(status);
  if (is_way("now")) {
    print_events();
    _exit(status);
  }
  if (is_way("c_now")) {
    print_events();
    std::_Exit(status);
  }
  if (is_way("quick")) std::quick_exit(status);
  if (is_way("deep")) deep();
  if (is_way("thread")) {
    pthread_create(&thread, nullptr, exits, nullptr);
    for (;;) pause();
  }
  if (is_way("late_exception")) throw std::runtime_error("late");
  if (is_way("main_thread_is_first")) {
    my_rank = rank;
    tss_create(&keys[0], end_value);
    tss_set(keys[0], names_of_values[1]);
    pthread_create(&thread, nullptr, works_on, nullptr);
  }
  if (is_way("main_thread_ends") || is_way("main_thread_is_first")) {
    const noted local("local_of_main");
    pthread_exit(nullptr);
  }
  std::printf("rank %d: printed at the end\n", rank);
  return 0;
}
