#include "objects/arguments.hpp"

#include <fmt/core.h>

#include <string>

#include "comm/point_to_point.hpp"
#include "runtime/call_error.hpp"
#include "task/calling_rank.hpp"

namespace pure::core {

namespace {

std::string null_text(const char* name) { return std::string("the pointer `") + name + "` is null"; }

}  // namespace

void throw_null(const communicator& comm, const call& by, const char* name) {
  throw_bad_argument(comm, by, errc::argument, null_text(name));
}

void throw_bad_count(const communicator& comm, const call& by, std::int64_t count, std::size_t element_bytes) {
  throw_bad_argument(comm, by, errc::count,
                     count < 0 ? fmt::format("the count {} is negative", count)
                               : fmt::format("{} elements of {} bytes are too many", count, element_bytes));
}

void throw_no_buffer(const communicator& comm, const call& by, std::int64_t count) {
  throw_bad_argument(comm, by, errc::buffer, fmt::format("the buffer is null, but the count is {}", count));
}

void require_pointer(const call& by, const void* result, const char* name) {
  rank_of(by);
  if (result == nullptr) throw_wrong_call(by, errc::argument, null_text(name));
}

void require_count(const call& by, std::int64_t count) {
  if (count < 0) throw_wrong_call(by, errc::count, "the count " + std::to_string(count) + " is negative");
}

}  // namespace pure::core
