// pure.h: a rank that the program begins and ends itself.
#include <pure.h>

#include "api/c/door.hpp"
#include "runtime/call_error.hpp"
#include "start/calling_rank.hpp"

using namespace pure::core;

int pure_init(pure_call_site site) {
  const call by{"pure_init", site};
  return c_door([&] { begin_calling_rank(by, failure_action::end_process); });
}

int pure_finalize(pure_call_site site) {
  const call by{"pure_finalize", site};
  return c_door([&] { end_calling_rank(by, 0); });
}

int pure_initialized(int* flag, pure_call_site site) {
  const call by{"pure_initialized", site};
  return c_door([&] {
    if (flag == nullptr) throw_wrong_call(by, pure::errc::argument, "flag is null");
    *flag = has_calling_rank_begun() ? 1 : 0;
  });
}

int pure_finalized(int* flag, pure_call_site site) {
  const call by{"pure_finalized", site};
  return c_door([&] {
    if (flag == nullptr) throw_wrong_call(by, pure::errc::argument, "flag is null");
    *flag = has_calling_rank_ended() ? 1 : 0;
  });
}
