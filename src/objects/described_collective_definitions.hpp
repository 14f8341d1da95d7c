// The members of described_collective (objects/described_collective.hpp), for a file that makes them for its door. Own
// thread of the rank only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "comm/point_to_point.hpp"
#include "objects/collective_call_definitions.hpp"
#include "objects/described_collective.hpp"

namespace pure::core {

namespace described {

/// Elements of it follow one another in a row of bytes.
inline bool has_rows(const datatype& type) noexcept { return type.is_row() && type.form->bytes() > 0; }

inline element_row row_of(const datatype& type) noexcept {
  return {type.form->bytes(), static_cast<std::uint32_t>(type.element())};
}

/// Where the core has elements with gaps, for a program's function:
///
///     the program's   |aa..aa...|bb..bb...|     the core's, each to the next one's first byte:  aa..aa...bb..bb...
///
/// Elements that lie inside each other, or follow one another backwards, the core has apart. Each is aligned as the
/// program's is.
inline void set_places(program_combination& how, const layout& form) noexcept {
  constexpr std::ptrdiff_t unit = alignof(std::max_align_t);
  const std::ptrdiff_t first = form.true_lower_bound();
  how.first_byte = first - (first % unit + unit) % unit;
  const std::ptrdiff_t room = form.true_upper_bound() - how.first_byte;
  how.is_one_by_one = form.extent() < room;
  how.element_bytes = static_cast<std::size_t>(how.is_one_by_one ? (room + unit - 1) / unit * unit : form.extent());
}

}  // namespace described

// ---- buffers ----

template <class Door>
typename described_collective<Door>::one_block described_collective<Door>::one(const void* buf, std::int64_t count,
                                                                               datatype_name type, const char* name,
                                                                               travels which) const {
  if (Door::is_in_place(buf)) return {Door::in_place(), 0, {}};  // count and type say nothing
  if (const element_row row = Door::row_of_predefined(type); row.bytes != 0) [[likely]]
    return {const_cast<void*>(buf), count, row};
  const datatype& its = Door::type_of(on_, by_, type, name);
  if (described::has_rows(its)) return {const_cast<void*>(buf), count, described::row_of(its)};
  const placed_message where = placed_at(on_, by_, buf, count, its);
  std::byte* const row = around_.make_row(where.bytes);
  around_.add(where, row, which != travels::out, which != travels::in);
  return {row, static_cast<std::int64_t>(where.bytes), {}};
}

template <class Door>
const std::int64_t* described_collective<Door>::kept(const number_array& numbers) const {
  if (numbers.is_null()) return nullptr;
  if (numbers.is_wide() && !around_.lasts()) return numbers.wide();
  std::vector<std::int64_t> all(static_cast<std::size_t>(on_.size()));
  for (std::size_t r = 0; r < all.size(); ++r) all[r] = numbers[r];
  return around_.keep(std::move(all));
}

/// Null: not all elements lie in rows.
template <class Door>
const element_row* described_collective<Door>::rows_of(const given_blocks& given) const {
  std::vector<element_row> all(static_cast<std::size_t>(on_.size()));
  for (std::size_t r = 0; r < all.size(); ++r) {
    const datatype& its = Door::type_of(on_, by_, given.types[r], given.name, static_cast<int>(r));
    if (!described::has_rows(its)) return nullptr;
    all[r] = described::row_of(its);
  }
  return around_.keep(std::move(all));
}

/// `but`: the rank whose block does not travel.
template <class Door>
typename described_collective<Door>::all_blocks described_collective<Door>::all(const given_blocks& given,
                                                                                travels which, int but) const {
  if (Door::is_in_place(given.buf)) return {Door::in_place()};
  if (given.types == nullptr) {
    element_row row = Door::row_of_predefined(given.type);
    if (row.bytes == 0) {
      const datatype& its = Door::type_of(on_, by_, given.type, given.name);
      if (described::has_rows(its)) row = described::row_of(its);
    }
    if (row.bytes != 0) [[likely]] {
      all_blocks as_given{const_cast<void*>(given.buf), given.count, nullptr, nullptr, row};
      if (given.counts != nullptr) as_given.counts = kept(*given.counts);
      if (given.displs != nullptr) as_given.displs = kept(*given.displs);
      return as_given;
    }
  } else if (const element_row* const rows = given.buf == nullptr ? nullptr : rows_of(given); rows != nullptr) {
    return {const_cast<void*>(given.buf), 0, kept(*given.counts), kept(*given.displs), {}, rows};
  }
  return packed(given, which, but);
}

template <class Door>
typename described_collective<Door>::all_blocks described_collective<Door>::packed(const given_blocks& given,
                                                                                   travels which, int but) const {
  const auto ranks = static_cast<std::size_t>(on_.size());
  if (given.counts != nullptr) {
    require(on_, by_, given.counts->is_null() ? nullptr : given.counts, "the array of counts");
    require(on_, by_, given.displs->is_null() ? nullptr : given.displs, "the array of displacements");
  }
  std::vector<placed_message> blocks(ranks);
  std::vector<std::int64_t> counts(ranks), displs(ranks);
  std::size_t bytes = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    const datatype& its = given.types == nullptr
                              ? Door::type_of(on_, by_, given.type, given.name)
                              : Door::type_of(on_, by_, given.types[r], given.name, static_cast<int>(r));
    const std::int64_t count = given.counts == nullptr ? given.count : (*given.counts)[r];
    std::ptrdiff_t offset = 0;
    if (given.types != nullptr) {
      offset = (*given.displs)[r];
    } else {
      const std::int64_t elements = given.displs == nullptr ? static_cast<std::int64_t>(r) * given.count
                                                            : (*given.displs)[r];
      if (count > 0 && __builtin_mul_overflow(elements, its.form->extent(), &offset))
        throw_bad_argument(on_, by_, errc::argument, "a block is too far from the buffer");
    }
    void* const first = moved_address(given.buf, offset);
    // Displacements of 64 bits may be addresses, from the bottom of memory on.
    const bool may_be_addresses = given.types != nullptr && given.displs->is_wide();
    blocks[r] = placed_at(on_, by_, may_be_addresses ? first : given.buf, count, its);
    blocks[r].base = first;
    counts[r] = static_cast<std::int64_t>(blocks[r].bytes);
    displs[r] = static_cast<std::int64_t>(bytes);
    bytes += blocks[r].bytes;
  }
  std::byte* const row = around_.make_row(bytes);
  for (std::size_t r = 0; r < ranks; ++r) {
    if (static_cast<int>(r) == but) continue;
    around_.add(blocks[r], row + displs[r], which != travels::out, which != travels::in);
  }
  if (given.counts == nullptr) return {row, counts[0], nullptr, nullptr, {}};
  all_blocks made{row, 0, around_.keep(std::move(counts)), around_.keep(std::move(displs)), {}};
  if (given.types != nullptr) made.rows = around_.keep(std::vector<element_row>(ranks));  // of bytes
  return made;
}

