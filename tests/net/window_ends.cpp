// For tests/net/windows.sh: how windows over several processes end, well and badly: window_ends WHAT [ARGUMENT]
//
//   many N            makes so many windows, uses all, frees all; says whether the descriptors are as before
//   closed N          the same, by processes whose files in /proc are closed to others of their user
//   churn FILE        makes, uses and frees windows for ever; says so in FILE
//   memory BYTES      an allocation of so many bytes by each rank: says on every rank whether it was refused
//   waits FILE WHERE  the last rank writes its process's number into FILE and sleeps; the others wait for it in
//                     a fence, lock or notification
//   forgotten         the last rank keeps its own lock, and waits for a rank that wants it
//   ended             the main of the last rank ends, whose part is its own memory; rank 0 goes on until it is told
//   range             operations on memory that is not there: says what each was refused by
//   computing         rank 0 adds to the memory of the last rank, which makes no call until it sees that
#include <pure.h>

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr pure_comm all_ranks = PURE_COMM_WORLD;
thread_local int me, size;

long descriptors() {
  const auto all = std::filesystem::directory_iterator("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

int many(int windows) {
  const long before = descriptors();
  std::vector<pure_win> made(static_cast<std::size_t>(windows));
  std::vector<std::int64_t*> bases(made.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (pure_win_allocate(64, 8, PURE_INFO_NULL, all_ranks, &bases[i], &made[i]) != PURE_SUCCESS) return 1;
  }
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::int64_t value = static_cast<std::int64_t>(i) + me;
    const int next = (me + 1) % size;
    pure_win_fence(0, made[i]);
    pure_put(&value, 1, PURE_INT64_T, next, 3, 1, PURE_INT64_T, made[i]);
    pure_win_fence(PURE_MODE_NOSUCCEED, made[i]);
    if (bases[i][3] != static_cast<std::int64_t>(i) + (me + size - 1) % size) return 1;
  }
  for (pure_win& each : made) pure_win_free(&each);
  // The network may have opened some meanwhile: what counts is that there is not one for each window.
  std::printf("rank %d: %s\n", me, descriptors() - before < windows / 4 + 10 ? "right" : "descriptors are left");
  return 0;
}

/// Windows that come and go for ever, of sizes that take pages of their own, or are cut from a block.
int churn(const std::string& file) {
  for (int i = 0;; ++i) {
    std::int64_t* base = nullptr;
    pure_win win = PURE_WIN_NULL;
    if (pure_win_allocate(i % 3 == 0 ? 100'000 : 64, 8, PURE_INFO_NULL, all_ranks, &base, &win) != PURE_SUCCESS)
      return 1;
    const std::int64_t value = i;
    pure_win_lock_all(0, win);
    pure_put(&value, 1, PURE_INT64_T, (me + 1) % size, 3, 1, PURE_INT64_T, win);
    pure_win_unlock_all(win);
    pure_win_fence(0, win);
    pure_win_fence(PURE_MODE_NOSUCCEED, win);
    pure_win_free(&win);
    if (i == 3 && me == 0) std::ofstream(file) << getpid() << '\n';
  }
}

int memory(std::int64_t bytes) {
  pure_set_errhandler(PURE_ERRORS_RETURN);
  void* base = nullptr;
  pure_win win = PURE_WIN_NULL;
  const int code = pure_win_allocate(me == size - 1 ? bytes : 100, 1, PURE_INFO_NULL, all_ranks, &base, &win);
  if (code == PURE_SUCCESS) {
    if (me == size - 1) std::memset(base, 1, static_cast<std::size_t>(bytes));
    std::printf("rank %d has it\n", me);
    return pure_win_free(&win);
  }
  std::printf("rank %d: %s: %s\n", me, code == PURE_ERR_NO_MEM ? "no memory" : "something else", pure_last_error());
  return 0;
}

int waits(const std::string& file, const std::string& where) {
  std::int64_t* base = nullptr;
  pure_win win = PURE_WIN_NULL;
  pure_win_allocate(800, 8, PURE_INFO_NULL, all_ranks, &base, &win);
  pure_win_set_name(win, "halo");
  const int last = size - 1;
  if (me == last) {
    if (where == "lock") pure_win_lock(PURE_LOCK_EXCLUSIVE, me, 0, win);
    pure_barrier(all_ranks);
    std::ofstream(file) << getpid() << '\n';
    pause();
  }
  pure_barrier(all_ranks);
  if (where == "lock") return pure_win_lock(PURE_LOCK_EXCLUSIVE, last, 0, win);
  if (where == "notification") return pure_win_wait_notified(1, 2, win);
  return pure_win_fence(0, win);
}

int forgotten() {
  void* base = nullptr;
  pure_win win = PURE_WIN_NULL;
  pure_win_allocate(800, 8, PURE_INFO_NULL, all_ranks, &base, &win);
  pure_win_set_name(win, "halo");
  const int last = size - 1;
  if (me == last) pure_win_lock(PURE_LOCK_EXCLUSIVE, last, 0, win);
  pure_barrier(all_ranks);
  if (me == 0) return pure_win_lock(PURE_LOCK_SHARED, last, 0, win);
  int got = 0;
  if (me == last) return pure_recv_msg(&got, 1, PURE_INT, 0, 7, all_ranks);
  return 0;
}

int range() {
  pure_set_errhandler(PURE_ERRORS_RETURN);
  std::int64_t word = 5;
  void* base = nullptr;
  pure_win win = PURE_WIN_NULL, dynamic = PURE_WIN_NULL;
  pure_win_allocate(me == size - 1 ? 80 : 160, 8, PURE_INFO_NULL, all_ranks, &base, &win);
  pure_win_set_name(win, "halo");
  pure_win_create_dynamic(PURE_INFO_NULL, all_ranks, &dynamic);
  if (me == 0) {
    pure_win_lock_all(0, win);
    if (pure_put(&word, 1, PURE_INT64_T, size - 1, 10, 1, PURE_INT64_T, win) == PURE_ERR_RMA_RANGE)
      std::printf("put: %s\n", pure_last_error());
    if (pure_get(&word, 1, PURE_INT64_T, size - 1, -1, 1, PURE_INT64_T, win) == PURE_ERR_RMA_RANGE)
      std::printf("get: %s\n", pure_last_error());
    if (pure_put(&word, 1, PURE_INT64_T, size - 1, 9, 1, PURE_INT64_T, win) == PURE_SUCCESS)
      std::puts("put of the last");
    pure_win_unlock_all(win);
    pure_win_lock_all(0, dynamic);
    int code = pure_put(&word, 1, PURE_INT64_T, size - 1, 4096, 1, PURE_INT64_T, dynamic);
    if (code == PURE_SUCCESS) code = pure_win_flush(size - 1, dynamic);
    if (code == PURE_ERR_RMA_RANGE) std::printf("dynamic: %s\n", pure_last_error());
    pure_win_unlock_all(dynamic);
  }
  pure_win_free(&dynamic);
  return pure_win_free(&win);
}

int ended() {
  std::vector<std::int64_t> mine(10);
  pure_win win = PURE_WIN_NULL;
  pure_win_create(mine.data(), 80, 8, PURE_INFO_NULL, all_ranks, &win);
  pure_win_set_name(win, "halo");
  if (me != 0) return 0;
  pure_set_errhandler(PURE_ERRORS_RETURN);
  const std::int64_t word = 5;
  pure_win_lock_all(0, win);
  for (int code = PURE_SUCCESS; code == PURE_SUCCESS; usleep(1000)) {
    pure_put(&word, 1, PURE_INT64_T, size - 1, 3, 1, PURE_INT64_T, win);
    code = pure_win_flush(size - 1, win);
  }
  std::printf("flush: %s\n", pure_last_error());
  if (pure_put(&word, 1, PURE_INT64_T, size - 1, 3, 1, PURE_INT64_T, win) == PURE_ERR_RMA_RANGE)
    std::printf("put: %s\n", pure_last_error());
  pure_win_unlock_all(win);
  return 0;
}

int computing() {
  std::int64_t* base = nullptr;
  pure_win win = PURE_WIN_NULL;
  pure_win_allocate(8, 8, PURE_INFO_NULL, all_ranks, &base, &win);
  pure_barrier(all_ranks);
  if (me == size - 1) {
    const std::atomic_ref<std::int64_t> word(*base);
    while (word.load() == 0) {  // no call of Pure
    }
  } else if (me == 0) {
    const std::int64_t one = 1;
    std::int64_t before = -1;
    pure_win_lock(PURE_LOCK_SHARED, size - 1, 0, win);
    pure_fetch_and_op(&one, &before, PURE_INT64_T, size - 1, 0, PURE_SUM, win);
    pure_win_unlock(size - 1, win);
    std::printf("it was %ld\n", static_cast<long>(before));
  }
  pure_barrier(all_ranks);
  return pure_win_free(&win);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "", argument = argc > 2 ? argv[2] : "";
  me = pure_rank();
  size = pure_size();
  if (what == "many") return many(std::stoi(argument));
  if (what == "closed" && prctl(PR_SET_DUMPABLE, 0) == 0) return many(std::stoi(argument));
  if (what == "churn") return churn(argument);
  if (what == "memory") return memory(std::stoll(argument));
  if (what == "waits" && argc > 3) return waits(argument, argv[3]);
  if (what == "forgotten") return forgotten();
  if (what == "range") return range();
  if (what == "ended") return ended();
  if (what == "computing") return computing();
  return 78;
}
