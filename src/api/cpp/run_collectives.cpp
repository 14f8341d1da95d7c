// The library side of the typed collectives (pure/detail/collectives.hpp).
#include <pure/detail/collectives.hpp>

#include "api/cpp/door.hpp"
#include "coll/collective.hpp"
#include "coll/exact_sum.hpp"
#include "objects/boundary.hpp"
#include "runtime/program_exception.hpp"

namespace pure::detail {

using core::call;
using core::communicator;

namespace {

/// Calls run(arguments), after what the interfaces need not count.
template <class Run>
decltype(auto) with_counted(const communicator& on, const collective_arguments& given, Run&& run) {
  if (given.kind != collective::reduce_scatter) [[likely]]
    return run(given);
  collective_arguments counted = given;
  std::size_t bytes = 0;
  for (int q = 0; q < on.size(); ++q) bytes += given.recv_blocks.bytes(q);
  counted.count = bytes / given.how.element_bytes;
  return run(counted);
}

}  // namespace

failure* pure_cxx_run_collective(communicator* on, const char* operation, pure_call_site site,
                                 const collective_arguments* arguments) {
  return on_communicator(on, operation, site, [&](communicator& own, const call& by) {
    try {
      with_counted(own, *arguments, [&](const collective_arguments& what) { core::run_collective(own, by, what); });
    } catch (const core::program_exception&) {  // of an operator: others may be reading what this rank would unwind
      core::boundaries::end_job_by_callback(operation);
    }
  });
}

failure* pure_cxx_start_collective(communicator* on, const char* operation, pure_call_site site,
                                   const collective_arguments* arguments, request_handle* started) {
  return on_communicator(on, operation, site, [&](communicator& own, const call& by) {
    *started = with_counted(
        own, *arguments, [&](const collective_arguments& what) { return core::start_collective(own, by, what).value; });
  });
}

failure* pure_cxx_make_persistent_collective(communicator* on, const char* operation, pure_call_site site,
                                             const collective_arguments* arguments, request_handle* made) {
  return on_communicator(on, operation, site, [&](communicator& own, const call& by) {
    *made = with_counted(own, *arguments, [&](const collective_arguments& what) {
      return core::make_persistent_collective(own, by, what).value;
    });
  });
}

namespace {

/// out = left + right, of exact sums.
template <class T>
void merge(const void*, const void* left, const void* right, void* out, std::size_t count) {
  using sum = core::exact_sum<T>;
  for (std::size_t i = 0; i < count; ++i) {
    sum both = static_cast<const sum*>(left)[i];
    both.merge(static_cast<const sum*>(right)[i]);
    static_cast<sum*>(out)[i] = both;
  }
}

template <class T>
T sum_of_all(communicator& on, const call& by, const T* elements, std::size_t count) {
  core::exact_sum<T> sum;
  sum.add(std::span(elements, count));
  collective_arguments what;
  what.kind = collective::allreduce;
  what.recv = &sum;
  what.count = 1;
  what.how = {.combine = merge<T>, .element_bytes = sizeof sum};
  core::run_collective(on, by, what);
  return sum.result();
}

}  // namespace

failure* pure_cxx_reproducible_sum_of_floats(communicator* on, const char* operation, pure_call_site site,
                                             const float* elements, std::size_t count, float* sum) {
  return on_communicator(on, operation, site,
                         [&](communicator& own, const call& by) { *sum = sum_of_all(own, by, elements, count); });
}

failure* pure_cxx_reproducible_sum_of_doubles(communicator* on, const char* operation, pure_call_site site,
                                              const double* elements, std::size_t count, double* sum) {
  return on_communicator(on, operation, site,
                         [&](communicator& own, const call& by) { *sum = sum_of_all(own, by, elements, count); });
}

}  // namespace pure::detail