// ---- data that moves ----

template <class Door>
collective_arguments described_collective<Door>::barrier() const {
  return core_.barrier();
}

template <class Door>
collective_arguments described_collective<Door>::bcast(void* buffer, std::int64_t count, datatype_name type,
                                                       int root) const {
  if (Door::is_in_place(buffer)) return core_.bcast(buffer, 0, {}, root);  // which refuses it
  const one_block there = one(buffer, count, type, Door::names.type, is_root(root) ? travels::in : travels::out);
  return core_.bcast(there.buf, there.count, there.row, root);
}

template <class Door>
collective_arguments described_collective<Door>::gather(const void* sendbuf, std::int64_t sendcount,
                                                        datatype_name sendtype, void* recvbuf, std::int64_t recvcount,
                                                        datatype_name recvtype, int root) const {
  const one_block sent = one(sendbuf, sendcount, sendtype, Door::names.send_type, travels::in);
  if (!is_root(root)) return core_.gather(sent.buf, sent.count, sent.row, nullptr, 0, {}, root);
  const int but = Door::is_in_place(sendbuf) ? root : -1;
  const all_blocks to = all({.buf = recvbuf, .count = recvcount, .name = Door::names.recv_type, .type = recvtype},
                            travels::out, but);
  return core_.gather(sent.buf, sent.count, sent.row, to.buf, to.count, to.row, root);
}

