// The library side of the typed collectives (pure/detail/collectives.hpp).
#include <pure/detail/collectives.hpp>

#include "api/cpp/door.hpp"
#include "coll/collective.hpp"
#include "coll/exact_sum.hpp"

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

void run_collective(communicator& on, const char* operation, pure_call_site site,
                    const collective_arguments& arguments) {
  const call by{operation, site};
  check_owner(on, by);
  with_counted(on, arguments, [&](const collective_arguments& what) { core::run_collective(on, by, what); });
}

request_handle start_collective(communicator& on, const char* operation, pure_call_site site,
                                const collective_arguments& arguments) {
  const call by{operation, site};
  check_owner(on, by);
  return with_counted(on, arguments,
                      [&](const collective_arguments& what) { return core::start_collective(on, by, what).value; });
}

request_handle make_persistent_collective(communicator& on, const char* operation, pure_call_site site,
                                          const collective_arguments& arguments) {
  const call by{operation, site};
  check_owner(on, by);
  return with_counted(on, arguments, [&](const collective_arguments& what) {
    return core::make_persistent_collective(on, by, what).value;
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

}  // namespace

template <class T>
T reproducible_sum(communicator& on, const char* operation, pure_call_site site, const T* elements, std::size_t count) {
  core::exact_sum<T> sum;
  sum.add(std::span(elements, count));
  collective_arguments what;
  what.kind = collective::allreduce;
  what.recv = &sum;
  what.count = 1;
  what.how = {.combine = merge<T>, .element_bytes = sizeof sum};
  run_collective(on, operation, site, what);
  return sum.result();
}

template PURE_API float reproducible_sum(communicator&, const char*, pure_call_site, const float*, std::size_t);
template PURE_API double reproducible_sum(communicator&, const char*, pure_call_site, const double*, std::size_t);

}  // namespace pure::detail
