#include "objects/neighbour_call.hpp"

#include <fmt/core.h>

#include "comm/point_to_point.hpp"
#include "objects/arguments.hpp"

namespace pure::core {

neighbour_call::neighbour_call(const collective_door& door, communicator& on, const call& by)
    : door_(door), on_(on), by_(by) {
  const process_topology* const of = find_topology(on);
  if (of == nullptr) throw_bad_argument(on, by, errc::topology, "the communicator has no topology");
  sources_ = of->sources_of(on.rank());
  destinations_ = of->destinations_of(on.rank());
}

void neighbour_call::allgather(const given_block& sent, const given_blocks& received) {
  for (const neighbour& each : destinations_) {
    refuse_in_place(sent.buf);
    const datatype& its = door_.type_of(on_, by_, sent.type.name, door_.names.sent.type, -1);
    sent_.push_back({placed_at(on_, by_, sent.buf, sent.count, its), each.rank, each.tag});
  }
  add({sources_, received_, door_.received_alone}, received);
}

void neighbour_call::alltoall(const given_blocks& sent, const given_blocks& received) {
  add({destinations_, sent_, door_.names.sent}, sent);
  add({sources_, received_, door_.names.received}, received);
}

/// A block for each neighbour of a side.
void neighbour_call::add(const one_side& of, const given_blocks& given) const {
  if (of.neighbours.empty() && given.has_types) return;
  if (!of.neighbours.empty() && given.counts != nullptr) {
    require(on_, by_, given.counts->is_null() ? nullptr : given.counts, of.names.counts);
    require(on_, by_, given.displs->is_null() ? nullptr : given.displs, of.names.displs);
    if (given.has_types) require(on_, by_, given.types, of.names.types);
  }
  const datatype* its = given.has_types ? nullptr : &door_.type_of(on_, by_, given.type.name, of.names.type, -1);
  for (std::size_t i = 0; i < of.neighbours.size(); ++i) {
    const int at = static_cast<int>(i);
    if (given.has_types) its = &door_.type_of(on_, by_, door_.type_at(given.types, at).name, of.names.types, at);
    of.to.push_back({placed(given, i, *its), of.neighbours[i].rank, of.neighbours[i].tag});
  }
}

placed_message neighbour_call::placed(const given_blocks& given, std::size_t i, const datatype& type) const {
  refuse_in_place(given.buf);
  const std::int64_t count = given.counts == nullptr ? given.count : (*given.counts)[i];
  // The displacement is in bytes: an address, from the bottom of memory on (MPI 5.0, 8.6.5).
  if (given.has_types) return placed_at(on_, by_, moved_address(given.buf, (*given.displs)[i]), count, type);
  const std::ptrdiff_t extent = type.form->extent();
  const std::int64_t offset = given.displs == nullptr ? product(static_cast<std::int64_t>(i), product(count, extent))
                                                      : product((*given.displs)[i], extent);
  placed_message there = placed_at(on_, by_, given.buf, count, type);
  there.base = moved_address(given.buf, offset);
  return there;
}

/// How far a block is from the buffer's begin.
std::int64_t neighbour_call::product(std::int64_t many, std::int64_t of) const {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(many, of, &bytes))
    throw_bad_argument(on_, by_, errc::argument, "a block is too far from the buffer");
  return bytes;
}

void neighbour_call::refuse_in_place(const void* buf) const {
  if (door_.is_in_place(buf))
    throw_bad_argument(on_, by_, errc::buffer, fmt::format("{} has no meaning here", door_.names.in_place));
}

}  // namespace pure::core
