#include "objects/attached_buffer.hpp"

#include <fmt/core.h>

#include "comm/point_to_point.hpp"
#include "match/requests.hpp"
#include "objects/arguments.hpp"

namespace pure::core {

void attach_buffer(const communicator& on, const call& by, send_buffer& to, const buffer_memory& given) {
  if (to.is_attached()) throw_bad_argument(on, by, errc::buffer, "a buffer is attached already: detach it first");
  if (given.is_automatic) return to.attach_automatic();
  if (given.size < 0) throw_bad_argument(on, by, errc::argument, fmt::format("the size {} is negative", given.size));
  if (given.size > 0) require(on, by, given.memory, "buffer");
  to.attach(given.memory, static_cast<std::size_t>(given.size));
}

buffer_memory detach_buffer(const communicator& on, const call& by, send_buffer& from) {
  if (!from.is_attached()) throw_bad_argument(on, by, errc::buffer, "no buffer is attached");
  on.requests().buffers().flush(by, from);
  const buffer_memory given = from.is_automatic()
                                  ? buffer_memory{.is_automatic = true}
                                  : buffer_memory{from.memory(), static_cast<std::int64_t>(from.size()), false};
  from.detach();
  return given;
}

send_buffer& buffer_of(const communicator& on) { return on.requests().buffers().of_communicator(on.context()); }

}  // namespace pure::core