template <class Door>
collective_arguments described_collective<Door>::gatherv(const void* sendbuf, std::int64_t sendcount,
                                                         datatype_name sendtype, void* recvbuf, number_array recvcounts,
                                                         number_array displs, datatype_name recvtype, int root) const {
  const one_block sent = one(sendbuf, sendcount, sendtype, Door::names.send_type, travels::in);
  if (!is_root(root)) return core_.gatherv(sent.buf, sent.count, sent.row, nullptr, nullptr, nullptr, {}, root);
  const int but = Door::is_in_place(sendbuf) ? root : -1;
  const all_blocks to = all(
      {.buf = recvbuf, .counts = &recvcounts, .displs = &displs, .name = Door::names.recv_type, .type = recvtype},
      travels::out, but);
  return core_.gatherv(sent.buf, sent.count, sent.row, to.buf, to.counts, to.displs, to.row, root);
}

template <class Door>
collective_arguments described_collective<Door>::scatter(const void* sendbuf, std::int64_t sendcount,
                                                         datatype_name sendtype, void* recvbuf, std::int64_t recvcount,
                                                         datatype_name recvtype, int root) const {
  const one_block got = one(recvbuf, recvcount, recvtype, Door::names.recv_type, travels::out);
  if (!is_root(root)) return core_.scatter(nullptr, 0, {}, got.buf, got.count, got.row, root);
  const int but = Door::is_in_place(recvbuf) ? root : -1;
  const all_blocks from = all({.buf = sendbuf, .count = sendcount, .name = Door::names.send_type, .type = sendtype},
                              travels::in, but);
  return core_.scatter(from.buf, from.count, from.row, got.buf, got.count, got.row, root);
}

template <class Door>
collective_arguments described_collective<Door>::scatterv(const void* sendbuf, number_array sendcounts,
                                                          number_array displs, datatype_name sendtype, void* recvbuf,
                                                          std::int64_t recvcount, datatype_name recvtype,
                                                          int root) const {
  const one_block got = one(recvbuf, recvcount, recvtype, Door::names.recv_type, travels::out);
  if (!is_root(root)) return core_.scatterv(nullptr, nullptr, nullptr, {}, got.buf, got.count, got.row, root);
  const int but = Door::is_in_place(recvbuf) ? root : -1;
  const all_blocks from = all(
      {.buf = sendbuf, .counts = &sendcounts, .displs = &displs, .name = Door::names.send_type, .type = sendtype},
      travels::in, but);
  return core_.scatterv(from.buf, from.counts, from.displs, from.row, got.buf, got.count, got.row, root);
}

template <class Door>
collective_arguments described_collective<Door>::allgather(const void* sendbuf, std::int64_t sendcount,
                                                           datatype_name sendtype, void* recvbuf,
                                                           std::int64_t recvcount, datatype_name recvtype) const {
  const one_block sent = one(sendbuf, sendcount, sendtype, Door::names.send_type, travels::in);
  const travels which = Door::is_in_place(sendbuf) ? travels::both : travels::out;
  const all_blocks to = all({.buf = recvbuf, .count = recvcount, .name = Door::names.recv_type, .type = recvtype},
                            which);
  return core_.allgather(sent.buf, sent.count, sent.row, to.buf, to.count, to.row);
}

