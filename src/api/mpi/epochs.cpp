// Windows: synchronization (MPI 5.0, 12.5).
#include <fmt/core.h>

#include "api/mpi/bodies.hpp"
#include "api/mpi/door.hpp"

namespace pure::core::mpi {

namespace {

void check_assertions(const call& by, int assertions) {
  constexpr int all = constants::mode_nocheck | constants::mode_nostore | constants::mode_noput |
                      constants::mode_noprecede | constants::mode_nosucceed;
  if ((assertions & ~all) != 0)
    throw_error(by, constants::err_assert,
                fmt::format("{} is no sum of assertions (MPI_MODE_NOCHECK and others)", assertions));
}

}  // namespace

void bodies::Win_fence(const call& by, int assert, window& win) {
  check_assertions(by, assert);
  win.fence(by, (assert& constants::mode_nosucceed) == 0);
}
void bodies::Win_post(const call& by, const group& group, int assert, window& win) {
  check_assertions(by, assert);
  win.post(by, group);
}
void bodies::Win_start(const call& by, const group& group, int assert, window& win) {
  check_assertions(by, assert);
  win.start(by, group);
}
void bodies::Win_complete(const call& by, window& win) { win.complete(by); }
void bodies::Win_wait(const call& by, window& win) { win.wait(by); }
void bodies::Win_test(const call& by, window& win, int* flag) { *flag = win.test(by) ? 1 : 0; }

void bodies::Win_lock(const call& by, int lock_type, int rank, int assert, window& win) {
  check_assertions(by, assert);
  if (lock_type != constants::lock_exclusive && lock_type != constants::lock_shared)
    throw_error(by, constants::err_locktype, fmt::format("{} is no type of lock", lock_type));
  win.lock(by, rank, lock_type == constants::lock_exclusive ? lock_kind::exclusive : lock_kind::shared);
}
void bodies::Win_unlock(const call& by, int rank, window& win) { win.unlock(by, rank); }
void bodies::Win_lock_all(const call& by, int assert, window& win) {
  check_assertions(by, assert);
  win.lock_all(by);
}
void bodies::Win_unlock_all(const call& by, window& win) { win.unlock_all(by); }

void bodies::Win_flush(const call& by, int rank, window& win) { win.flush(by, rank); }
void bodies::Win_flush_all(const call& by, window& win) { win.flush_all(by); }
void bodies::Win_flush_local(const call& by, int rank, window& win) { win.flush(by, rank); }
void bodies::Win_flush_local_all(const call& by, window& win) { win.flush_all(by); }
void bodies::Win_sync(const call&, window& win) { win.sync(); }

}  // namespace pure::core::mpi
