// pure.h, looks at requests that leave them as they are (MPI 4.1, 3.7.6).
#include <pure.h>

#include <fmt/core.h>

#include <span>

#include "api/c/door.hpp"

using pure::errc;
using namespace pure::core;

namespace {

/// The requests of one call, all of them valid.
std::span<const pure_request> looked_at(const communicator& world, const call& by, int count,
                                        const pure_request requests[]) {
  if (count < 0) throw_bad_argument(world, by, errc::count, fmt::format("the count {} is negative", count));
  if (count > 0) require(world, by, requests, "requests");
  const std::span<const pure_request> all(requests, static_cast<std::size_t>(count));
  for (const pure_request each : all) world.requests().check(by, handle_of(each));
  return all;
}

void fill_with_outcome(pure_status* to, const communicator& world, pure_request request) {
  if (to != nullptr) fill(to, world.requests().outcome_of(handle_of(request)));
}

}  // namespace

int pure_request_get_status(pure_request request, int* flag, pure_status* status, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const communicator& world = world_of(by);
    require(world, by, flag, "flag");
    const handle looked_at = handle_of(request);
    world.requests().check(by, looked_at);
    bool makes_progress = true;
    *flag = world.requests().look(looked_at, makes_progress) ? 1 : 0;
    if (*flag == 1) fill(status, world.requests().outcome_of(looked_at));
  });
}

int pure_request_get_status_any(int count, const pure_request requests[], int* index, int* flag, pure_status* status,
                                pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const communicator& world = world_of(by);
    require(world, by, index, "index");
    require(world, by, flag, "flag");
    const auto all = looked_at(world, by, count, requests);
    *index = PURE_UNDEFINED;
    bool any = false, makes_progress = true;
    for (std::size_t i = 0; i < all.size() && *index == PURE_UNDEFINED; ++i) {
      if (!world.requests().is_active(handle_of(all[i]))) continue;
      any = true;
      if (world.requests().look(handle_of(all[i]), makes_progress)) *index = static_cast<int>(i);
    }
    *flag = *index != PURE_UNDEFINED || !any ? 1 : 0;
    if (*index != PURE_UNDEFINED) {
      fill_with_outcome(status, world, all[static_cast<std::size_t>(*index)]);
    } else if (*flag == 1) {
      fill(status, {});
    }
  });
}

int pure_request_get_status_all(int count, const pure_request requests[], int* flag, pure_status statuses[],
                                pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const communicator& world = world_of(by);
    require(world, by, flag, "flag");
    const auto all = looked_at(world, by, count, requests);
    *flag = 1;
    bool makes_progress = true;
    for (const pure_request each : all) *flag &= world.requests().look(handle_of(each), makes_progress) ? 1 : 0;
    if (*flag == 0 || statuses == nullptr) return;
    for (std::size_t i = 0; i < all.size(); ++i) fill_with_outcome(statuses + i, world, all[i]);
  });
}

int pure_request_get_status_some(int incount, const pure_request requests[], int* outcount, int indices[],
                                 pure_status statuses[], pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const communicator& world = world_of(by);
    require(world, by, outcount, "outcount");
    if (incount > 0) require(world, by, indices, "indices");
    const auto all = looked_at(world, by, incount, requests);
    bool any = false, makes_progress = true;
    int complete = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!world.requests().is_active(handle_of(all[i]))) continue;
      any = true;
      if (!world.requests().look(handle_of(all[i]), makes_progress)) continue;
      fill_with_outcome(statuses == nullptr ? nullptr : statuses + complete, world, all[i]);
      indices[complete++] = static_cast<int>(i);
    }
    *outcount = any ? complete : PURE_UNDEFINED;
  });
}
