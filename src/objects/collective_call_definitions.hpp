// The members of collective_call (objects/collective_call.hpp), for a file that makes them for its door. Own thread of
// the rank only.
#pragma once

#include <fmt/core.h>

#include <limits>

#include "comm/point_to_point.hpp"
#include "objects/collective_call.hpp"

namespace pure::core {

namespace collectives {

/// Where empty buffers at null seem to be: null means "in place" to the core.
alignas(64) inline std::byte nothing[64];  // never read or written

inline collective_arguments begin(collective kind, int root = 0) noexcept {
  collective_arguments what;
  what.kind = kind;
  what.root = root;
  return what;
}

}  // namespace collectives

// ---- buffers --------------------------------------------------------------------------------------------------

template <class Door>
const void* collective_call<Door>::to_send(const void* buf, std::size_t bytes) const {
  if (Door::is_in_place(buf)) return nullptr;
  if (buf != nullptr) [[likely]]
    return buf;
  if (bytes == 0) return collectives::nothing;
  throw_bad_argument(on_, by_, errc::buffer, fmt::format("the send buffer is null, but has {} bytes of data", bytes));
}

template <class Door>
void* collective_call<Door>::to_fill(void* buf) const {
  if (!Door::is_in_place(buf)) [[likely]]
    return buf;
  throw_wrong_in_place();
}

template <class Door>
const void* collective_call<Door>::to_read(const void* buf) const {
  if (!Door::is_in_place(buf)) [[likely]]
    return buf;
  throw_wrong_in_place();
}

template <class Door>
void collective_call<Door>::throw_wrong_in_place() const {
  throw_bad_argument(
      on_, by_, errc::buffer,
      fmt::format("{} stands for the send buffer (at the root of a scatter, for the receive buffer), not "
                  "for this one",
                  Door::names.in_place));
}

/// For the buffer that may be in place at the root. (A root that is out of range is the core's to refuse.)
template <class Door>
void collective_call<Door>::refuse_in_place(const void* buf, int root) const {
  if (!Door::is_in_place(buf) || root == on_.rank()) [[likely]]
    return;
  if (static_cast<unsigned>(root) >= static_cast<unsigned>(on_.size())) return;
  throw_bad_argument(on_, by_, errc::buffer,
                     fmt::format("{} is for the root only, which is rank {}", Door::names.in_place, root));
}

/// The buffer of `to`, whose count and element_bytes are set.
template <class Door>
void collective_call<Door>::send_from(collective_arguments& to, const void* send_buf) const {
  to.send = to_send(send_buf, to.count * to.element_bytes);
}

/// What this rank has in a buffer of its own, or has in place.
template <class Door>
void collective_call<Door>::set_own_block(collective_arguments& to, std::int64_t count, datatype_name type) const {
  to.element_bytes = Door::element_bytes_of(on_, by_, type);
  bytes_of(on_, by_, count, to.element_bytes);
  to.count = static_cast<std::size_t>(count);
  if (count > 0) to.type = Door::identity_of(type);  // no elements may have any type
}

/// What all ranks have to name alike; 0: not known, for no element comes from one of them.
template <class Door>
std::uint32_t collective_call<Door>::type_of_all(const block_layout& blocks, datatype_name type) const {
  if (blocks.counts == nullptr) return blocks.block_bytes > 0 ? Door::identity_of(type) : 0;
  for (int r = 0; r < on_.size(); ++r)
    if (blocks.counts[r] == 0) return 0;
  return Door::identity_of(type);
}

// ---- blocks ---------------------------------------------------------------------------------------------------

template <class Door>
block_layout collective_call<Door>::equal_blocks(std::int64_t count, datatype_name type) const {
  const std::size_t element_bytes = Door::element_bytes_of(on_, by_, type);
  const std::size_t bytes = bytes_of(on_, by_, count, element_bytes);
  std::ptrdiff_t of_all = 0;
  if (__builtin_mul_overflow(static_cast<std::ptrdiff_t>(bytes), on_.size(), &of_all)) [[unlikely]]
    throw_bad_count(on_, by_, count, element_bytes);
  return {.block_bytes = bytes, .element_bytes = element_bytes};
}

template <class Door>
void collective_call<Door>::check_size(const char* name, int rank, std::int64_t count,
                                       std::size_t element_bytes) const {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  if (count >= 0 && static_cast<std::size_t>(count) <= most / element_bytes) [[likely]]
    return;
  throw_bad_argument(on_, by_, errc::count,
                     fmt::format("{}[{}] is {}: {}", name, rank, count, count < 0 ? "negative" : "too many elements"));
}

/// Of a block of `units`, the bytes from the buffer's begin to the block's ends are a number. (An empty block is
/// nowhere.)
template <class Door>
void collective_call<Door>::check_place(const char* name, int rank, std::int64_t displ, std::size_t unit_bytes,
                                        std::int64_t units) const {
  const auto unit = static_cast<std::ptrdiff_t>(unit_bytes);
  std::ptrdiff_t begin = 0, end = 0;
  if (!__builtin_mul_overflow(displ, unit, &begin) && !__builtin_add_overflow(begin, units * unit, &end)) [[likely]]
    return;
  throw_bad_argument(on_, by_, errc::argument, fmt::format("{}[{}] is {}: too far from the buffer", name, rank, displ));
}

template <class Door>
block_layout collective_call<Door>::blocks(const char* counts_name, counts each, const char* displs_name, counts displs,
                                           datatype_name type) const {
  const std::size_t element_bytes = Door::element_bytes_of(on_, by_, type);
  require(each, counts_name);
  require(displs, displs_name);
  for (int r = 0; r < on_.size(); ++r) {
    check_size(counts_name, r, each[r], element_bytes);
    if (each[r] > 0) check_place(displs_name, r, displs[r], element_bytes, each[r]);
  }
  return {.counts = each, .displs = displs, .element_bytes = element_bytes};
}

template <class Door>
block_layout collective_call<Door>::typed_blocks(const char* counts_name, counts each, const char* displs_name,
                                                 counts displs, const char* types_name,
                                                 const datatype_name* types) const {
  require(each, counts_name);
  require(displs, displs_name);
  require(types, types_name);
  for (int r = 0; r < on_.size(); ++r) {
    const std::size_t element_bytes = Door::size_of(types[r]);
    if (element_bytes == 0) Door::throw_bad_type(on_, by_, types[r], fmt::format("{}[{}]", types_name, r));
    check_size(counts_name, r, each[r], element_bytes);
    if (each[r] > 0) check_place(displs_name, r, displs[r], 1, each[r] * static_cast<std::int64_t>(element_bytes));
  }
  const auto bytes_of_one = [](const void* all, int rank) {
    return Door::size_of(static_cast<const datatype_name*>(all)[rank]);
  };
  return {.counts = each, .displs = displs, .element_bytes_of = bytes_of_one, .types = types};
}

template <class Door>
std::size_t collective_call<Door>::bytes_of_all(const block_layout& all) const noexcept {
  std::size_t bytes = 0;
  for (int r = 0; r < on_.size(); ++r) bytes += all.bytes(r);
  return bytes;
}

// ---- one buffer -----------------------------------------------------------------------------------------------

template <class Door>
collective_arguments collective_call<Door>::bcast(void* buf, std::int64_t count, datatype_name type, int root) const {
  collective_arguments what = collectives::begin(collective::bcast, root);
  set_own_block(what, count, type);
  what.recv = to_fill(buf);
  return what;
}

// ---- reductions -----------------------------------------------------------------------------------------------

template <class Door>
collective_arguments collective_call<Door>::vector_reduction(collective kind, const void* send_buf, void* recv_buf,
                                                             std::int64_t count, datatype_name type,
                                                             operator_name op) const {
  collective_arguments what = collectives::begin(kind);
  set_own_block(what, count, type);
  what.how = Door::reduction_of(on_, by_, op, type);
  send_from(what, send_buf);
  what.recv = to_fill(recv_buf);
  return what;
}

template <class Door>
collective_arguments collective_call<Door>::reduce(const void* send_buf, void* recv_buf, std::int64_t count,
                                                   datatype_name type, operator_name op, int root) const {
  refuse_in_place(send_buf, root);
  void* const filled = root == on_.rank() ? recv_buf : nullptr;
  collective_arguments what = vector_reduction(collective::reduce, send_buf, filled, count, type, op);
  what.root = root;
  return what;
}

template <class Door>
collective_arguments collective_call<Door>::blocks_reduction(const void* send_buf, void* recv_buf,
                                                             const block_layout& blocks, datatype_name type,
                                                             operator_name op) const {
  collective_arguments what = collectives::begin(collective::reduce_scatter);
  what.element_bytes = blocks.element_bytes;
  what.count = bytes_of_all(blocks) / blocks.element_bytes;
  what.type = Door::identity_of(type);
  what.recv_blocks = blocks;
  what.how = Door::reduction_of(on_, by_, op, type);
  send_from(what, send_buf);
  what.recv = to_fill(recv_buf);
  return what;
}

template <class Door>
collective_arguments collective_call<Door>::reduce_scatter(const void* send_buf, void* recv_buf, counts recv_counts,
                                                           datatype_name type, operator_name op) const {
  const std::size_t element_bytes = Door::element_bytes_of(on_, by_, type);
  require(recv_counts, Door::names.recv_counts);
  for (int r = 0; r < on_.size(); ++r) check_size(Door::names.recv_counts, r, recv_counts[r], element_bytes);
  return blocks_reduction(send_buf, recv_buf, {.counts = recv_counts, .element_bytes = element_bytes}, type, op);
}

template <class Door>
collective_arguments collective_call<Door>::reduce_scatter_block(const void* send_buf, void* recv_buf,
                                                                 std::int64_t recv_count, datatype_name type,
                                                                 operator_name op) const {
  return blocks_reduction(send_buf, recv_buf, equal_blocks(recv_count, type), type, op);
}

// ---- gather and scatter ---------------------------------------------------------------------------------------

/// What this rank sends, or has in place in its own block of the receive buffer.
template <class Door>
void collective_call<Door>::set_sent(collective_arguments& to, const void* send_buf, block sent, block own) const {
  const bool is_in_place = Door::is_in_place(send_buf);
  const block& set = is_in_place ? own : sent;
  set_own_block(to, set.count, set.type);
  send_from(to, send_buf);
}

/// The same for what it receives.
template <class Door>
void collective_call<Door>::set_received(collective_arguments& to, void* recv_buf, block received, block own) const {
  const bool is_in_place = Door::is_in_place(recv_buf);
  const block& set = is_in_place ? own : received;
  set_own_block(to, set.count, set.type);
  if (is_in_place) return;
  to.recv = recv_buf;
  if (recv_buf != nullptr) return;
  if (to.count > 0) throw_bad_argument(on_, by_, errc::buffer, "the receive buffer is null, but has data");
  to.recv = collectives::nothing;
}

template <class Door>
collective_arguments collective_call<Door>::gather(const void* send_buf, std::int64_t send_count,
                                                   datatype_name send_type, void* recv_buf, std::int64_t recv_count,
                                                   datatype_name recv_type, int root) const {
  collective_arguments what = collectives::begin(collective::gather, root);
  if (root == on_.rank()) {
    what.recv_blocks = equal_blocks(recv_count, recv_type);
    what.recv = to_fill(recv_buf);
  } else {
    refuse_in_place(send_buf, root);
  }
  set_sent(what, send_buf, {send_count, send_type}, {recv_count, recv_type});
  return what;
}

template <class Door>
collective_arguments collective_call<Door>::gatherv(const void* send_buf, std::int64_t send_count,
                                                    datatype_name send_type, void* recv_buf, counts recv_counts,
                                                    counts displs, datatype_name recv_type, int root) const {
  collective_arguments what = collectives::begin(collective::gather, root);
  block own{};
  if (root == on_.rank()) {
    what.recv_blocks = blocks(Door::names.recv_counts, recv_counts, Door::names.displs, displs, recv_type);
    what.recv = to_fill(recv_buf);
    own = {recv_counts[root], recv_type};
  } else {
    refuse_in_place(send_buf, root);
  }
  set_sent(what, send_buf, {send_count, send_type}, own);
  return what;
}

template <class Door>
collective_arguments collective_call<Door>::scatter(const void* send_buf, std::int64_t send_count,
                                                    datatype_name send_type, void* recv_buf, std::int64_t recv_count,
                                                    datatype_name recv_type, int root) const {
  collective_arguments what = collectives::begin(collective::scatter, root);
  if (root == on_.rank()) {
    what.send_blocks = equal_blocks(send_count, send_type);
    what.send = to_read(send_buf);
  } else {
    refuse_in_place(recv_buf, root);
  }
  set_received(what, recv_buf, {recv_count, recv_type}, {send_count, send_type});
  return what;
}

template <class Door>
collective_arguments collective_call<Door>::scatterv(const void* send_buf, counts send_counts, counts displs,
                                                     datatype_name send_type, void* recv_buf, std::int64_t recv_count,
                                                     datatype_name recv_type, int root) const {
  collective_arguments what = collectives::begin(collective::scatter, root);
  block own{};
  if (root == on_.rank()) {
    what.send_blocks = blocks(Door::names.send_counts, send_counts, Door::names.displs, displs, send_type);
    what.send = to_read(send_buf);
    own = {send_counts[root], send_type};
  } else {
    refuse_in_place(recv_buf, root);
  }
  set_received(what, recv_buf, {recv_count, recv_type}, own);
  return what;
}

// ---- from all to all ------------------------------------------------------------------------------------------

template <class Door>
collective_arguments collective_call<Door>::allgather(const void* send_buf, std::int64_t send_count,
                                                      datatype_name send_type, void* recv_buf, std::int64_t recv_count,
                                                      datatype_name recv_type) const {
  collective_arguments what = collectives::begin(collective::allgather);
  what.recv_blocks = equal_blocks(recv_count, recv_type);
  what.recv = to_fill(recv_buf);
  set_sent(what, send_buf, {send_count, send_type}, {recv_count, recv_type});
  return what;
}

template <class Door>
collective_arguments collective_call<Door>::allgatherv(const void* send_buf, std::int64_t send_count,
                                                       datatype_name send_type, void* recv_buf, counts recv_counts,
                                                       counts displs, datatype_name recv_type) const {
  collective_arguments what = collectives::begin(collective::allgather);
  what.recv_blocks = blocks(Door::names.recv_counts, recv_counts, Door::names.displs, displs, recv_type);
  what.recv = to_fill(recv_buf);
  set_sent(what, send_buf, {send_count, send_type}, {recv_counts[on_.rank()], recv_type});
  return what;
}

template <class Door>
collective_arguments collective_call<Door>::alltoall(const void* send_buf, std::int64_t send_count,
                                                     datatype_name send_type, void* recv_buf, std::int64_t recv_count,
                                                     datatype_name recv_type) const {
  collective_arguments what = collectives::begin(collective::alltoall);
  what.recv_blocks = equal_blocks(recv_count, recv_type);
  what.type = type_of_all(what.recv_blocks, recv_type);
  what.recv = to_fill(recv_buf);
  if (!Door::is_in_place(send_buf)) {
    what.send_blocks = equal_blocks(send_count, send_type);
    what.send = to_send(send_buf, what.send_blocks.block_bytes);
  }
  return what;
}

template <class Door>
collective_arguments collective_call<Door>::alltoallv(const void* send_buf, counts send_counts, counts send_displs,
                                                      datatype_name send_type, void* recv_buf, counts recv_counts,
                                                      counts recv_displs, datatype_name recv_type) const {
  collective_arguments what = collectives::begin(collective::alltoall);
  what.recv_blocks = blocks(Door::names.recv_counts, recv_counts, Door::names.recv_displs, recv_displs, recv_type);
  what.type = type_of_all(what.recv_blocks, recv_type);
  what.recv = to_fill(recv_buf);
  if (!Door::is_in_place(send_buf)) {
    what.send_blocks = blocks(Door::names.send_counts, send_counts, Door::names.send_displs, send_displs, send_type);
    what.send = to_send(send_buf, bytes_of_all(what.send_blocks));
  }
  return what;
}

template <class Door>
collective_arguments collective_call<Door>::alltoallw(const void* send_buf, counts send_counts, counts send_displs,
                                                      const datatype_name send_types[], void* recv_buf,
                                                      counts recv_counts, counts recv_displs,
                                                      const datatype_name recv_types[]) const {
  collective_arguments what = collectives::begin(collective::alltoall);
  what.recv_blocks = typed_blocks(Door::names.recv_counts, recv_counts, Door::names.recv_displs, recv_displs,
                                  Door::names.recv_types, recv_types);
  what.recv = to_fill(recv_buf);
  if (!Door::is_in_place(send_buf)) {
    what.send_blocks = typed_blocks(Door::names.send_counts, send_counts, Door::names.send_displs, send_displs,
                                    Door::names.send_types, send_types);
    what.send = to_send(send_buf, bytes_of_all(what.send_blocks));
  }
  return what;
}

}  // namespace pure::core
