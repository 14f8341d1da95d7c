// pure.h: a rank that the program begins and ends itself.
#include <pure.h>

#include "api/c/door.hpp"
#include "runtime/call_error.hpp"
#include "start/calling_rank.hpp"

using namespace pure::core;

int pure_init(pure_call_site site) {
  return c_call(site, [&](const call& by) { begin_calling_rank(by, failure_action::end_process); });
}

int pure_finalize(pure_call_site site) {
  return c_call(site, [&](const call& by) { end_calling_rank(by, 0); });
}

int pure_initialized(int* flag, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    if (flag == nullptr) throw_wrong_call(by, pure::errc::argument, "flag is null");
    *flag = has_calling_rank_begun() ? 1 : 0;
  });
}

int pure_finalized(int* flag, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    if (flag == nullptr) throw_wrong_call(by, pure::errc::argument, "flag is null");
    *flag = has_calling_rank_ended() ? 1 : 0;
  });
}
