// pure.h, requests that are started by the program or freed without being completed (MPI 4.1, 3.7.3 and 3.9).
#include <pure.h>

#include <fmt/core.h>

#include <span>

#include "api/c/door.hpp"

using pure::errc;
using namespace pure::core;

int pure_start(pure_request* request, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const communicator& world = world_of(by);
    require(world, by, request, "request");
    world.requests().start(by, handle_of(*request));
  });
}

int pure_startall(int count, pure_request requests[], pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const communicator& world = world_of(by);
    if (count < 0) throw_bad_argument(world, by, errc::count, fmt::format("the count {} is negative", count));
    if (count > 0) require(world, by, requests, "requests");
    const std::span<const pure_request> all(requests, static_cast<std::size_t>(count));
    world.requests().check_several(by, {reinterpret_cast<const handle*>(requests), all.size()});
    for (const pure_request each : all)
      world.requests().stored().check_startable(by, handle_of(each));  // all, or none is started
    for (const pure_request each : all) world.requests().start(by, handle_of(each));
  });
}

int pure_request_free(pure_request* request, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const communicator& world = world_of(by);
    require(world, by, request, "request");
    handle freed = handle_of(*request);
    world.requests().free_request(by, freed);
    *request = name_of(freed);
  });
}
