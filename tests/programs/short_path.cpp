// For tests/errors/short_path.sh: counts what a million messages between two ranks allocate, and the system calls that
// they make. Prints the counts; the status is 0 if there were none.
//
// Allocations are counted by a malloc of our own, system calls by a seccomp filter that turns them into SIGSYS. The
// filter cannot be taken off again, so the process ends by exit_group, which it lets pass. A rank that waits for longer
// than 100 us (because another process has the other rank's core) gives its core up by sched_yield: that is right, and
// is counted apart. The messages go in rounds, so that on a busy machine some are undisturbed.
#define PURE_MAIN_RUNS_ONCE
#include <pure.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include <pure/pure.hpp>

// ---- allocations ---------------------------------------------------------------------------------------------------

namespace {
std::atomic<long> allocations{0};
thread_local bool counting = false;
void count() noexcept {
  if (counting) allocations.fetch_add(1, std::memory_order_relaxed);
}
}  // namespace

extern "C" {
void* __libc_malloc(std::size_t);
void __libc_free(void*);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t bytes) { return count(), __libc_malloc(bytes); }
void free(void* memory) {
  if (memory != nullptr) count();
  __libc_free(memory);
}
void* calloc(std::size_t n, std::size_t bytes) { return count(), __libc_calloc(n, bytes); }
void* realloc(void* memory, std::size_t bytes) { return count(), __libc_realloc(memory, bytes); }
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return count(), __libc_memalign(alignment, bytes); }
int posix_memalign(void** to, std::size_t alignment, std::size_t bytes) {
  *to = aligned_alloc(alignment, bytes);
  return *to == nullptr ? ENOMEM : 0;
}
}

namespace {

// ---- system calls --------------------------------------------------------------------------------------------------

std::atomic<long> system_calls{0}, yields{0};
std::atomic<int> first_system_call{-1};

void on_system_call(int, siginfo_t* info, void*) {
  if (info->si_syscall == SYS_sched_yield) {
    ++yields;
    return;
  }
  ++system_calls;
  int none = -1;
  first_system_call.compare_exchange_strong(none, info->si_syscall);
}

/// For the calling thread, for ever. False if the system does not allow it.
bool trap_system_calls() {
  struct sigaction action = {};
  action.sa_sigaction = on_system_call;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSYS, &action, nullptr);
  constexpr auto allow = [](unsigned number) { return sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, number}; };
  constexpr sock_filter pass = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      allow(SYS_rt_sigreturn),
      pass,
      allow(SYS_write),
      pass,
      allow(SYS_exit_group),
      pass,
      allow(SYS_clock_gettime),
      pass,  // a system call only on machines whose clock cannot be read without one
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
  };
  const sock_fprog program{sizeof rules / sizeof rules[0], rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// ---- messages ------------------------------------------------------------------------------------------------------

constexpr pure_comm everybody = PURE_COMM_WORLD;
constexpr int in_flight = 16;

struct buffers {
  char out[8192] = {};
  char in[8192] = {};
  std::vector<double> travels = std::vector<double>(1000);
};

void ping_pong(int me, buffers& b, std::int64_t bytes, int source, int tag) {
  if (me == 0) pure_send_msg(b.out, bytes, PURE_BYTE, 1, 3, everybody);
  pure_recv_msg(b.in, bytes, PURE_BYTE, source, tag, everybody);
  if (me == 1) pure_send_msg(b.out, bytes, PURE_BYTE, 0, 3, everybody);
}

/// Every kind of short message once; returns how many there were from this rank.
int exchange(pure::comm world, buffers& b) {
  const int me = world.rank(), other = 1 - me;
  for (const std::int64_t bytes : {0, 8, 40, 41, 1024, 8192}) ping_pong(me, b, bytes, other, 3);
  ping_pong(me, b, 8, PURE_ANY_SOURCE, PURE_ANY_TAG);

  pure_sendrecv_msg(b.out, 8, PURE_BYTE, other, 0, b.in, 8, PURE_BYTE, other, 0, everybody);
  pure_request requests[2 * in_flight];
  for (int i = 0; i < in_flight; ++i) pure_irecv_msg(b.in + 8 * i, 1, PURE_DOUBLE, other, i, everybody, &requests[i]);
  for (int i = 0; i < in_flight; ++i)
    pure_isend_msg(b.out, 1, PURE_DOUBLE, other, i, everybody, &requests[in_flight + i]);
  pure_waitall(2 * in_flight, requests);
  pure_irecv_msg(b.in, 8, PURE_BYTE, other, 0, everybody, &requests[0]);
  pure_send_msg(b.out, 8, PURE_BYTE, other, 0, everybody);
  for (int flag = 0; flag == 0;) pure_test(&requests[0], &flag);

  if (me == 0) world.send(1.5, other);
  (void)world.recv<double>(other);
  if (me == 1) world.send(1.5, other);
  pure::request receiving = world.irecv_into(std::span(b.in).first(256), other);
  pure::request sending = world.isend(std::span(b.out).first(256), other);
  receiving.wait();
  sending.wait();
  if (me == 0) world.send(std::move(b.travels), other);
  b.travels = world.recv<std::vector<double>>(other);
  if (me == 1) world.send(std::move(b.travels), other);
  return 6 + 1 + 1 + in_flight + 1 + 1 + 1 + 1;
}

[[noreturn]] void report(long messages, int rounds, int undisturbed, bool traps) {
  char text[400];
  const long calls = system_calls, given_up = yields, allocated = allocations;
  const int length = std::snprintf(
      text, sizeof text,
      "%ld messages: %ld allocations, %ld system calls (first: number %d), %ld yields in %d of %d rounds%s\n", messages,
      allocated, calls, first_system_call.load(), given_up, rounds - undisturbed, rounds,
      traps ? "" : "; system calls were not counted: this system allows no seccomp filter");
  const bool good = messages >= 1'000'000 && allocated == 0 && calls == 0 && undisturbed > 0;
  if (write(STDOUT_FILENO, text, static_cast<std::size_t>(length)) != length) _exit(1);
  syscall(SYS_exit_group, good ? 0 : 1);
  std::abort();
}

}  // namespace

int main() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) {
    std::puts("not tried: two ranks on one core must give it up to each other");
    return 0;
  }
  setenv("PURE_SPIN_US", "10000000", 1);  // nobody parks
  return pure::run(2, [](pure::comm world) {
    static std::atomic<int> ready{0};
    static std::atomic<bool> traps{true};
    buffers mine;
    for (int i = 0; i < 1000; ++i) exchange(world, mine);  // rings, tables and lists get their size
    if (!trap_system_calls()) traps = false;
    for (++ready; ready < 2;) {
    }
    constexpr int rounds = 400;
    long messages = 0;
    int undisturbed = 0;
    counting = true;
    for (int round = 0; round < rounds; ++round) {
      const long before = yields;
      for (int i = 0; i < 60; ++i) messages += exchange(world, mine);
      if (yields == before) ++undisturbed;
    }
    counting = false;
    if (world.rank() == 1) {
      world.send(messages, 0);
      for (;;) {  // rank 0 ends the process
      }
    }
    report(messages + world.recv<long>(1), rounds, undisturbed, traps);
  });
}
