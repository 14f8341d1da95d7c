// pure.h, completion: wait and test in all forms (MPI 4.1, 3.7.3 to 3.7.5).
#include <pure.h>

#include <fmt/core.h>

#include <exception>
#include <span>

#include "api/c/door.hpp"
#include "api/c/types.hpp"

using pure::errc;
using pure::Error;
using namespace pure::core;

namespace {

/// The requests of one call, seen as handles; wait and wait_all check them.
inline std::span<handle> unchecked_handles(const communicator& world, const call& by, int count, pure_request all[]) {
  static_assert(sizeof(handle) == sizeof(pure_request) && alignof(handle) == alignof(pure_request));
  if (count < 0) throw_bad_argument(world, by, errc::count, fmt::format("the count {} is negative", count));
  if (count > 0) require(world, by, all, "requests");
  return {reinterpret_cast<handle*>(all), static_cast<std::size_t>(count)};
}

/// The same, all of them valid, and none given twice.
std::span<handle> handles_of(const communicator& world, const call& by, int count, pure_request all[]) {
  const std::span<handle> handles = unchecked_handles(world, by, count, all);
  world.requests().check_several(by, handles);
  return handles;
}

/// Completes one request into `to` (or nowhere); a failure throws.
void complete(const communicator& world, const call& by, handle& request, pure_status* to) {
  world.requests().finish_or_throw(by, request, [&](const status& result) { fill(to, result); });
}

/// Completes several: a failure is noted in its status, and one error stands for all (MPI 4.1, 3.7.5).
class several {
 public:
  several(const communicator& world, const call& by) : world_(world), by_(by) {}

  void complete(handle& request, pure_status* to) {
    world_.requests().finish(
        request,
        [&](const status& result, const Error* failure) {
          fill(to, result);
          if (result.error == errc::success || first_failure_.error != errc::success) return;
          first_failure_ = result;
          if (failure != nullptr) of_operation_ = std::make_exception_ptr(*failure);
        },
        by_);
  }
  void throw_if_any_failed(bool caller_has_statuses) const {
    if (first_failure_.error == errc::success) return;
    try {
      if (of_operation_ != nullptr) std::rethrow_exception(of_operation_);
      world_.requests().throw_if_failed(by_, first_failure_);
    } catch (const Error& error) {
      if (caller_has_statuses) throw Error(errc::in_status, error.what(), error.site());
      throw;
    }
  }

 private:
  const communicator& world_;
  const call& by_;
  status first_failure_;
  std::exception_ptr of_operation_;  // the error of the first failure, if it is not a receive's
};

pure_status* at(pure_status* statuses, std::size_t i) { return statuses == nullptr ? nullptr : statuses + i; }

void set_empty(pure_status* status) { fill(status, {}); }

/// Completes every request that is complete. `count`: how many, or PURE_UNDEFINED if none was active; it is set even if
/// some failed (MPI 4.1, 3.7.5).
void complete_some(const communicator& world, const call& by, std::span<handle> all, int& count, int indices[],
                   pure_status statuses[]) {
  several done(world, by);
  count = 0;
  bool any = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!world.requests().is_active(all[i])) continue;
    any = true;
    if (!world.requests().poll(all[i])) continue;
    done.complete(all[i], at(statuses, static_cast<std::size_t>(count)));
    indices[count++] = static_cast<int>(i);
  }
  if (!any) count = PURE_UNDEFINED;
  done.throw_if_any_failed(statuses != nullptr);
}

}  // namespace

int pure_wait(pure_request* request, pure_status* status, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    communicator& world = world_of(by);
    require(world, by, request, "request");
    handle& one = unchecked_handles(world, by, 1, request)[0];
    world.requests().wait(by, one);
    complete(world, by, one, status);
  });
}

int pure_waitall(int count, pure_request requests[], pure_status statuses[], pure_call_site site) {
  return c_call(site, [&](const call& by) {
    communicator& world = world_of(by);
    const std::span<handle> all = unchecked_handles(world, by, count, requests);
    world.requests().wait_all(by, all);
    several done(world, by);
    for (std::size_t i = 0; i < all.size(); ++i) done.complete(all[i], at(statuses, i));
    done.throw_if_any_failed(statuses != nullptr);
  });
}