template <class Door>
collective_arguments described_collective<Door>::allgatherv(const void* sendbuf, std::int64_t sendcount,
                                                            datatype_name sendtype, void* recvbuf,
                                                            number_array recvcounts, number_array displs,
                                                            datatype_name recvtype) const {
  const one_block sent = one(sendbuf, sendcount, sendtype, Door::names.send_type, travels::in);
  const travels which = Door::is_in_place(sendbuf) ? travels::both : travels::out;
  const all_blocks to = all(
      {.buf = recvbuf, .counts = &recvcounts, .displs = &displs, .name = Door::names.recv_type, .type = recvtype},
      which);
  return core_.allgatherv(sent.buf, sent.count, sent.row, to.buf, to.counts, to.displs, to.row);
}

template <class Door>
collective_arguments described_collective<Door>::alltoall(const void* sendbuf, std::int64_t sendcount,
                                                          datatype_name sendtype, void* recvbuf, std::int64_t recvcount,
                                                          datatype_name recvtype) const {
  const all_blocks from = all({.buf = sendbuf, .count = sendcount, .name = Door::names.send_type, .type = sendtype},
                              travels::in);
  const travels which = Door::is_in_place(sendbuf) ? travels::both : travels::out;
  const all_blocks to = all({.buf = recvbuf, .count = recvcount, .name = Door::names.recv_type, .type = recvtype},
                            which);
  return core_.alltoall(from.buf, from.count, from.row, to.buf, to.count, to.row);
}

template <class Door>
collective_arguments described_collective<Door>::alltoallv(const void* sendbuf, number_array sendcounts,
                                                           number_array sdispls, datatype_name sendtype, void* recvbuf,
                                                           number_array recvcounts, number_array rdispls,
                                                           datatype_name recvtype) const {
  const all_blocks from = all(
      {.buf = sendbuf, .counts = &sendcounts, .displs = &sdispls, .name = Door::names.send_type, .type = sendtype},
      travels::in);
  const travels which = Door::is_in_place(sendbuf) ? travels::both : travels::out;
  const all_blocks to = all(
      {.buf = recvbuf, .counts = &recvcounts, .displs = &rdispls, .name = Door::names.recv_type, .type = recvtype},
      which);
  return core_.alltoallv(from.buf, from.counts, from.displs, from.row, to.buf, to.counts, to.displs, to.row);
}

template <class Door>
collective_arguments described_collective<Door>::alltoallw(const void* sendbuf, number_array sendcounts,
                                                           number_array sdispls, const datatype_name* sendtypes,
                                                           void* recvbuf, number_array recvcounts, number_array rdispls,
                                                           const datatype_name* recvtypes) const {
  const bool is_in_place = Door::is_in_place(sendbuf);
  require(on_, by_, recvtypes, Door::names.recv_types);
  if (!is_in_place) require(on_, by_, sendtypes, Door::names.send_types);
  const all_blocks from = all(
      {.buf = sendbuf, .counts = &sendcounts, .displs = &sdispls, .name = Door::names.send_types, .types = sendtypes},
      travels::in);
  const all_blocks to = all(
      {.buf = recvbuf, .counts = &recvcounts, .displs = &rdispls, .name = Door::names.recv_types, .types = recvtypes},
      is_in_place ? travels::both : travels::out);
  return core_.alltoallw(from.buf, from.counts, from.displs, from.rows, to.buf, to.counts, to.displs, to.rows);
}

// ---- reductions ----

