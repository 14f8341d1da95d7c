// pure.h, windows (pure/windows.h): synchronization and notifications.
#include <fmt/core.h>

#include "api/c/window.hpp"

using pure::errc;
using namespace pure::core;

namespace {

void check_assertions(const window& of, const call& by, int assertions) {
  constexpr int all = PURE_MODE_NOCHECK | PURE_MODE_NOSTORE | PURE_MODE_NOPUT | PURE_MODE_NOPRECEDE |
                      PURE_MODE_NOSUCCEED;
  if ((assertions & ~all) != 0)
    of.throw_wrong(by, errc::argument,
                   fmt::format("{} is no sum of assertions (PURE_MODE_NOCHECK and others)", assertions));
}

std::uint64_t count_of(const window& of, const call& by, std::int64_t count) {
  if (count < 0) of.throw_wrong(by, errc::count, fmt::format("the count {} is negative", count));
  return static_cast<std::uint64_t>(count);
}

/// A call that is about the window alone.
template <class Act>
int on_window(const call& by, pure_win win, Act act) {
  return c_door(by.operation, [&] { act(window_of(by, win)); });
}

}  // namespace

int pure_win_fence(int assertions, pure_win win, pure_call_site site) {
  const call by{"pure_win_fence", site};
  return on_window(by, win, [&](window& on) {
    check_assertions(on, by, assertions);
    on.fence(by, (assertions & PURE_MODE_NOSUCCEED) == 0);
  });
}

int pure_win_post(pure_group group, int assertions, pure_win win, pure_call_site site) {
  const call by{"pure_win_post", site};
  return on_window(by, win, [&](window& on) {
    check_assertions(on, by, assertions);
    on.post(by, group_of(by, group));
  });
}

int pure_win_start(pure_group group, int assertions, pure_win win, pure_call_site site) {
  const call by{"pure_win_start", site};
  return on_window(by, win, [&](window& on) {
    check_assertions(on, by, assertions);
    on.start(by, group_of(by, group));
  });
}

int pure_win_complete(pure_win win, pure_call_site site) {
  const call by{"pure_win_complete", site};
  return on_window(by, win, [&](window& on) { on.complete(by); });
}

int pure_win_wait(pure_win win, pure_call_site site) {
  const call by{"pure_win_wait", site};
  return on_window(by, win, [&](window& on) { on.wait(by); });
}

int pure_win_test(pure_win win, int* flag, pure_call_site site) {
  const call by{"pure_win_test", site};
  return on_window(by, win, [&](window& on) {
    require(on.comm(), by, flag, "flag");
    *flag = on.test(by) ? 1 : 0;
  });
}

int pure_win_lock(int lock_type, int rank, int assertions, pure_win win, pure_call_site site) {
  const call by{"pure_win_lock", site};
  return on_window(by, win, [&](window& on) {
    check_assertions(on, by, assertions);
    if (lock_type != PURE_LOCK_EXCLUSIVE && lock_type != PURE_LOCK_SHARED)
      on.throw_wrong(by, errc::argument, fmt::format("{} is no type of lock", lock_type));
    on.lock(by, rank, lock_type == PURE_LOCK_EXCLUSIVE ? lock_kind::exclusive : lock_kind::shared);
  });
}

int pure_win_unlock(int rank, pure_win win, pure_call_site site) {
  const call by{"pure_win_unlock", site};
  return on_window(by, win, [&](window& on) { on.unlock(by, rank); });
}

int pure_win_lock_all(int assertions, pure_win win, pure_call_site site) {
  const call by{"pure_win_lock_all", site};
  return on_window(by, win, [&](window& on) {
    check_assertions(on, by, assertions);
    on.lock_all(by);
  });
}

int pure_win_unlock_all(pure_win win, pure_call_site site) {
  const call by{"pure_win_unlock_all", site};
  return on_window(by, win, [&](window& on) { on.unlock_all(by); });
}

int pure_win_flush(int rank, pure_win win, pure_call_site site) {
  const call by{"pure_win_flush", site};
  return on_window(by, win, [&](window& on) { on.flush(by, rank); });
}

int pure_win_flush_all(pure_win win, pure_call_site site) {
  const call by{"pure_win_flush_all", site};
  return on_window(by, win, [&](window& on) { on.flush_all(by); });
}

int pure_win_flush_local(int rank, pure_win win, pure_call_site site) {
  const call by{"pure_win_flush_local", site};
  return on_window(by, win, [&](window& on) { on.flush(by, rank); });
}

int pure_win_flush_local_all(pure_win win, pure_call_site site) {
  const call by{"pure_win_flush_local_all", site};
  return on_window(by, win, [&](window& on) { on.flush_all(by); });
}

int pure_win_sync(pure_win win, pure_call_site site) {
  const call by{"pure_win_sync", site};
  return on_window(by, win, [&](window& on) { on.sync(); });
}

int pure_win_notify(int rank, int notification, pure_win win, pure_call_site site) {
  const call by{"pure_win_notify", site};
  return on_window(by, win, [&](window& on) { on.notify(by, rank, notification); });
}

int pure_win_wait_notified(std::int64_t count, int notification, pure_win win, pure_call_site site) {
  const call by{"pure_win_wait_notified", site};
  return on_window(by, win, [&](window& on) { on.wait_notified(by, count_of(on, by, count), notification); });
}

int pure_win_test_notified(std::int64_t count, int notification, pure_win win, int* flag, pure_call_site site) {
  const call by{"pure_win_test_notified", site};
  return on_window(by, win, [&](window& on) {
    require(on.comm(), by, flag, "flag");
    *flag = on.test_notified(by, count_of(on, by, count), notification) ? 1 : 0;
  });
}