int pure_waitany(int count, pure_request requests[], int* index, pure_status* status, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    communicator& world = world_of(by);
    require(world, by, index, "index");
    const std::span<handle> all = handles_of(world, by, count, requests);
    const int found = world.requests().wait_any(by, all);
    *index = found < 0 ? PURE_UNDEFINED : found;
    if (found < 0) {
      set_empty(status);
    } else {
      complete(world, by, all[static_cast<std::size_t>(found)], status);
    }
  });
}

int pure_waitsome(int incount, pure_request requests[], int* outcount, int indices[], pure_status statuses[],
                  pure_call_site site) {
  return c_call(site, [&](const call& by) {
    communicator& world = world_of(by);
    require(world, by, outcount, "outcount");
    if (incount > 0) require(world, by, indices, "indices");
    const std::span<handle> all = handles_of(world, by, incount, requests);
    world.requests().wait_any(by, all);
    complete_some(world, by, all, *outcount, indices, statuses);
  });
}

int pure_test(pure_request* request, int* flag, pure_status* status, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    communicator& world = world_of(by);
    require(world, by, request, "request");
    require(world, by, flag, "flag");
    handle& one = unchecked_handles(world, by, 1, request)[0];
    world.requests().check(by, one);
    *flag = world.requests().test(one) ? 1 : 0;
    if (*flag == 1) complete(world, by, one, status);
  });
}

int pure_testall(int count, pure_request requests[], int* flag, pure_status statuses[], pure_call_site site) {
  return c_call(site, [&](const call& by) {
    communicator& world = world_of(by);
    require(world, by, flag, "flag");
    const std::span<handle> all = handles_of(world, by, count, requests);
    *flag = 1;
    bool makes_progress = true;
    for (const handle each : all) *flag &= world.requests().test(each, makes_progress) ? 1 : 0;
    if (*flag == 0) return;
    several done(world, by);
    for (std::size_t i = 0; i < all.size(); ++i) done.complete(all[i], at(statuses, i));
    done.throw_if_any_failed(statuses != nullptr);
  });
}

int pure_testany(int count, pure_request requests[], int* index, int* flag, pure_status* status, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    communicator& world = world_of(by);
    require(world, by, index, "index");
    require(world, by, flag, "flag");
    const std::span<handle> all = handles_of(world, by, count, requests);
    *index = PURE_UNDEFINED;
    bool any = false, makes_progress = true;
    for (std::size_t i = 0; i < all.size() && *index == PURE_UNDEFINED; ++i) {
      if (!world.requests().is_active(all[i])) continue;
      any = true;
      if (world.requests().test(all[i], makes_progress)) *index = static_cast<int>(i);
    }
    *flag = *index != PURE_UNDEFINED || !any ? 1 : 0;
    if (*index != PURE_UNDEFINED) {
      complete(world, by, all[static_cast<std::size_t>(*index)], status);
    } else if (*flag == 1) {
      set_empty(status);
    }
  });
}

int pure_testsome(int incount, pure_request requests[], int* outcount, int indices[], pure_status statuses[],
                  pure_call_site site) {
  return c_call(site, [&](const call& by) {
    communicator& world = world_of(by);
    require(world, by, outcount, "outcount");
    if (incount > 0) require(world, by, indices, "indices");
    const std::span<handle> all = handles_of(world, by, incount, requests);
    world.requests().make_progress();
    complete_some(world, by, all, *outcount, indices, statuses);
  });
}

namespace {

template <class Count>
int get_count(const pure_status* status, pure_datatype type, Count* count, const pure_call_site& site) {
  const call by{"pure_get_count", site};
  return c_door("pure_get_count", [&] {
    communicator& world = world_of(by);
    require(world, by, status, "status");
    require(world, by, count, "count");
    const std::int64_t elements = elements_in(status->bytes, datatype_of(world, by, type));
    const auto fitting = static_cast<Count>(elements);
    *count = elements < 0 || fitting != elements ? Count{PURE_UNDEFINED} : fitting;
  });
}

}  // namespace

int pure_get_count(const pure_status* status, pure_datatype type, std::int64_t* count, pure_call_site site) {
  return get_count(status, type, count, site);
}
int pure_get_count(const pure_status* status, pure_datatype type, int* count, pure_call_site site) {
  return get_count(status, type, count, site);
}