/// `received`: how many elements of the type come to `recvbuf`, which has a result or is not looked at.
template <class Door>
typename described_collective<Door>::vectors described_collective<Door>::operands(const void* sendbuf, void* recvbuf,
                                                                                  std::int64_t count,
                                                                                  datatype_name type, operator_name op,
                                                                                  bool has_result,
                                                                                  std::int64_t received) const {
  const bool is_predefined = Door::row_of_predefined(type).bytes != 0;
  if (!is_predefined) static_cast<void>(Door::type_of(on_, by_, type, Door::names.type));
  vectors made{sendbuf, recvbuf, count, received, {}, {}};
  program_combination how;
  if (Door::find_reduction(on_, by_, op, type, made.how, how)) {
    made.row = {made.how.element_bytes, Door::identity_of(type)};
    return made;
  }
  const datatype& its = Door::type_of(on_, by_, type, Door::names.type);
  const layout& form = *its.form;
  how.element_bytes = form.bytes();
  if (form.bytes() == 0) made.count = made.received = 0, how.element_bytes = 1;
  const bool has_gaps = !its.is_row() && form.bytes() > 0;
  if (has_gaps) described::set_places(how, form);
  const program_combination* const kept = around_.keep(how);
  made.how.combine = program_combination::combine;
  made.how.context = kept;
  made.how.element_bytes = how.element_bytes;
  made.row = {how.element_bytes, 0};
  if (!has_gaps) return made;
  const auto form_of_row = std::make_shared<const layout>(
      form.resized(form.lower_bound(), static_cast<std::ptrdiff_t>(how.element_bytes)));
  const auto copied = [&](const void* buf, std::int64_t many, bool goes_in, bool comes_out) {
    const placed_message where = placed_at(on_, by_, buf, many, its);
    std::byte* const row = around_.make_row(static_cast<std::size_t>(many) * how.element_bytes);
    around_.add_laid_out(where, row - how.first_byte, form_of_row, goes_in, comes_out);
    return row;
  };
  const bool is_in_place = Door::is_in_place(sendbuf);
  if (!is_in_place) made.send = copied(sendbuf, count, true, false);
  // In place the operands are where the result comes, all of them.
  if (has_result && !Door::is_in_place(recvbuf))
    made.recv = copied(recvbuf, is_in_place ? count : received, true, true);
  return made;
}

template <class Door>
collective_arguments described_collective<Door>::reduce(const void* sendbuf, void* recvbuf, std::int64_t count,
                                                        datatype_name type, operator_name op, int root) const {
  const vectors made = operands(sendbuf, recvbuf, count, type, op, is_root(root), count);
  return core_.reduce(made.send, made.recv, made.count, made.row, &made.how, root);
}

template <class Door>
template <collective kind>
collective_arguments described_collective<Door>::reduce_everywhere(const void* sendbuf, void* recvbuf,
                                                                   std::int64_t count, datatype_name type,
                                                                   operator_name op) const {
  const vectors made = operands(sendbuf, recvbuf, count, type, op, true, count);
  return core_.template reduce_everywhere<kind>(made.send, made.recv, made.count, made.row, &made.how);
}
template <class Door>
collective_arguments described_collective<Door>::reduce_scatter(const void* sendbuf, void* recvbuf,
                                                                number_array recvcounts, datatype_name type,
                                                                operator_name op) const {
  require(on_, by_, recvcounts.is_null() ? nullptr : &recvcounts, Door::names.recv_counts);
  std::int64_t count = 0;
  for (int r = 0; r < on_.size(); ++r) count += recvcounts[static_cast<std::size_t>(r)];
  const std::int64_t own = recvcounts[static_cast<std::size_t>(on_.rank())];
  const vectors made = operands(sendbuf, recvbuf, count, type, op, true, own);
  // Elements without bytes are none.
  const std::int64_t* const counts = made.count == count ? kept(recvcounts)
                                                         : around_.keep(std::vector<std::int64_t>(
                                                               static_cast<std::size_t>(on_.size())));
  return core_.reduce_scatter(made.send, made.recv, counts, made.row, &made.how);
}

template <class Door>
collective_arguments described_collective<Door>::reduce_scatter_block(const void* sendbuf, void* recvbuf,
                                                                      std::int64_t recvcount, datatype_name type,
                                                                      operator_name op) const {
  std::int64_t count = 0;
  if (__builtin_mul_overflow(recvcount, on_.size(), &count)) throw_bad_count(on_, by_, recvcount, 1);
  const vectors made = operands(sendbuf, recvbuf, count, type, op, true, recvcount);
  return core_.reduce_scatter_block(made.send, made.recv, made.received, made.row, &made.how);
}

}  // namespace pure::core
