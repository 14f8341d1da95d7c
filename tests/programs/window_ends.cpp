// For tests/errors/windows.sh: programs that use windows wrongly, or wait for ever at one.
//
// usage: window_ends WHAT
#include <pure.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace {

constexpr pure_comm world = PURE_COMM_WORLD;

pure_win made(std::int64_t bytes, const char* name = "halo") {
  pure_info info;
  pure_info_create(&info);
  pure_info_set(info, "pure_name", name);
  void* base = nullptr;
  pure_win win;
  pure_win_allocate(bytes, 8, info, world, &base, &win);
  pure_info_free(&info);
  return win;
}

void run(const char* what) {
  const int me = pure_rank();
  const auto is = [&](const char* name) { return std::strcmp(what, name) == 0; };
  if (is("memory")) {  // a limit that only the window meets
    made(me == 1 ? std::int64_t{1} << 36 : 8);
    return;
  }
  pure_win win = made(64);
  std::int64_t x = 0;
  if (is("forgotten_unlock")) {
    if (me == 1) pure_win_lock(PURE_LOCK_EXCLUSIVE, 0, 0, win);
    pure_barrier(world);
    if (me == 0) pure_win_lock(PURE_LOCK_SHARED, 0, 0, win);
  } else if (is("crossed_locks")) {  // of ranks 0 and 2, each held by the other one of ranks 0 and 1
    if (me == 0) pure_win_lock(PURE_LOCK_EXCLUSIVE, 2, 0, win);
    if (me == 1) pure_win_lock(PURE_LOCK_SHARED, 0, 0, win);
    pure_barrier(world);
    if (me == 0) pure_win_lock(PURE_LOCK_EXCLUSIVE, 0, 0, win);
    if (me == 1) pure_win_lock(PURE_LOCK_SHARED, 2, 0, win);
  } else if (is("never_notified")) {
    if (me == 0) pure_win_wait_notified(1, 5, win);
  } else if (is("fence_of_one")) {
    if (me == 0) pure_win_fence(0, win);
  } else if (is("no_post")) {
    pure_group all;
    pure_comm_group(world, &all);
    if (me == 0) pure_win_start(all, 0, win);
  } else if (is("no_epoch")) {
    pure_barrier(world);
    if (me == 0) pure_put(&x, 1, PURE_INT64_T, 1, 0, 1, PURE_INT64_T, win);
    pure_barrier(world);
  } else if (is("throws_in_epoch")) {
    pure_win_lock(PURE_LOCK_EXCLUSIVE, me, 0, win);
    if (me == 1) throw std::runtime_error("the solver diverges");
    pure_barrier(world);
    pure_barrier(world);
  } else if (is("throws_while_others_wait")) {  // for a lock, a fence, a notification
    if (me == 1) pure_win_lock(PURE_LOCK_EXCLUSIVE, 0, 0, win);
    pure_barrier(world);
    if (me == 0) pure_win_lock(PURE_LOCK_EXCLUSIVE, 0, 0, win);
    if (me == 1) throw std::runtime_error("the solver diverges");
    if (me == 2) pure_win_wait_notified(1, 0, win);
    if (me == 3) pure_win_fence(0, win);
  } else if (is("freed_in_epoch")) {
    pure_win_lock(PURE_LOCK_SHARED, 1 - me, 0, win);
    pure_barrier(world);
    if (me == 1) pure_win_free(&win);
    pure_barrier(world);
  } else if (is("no_complete")) {
    pure_group all;
    pure_comm_group(world, &all);
    pure_win_post(all, 0, win);
    pure_win_start(all, 0, win);
    if (me == 1) pure_win_complete(win);
    pure_win_wait(win);
  } else if (is("other_window")) {
    pure_win second = made(64, "rows");
    pure_win_fence(0, me == 1 ? second : win);
  } else if (is("other_communicator")) {
    pure_comm copy;
    pure_comm_dup(world, &copy);
    void* base = nullptr;
    pure_win second;
    pure_win_allocate(8, 8, PURE_INFO_NULL, copy, &base, &second);
    pure_win_fence(0, me == 1 ? second : win);
  } else if (is("free_against_fence")) {
    if (me == 1) pure_win_fence(0, win);
    if (me != 1) pure_win_free(&win);
  } else if (is("two_puts")) {
    pure_win_fence(0, win);
    if (me == 1) pure_put(&x, 1, PURE_INT64_T, 0, 3, 1, PURE_INT64_T, win);
    pure_barrier(world);  // orders nothing, says the standard
    if (me == 2) pure_put(&x, 1, PURE_INT64_T, 0, 3, 1, PURE_INT64_T, win);
    pure_win_fence(0, win);
  } else if (is("store_and_put")) {
    std::int64_t* own = nullptr;
    int flag = 0;
    pure_win_get_attr(win, PURE_WIN_BASE, &own, &flag);
    x = -1;
    pure_win_fence(0, win);
    if (me == 1) pure_put(&x, 1, PURE_INT64_T, 0, 3, 1, PURE_INT64_T, win);
    pure_barrier(world);
    if (me == 0) own[3] = 7;
    pure_win_fence(0, win);
  } else if (is("ends_over_memory")) {  // the main of rank 1; rank 0 goes on until it is told
    std::vector<std::int64_t> mine(8);
    pure_win over = PURE_WIN_NULL;
    pure_win_create(mine.data(), 64, 8, PURE_INFO_NULL, world, &over);
    pure_win_set_name(over, "rows");
    if (me == 1) return;
    pure_win_lock(PURE_LOCK_SHARED, 1, 0, over);
    for (;;) {
      pure_fetch_and_op(&x, &x, PURE_INT64_T, 1, 3, PURE_NO_OP, over);
      pure_win_flush(1, over);
    }
  } else if (is("spins")) {  // on what the other one will never store
    pure_win_lock_all(0, win);
    pure_barrier(world);
    if (me == 1) throw std::runtime_error("the solver diverges");
    for (;;) pure_win_sync(win);
  } else if (is("left")) {
    pure_win second = made(8, "rows");
    pure_win_free(&second);
  } else if (is("freed")) {
    pure_win_fence(0, win);
    pure_win_fence(PURE_MODE_NOSUCCEED, win);
    pure_win_free(&win);
  } else {
    std::fprintf(stderr, "unknown: %s\n", what);
  }
}

}  // namespace

int main(int argc, char** argv) {
  run(argc == 2 ? argv[1] : "");
  return 0;
}
