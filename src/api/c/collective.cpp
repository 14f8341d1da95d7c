#include "api/c/collective.hpp"

#include <fmt/core.h>

#include <limits>

namespace pure::core {

namespace {

/// Where empty buffers at null seem to be: null means "in place" to the core.
alignas(64) std::byte nothing[64];  // never read or written

std::size_t type_bytes(const void* types, int rank) {
  return size_of_type(static_cast<const pure_datatype*>(types)[rank]);
}

collective_arguments begin(collective kind, int root = 0) noexcept {
  collective_arguments what;
  what.kind = kind;
  what.root = root;
  return what;
}

std::uint32_t identity_of(pure_datatype type) noexcept { return static_cast<std::uint32_t>(type); }

}  // namespace

// ---- buffers --------------------------------------------------------------------------------------------------

const void* c_collective::to_send(const void* buf, std::size_t bytes) const {
  if (buf == PURE_IN_PLACE) return nullptr;
  if (buf != nullptr) [[likely]]
    return buf;
  if (bytes == 0) return nothing;
  throw_bad_argument(on_, by_, errc::buffer, fmt::format("the send buffer is null, but has {} bytes of data", bytes));
}

void* c_collective::to_fill(void* buf) const {
  if (buf != PURE_IN_PLACE) [[likely]]
    return buf;
  throw_wrong_in_place();
}

const void* c_collective::to_read(const void* buf) const {
  if (buf != PURE_IN_PLACE) [[likely]]
    return buf;
  throw_wrong_in_place();
}

void c_collective::throw_wrong_in_place() const {
  throw_bad_argument(on_, by_, errc::buffer,
                     "PURE_IN_PLACE stands for the send buffer (at the root of a scatter, for the receive buffer), not "
                     "for this one");
}

/// For the buffer that may be in place at the root. (A root that is out of range is the core's to refuse.)
void c_collective::refuse_in_place(const void* buf, int root) const {
  if (buf != PURE_IN_PLACE || root == on_.rank()) [[likely]]
    return;
  if (static_cast<unsigned>(root) >= static_cast<unsigned>(on_.size())) return;
  throw_bad_argument(on_, by_, errc::buffer, fmt::format("PURE_IN_PLACE is for the root only, which is rank {}", root));
}

/// The buffer of `to`, whose count and element_bytes are set.
void c_collective::send_from(collective_arguments& to, const void* send_buf) const {
  to.send = to_send(send_buf, to.count * to.element_bytes);
}

/// What this rank has in a buffer of its own, or has in place.
void c_collective::set_own_block(collective_arguments& to, std::int64_t count, pure_datatype type) const {
  to.element_bytes = element_bytes_of(on_, by_, type);
  bytes_of(on_, by_, count, to.element_bytes);
  to.count = static_cast<std::size_t>(count);
  to.type = identity_of(type);
}

// ---- blocks ---------------------------------------------------------------------------------------------------

block_layout c_collective::equal_blocks(std::int64_t count, pure_datatype type) const {
  const std::size_t element_bytes = element_bytes_of(on_, by_, type);
  const std::size_t bytes = bytes_of(on_, by_, count, element_bytes);
  std::ptrdiff_t of_all = 0;
  if (__builtin_mul_overflow(static_cast<std::ptrdiff_t>(bytes), on_.size(), &of_all)) [[unlikely]]
    throw_bad_count(on_, by_, count, element_bytes);
  return {.block_bytes = bytes, .element_bytes = element_bytes};
}

void c_collective::check_size(const char* name, int rank, std::int64_t count, std::size_t element_bytes) const {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  if (count >= 0 && static_cast<std::size_t>(count) <= most / element_bytes) [[likely]]
    return;
  throw_bad_argument(on_, by_, errc::count,
                     fmt::format("{}[{}] is {}: {}", name, rank, count, count < 0 ? "negative" : "too many elements"));
}

/// Of a block of `units`, the bytes from the buffer's begin to the block's ends are a number. (An empty block is
/// nowhere.)
void c_collective::check_place(const char* name, int rank, std::int64_t displ, std::size_t unit_bytes,
                               std::int64_t units) const {
  const auto unit = static_cast<std::ptrdiff_t>(unit_bytes);
  std::ptrdiff_t begin = 0, end = 0;
  if (!__builtin_mul_overflow(displ, unit, &begin) && !__builtin_add_overflow(begin, units * unit, &end)) [[likely]]
    return;
  throw_bad_argument(on_, by_, errc::argument, fmt::format("{}[{}] is {}: too far from the buffer", name, rank, displ));
}

block_layout c_collective::blocks(const char* counts_name, counts each, const char* displs_name, counts displs,
                                  pure_datatype type) const {
  const std::size_t element_bytes = element_bytes_of(on_, by_, type);
  require(each, counts_name);
  require(displs, displs_name);
  for (int r = 0; r < on_.size(); ++r) {
    check_size(counts_name, r, each[r], element_bytes);
    if (each[r] > 0) check_place(displs_name, r, displs[r], element_bytes, each[r]);
  }
  return {.counts = each, .displs = displs, .element_bytes = element_bytes};
}

block_layout c_collective::typed_blocks(const char* counts_name, counts each, const char* displs_name, counts displs,
                                        const char* types_name, const pure_datatype* types) const {
  require(each, counts_name);
  require(displs, displs_name);
  require(types, types_name);
  for (int r = 0; r < on_.size(); ++r) {
    const std::size_t element_bytes = size_of_type(types[r]);
    if (element_bytes == 0) throw_bad_type(on_, by_, types[r], fmt::format("{}[{}]", types_name, r));
    check_size(counts_name, r, each[r], element_bytes);
    if (each[r] > 0) check_place(displs_name, r, displs[r], 1, each[r] * static_cast<std::int64_t>(element_bytes));
  }
  return {.counts = each, .displs = displs, .element_bytes_of = type_bytes, .types = types};
}

std::size_t c_collective::bytes_of_all(const block_layout& all) const noexcept {
  std::size_t bytes = 0;
  for (int r = 0; r < on_.size(); ++r) bytes += all.bytes(r);
  return bytes;
}

// ---- one buffer -----------------------------------------------------------------------------------------------

collective_arguments c_collective::bcast(void* buf, std::int64_t count, pure_datatype type, int root) const {
  collective_arguments what = begin(collective::bcast, root);
  set_own_block(what, count, type);
  what.recv = to_fill(buf);
  return what;
}

// ---- reductions -----------------------------------------------------------------------------------------------

collective_arguments c_collective::vector_reduction(collective kind, const void* send_buf, void* recv_buf,
                                                    std::int64_t count, pure_datatype type, pure_op op) const {
  collective_arguments what = begin(kind);
  set_own_block(what, count, type);
  what.how = reduction_of(on_, by_, op, type);
  send_from(what, send_buf);
  what.recv = to_fill(recv_buf);
  return what;
}

collective_arguments c_collective::reduce(const void* send_buf, void* recv_buf, std::int64_t count, pure_datatype type,
                                          pure_op op, int root) const {
  refuse_in_place(send_buf, root);
  void* const filled = root == on_.rank() ? recv_buf : nullptr;
  collective_arguments what = vector_reduction(collective::reduce, send_buf, filled, count, type, op);
  what.root = root;
  return what;
}

collective_arguments c_collective::blocks_reduction(const void* send_buf, void* recv_buf, const block_layout& blocks,
                                                    pure_datatype type, pure_op op) const {
  collective_arguments what = begin(collective::reduce_scatter);
  what.element_bytes = blocks.element_bytes;
  what.count = bytes_of_all(blocks) / blocks.element_bytes;
  what.type = identity_of(type);
  what.recv_blocks = blocks;
  what.how = reduction_of(on_, by_, op, type);
  send_from(what, send_buf);
  what.recv = to_fill(recv_buf);
  return what;
}

collective_arguments c_collective::reduce_scatter(const void* send_buf, void* recv_buf, counts recv_counts,
                                                  pure_datatype type, pure_op op) const {
  const std::size_t element_bytes = element_bytes_of(on_, by_, type);
  require(recv_counts, "recv_counts");
  for (int r = 0; r < on_.size(); ++r) check_size("recv_counts", r, recv_counts[r], element_bytes);
  return blocks_reduction(send_buf, recv_buf, {.counts = recv_counts, .element_bytes = element_bytes}, type, op);
}

collective_arguments c_collective::reduce_scatter_block(const void* send_buf, void* recv_buf, std::int64_t recv_count,
                                                        pure_datatype type, pure_op op) const {
  return blocks_reduction(send_buf, recv_buf, equal_blocks(recv_count, type), type, op);
}

// ---- gather and scatter ---------------------------------------------------------------------------------------

/// What this rank sends, or has in place in its own block of the receive buffer.
void c_collective::set_sent(collective_arguments& to, const void* send_buf, block sent, block own) const {
  const bool is_in_place = send_buf == PURE_IN_PLACE;
  const block& set = is_in_place ? own : sent;
  set_own_block(to, set.count, set.type);
  send_from(to, send_buf);
}

/// The same for what it receives.
void c_collective::set_received(collective_arguments& to, void* recv_buf, block received, block own) const {
  const bool is_in_place = recv_buf == PURE_IN_PLACE;
  const block& set = is_in_place ? own : received;
  set_own_block(to, set.count, set.type);
  if (is_in_place) return;
  to.recv = recv_buf;
  if (recv_buf != nullptr) return;
  if (to.count > 0) throw_bad_argument(on_, by_, errc::buffer, "the receive buffer is null, but has data");
  to.recv = nothing;
}

collective_arguments c_collective::gather(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                          void* recv_buf, std::int64_t recv_count, pure_datatype recv_type,
                                          int root) const {
  collective_arguments what = begin(collective::gather, root);
  if (root == on_.rank()) {
    what.recv_blocks = equal_blocks(recv_count, recv_type);
    what.recv = to_fill(recv_buf);
  } else {
    refuse_in_place(send_buf, root);
  }
  set_sent(what, send_buf, {send_count, send_type}, {recv_count, recv_type});
  return what;
}

collective_arguments c_collective::gatherv(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                           void* recv_buf, counts recv_counts, counts displs, pure_datatype recv_type,
                                           int root) const {
  collective_arguments what = begin(collective::gather, root);
  block own{};
  if (root == on_.rank()) {
    what.recv_blocks = blocks("recv_counts", recv_counts, "displs", displs, recv_type);
    what.recv = to_fill(recv_buf);
    own = {recv_counts[root], recv_type};
  } else {
    refuse_in_place(send_buf, root);
  }
  set_sent(what, send_buf, {send_count, send_type}, own);
  return what;
}

collective_arguments c_collective::scatter(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                           void* recv_buf, std::int64_t recv_count, pure_datatype recv_type,
                                           int root) const {
  collective_arguments what = begin(collective::scatter, root);
  if (root == on_.rank()) {
    what.send_blocks = equal_blocks(send_count, send_type);
    what.send = to_read(send_buf);
  } else {
    refuse_in_place(recv_buf, root);
  }
  set_received(what, recv_buf, {recv_count, recv_type}, {send_count, send_type});
  return what;
}

collective_arguments c_collective::scatterv(const void* send_buf, counts send_counts, counts displs,
                                            pure_datatype send_type, void* recv_buf, std::int64_t recv_count,
                                            pure_datatype recv_type, int root) const {
  collective_arguments what = begin(collective::scatter, root);
  block own{};
  if (root == on_.rank()) {
    what.send_blocks = blocks("send_counts", send_counts, "displs", displs, send_type);
    what.send = to_read(send_buf);
    own = {send_counts[root], send_type};
  } else {
    refuse_in_place(recv_buf, root);
  }
  set_received(what, recv_buf, {recv_count, recv_type}, own);
  return what;
}

// ---- from all to all ------------------------------------------------------------------------------------------

collective_arguments c_collective::allgather(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                             void* recv_buf, std::int64_t recv_count, pure_datatype recv_type) const {
  collective_arguments what = begin(collective::allgather);
  what.recv_blocks = equal_blocks(recv_count, recv_type);
  what.recv = to_fill(recv_buf);
  set_sent(what, send_buf, {send_count, send_type}, {recv_count, recv_type});
  return what;
}

collective_arguments c_collective::allgatherv(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                              void* recv_buf, counts recv_counts, counts displs,
                                              pure_datatype recv_type) const {
  collective_arguments what = begin(collective::allgather);
  what.recv_blocks = blocks("recv_counts", recv_counts, "displs", displs, recv_type);
  what.recv = to_fill(recv_buf);
  set_sent(what, send_buf, {send_count, send_type}, {recv_counts[on_.rank()], recv_type});
  return what;
}

collective_arguments c_collective::alltoall(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                            void* recv_buf, std::int64_t recv_count, pure_datatype recv_type) const {
  collective_arguments what = begin(collective::alltoall);
  what.type = identity_of(recv_type);
  what.recv_blocks = equal_blocks(recv_count, recv_type);
  what.recv = to_fill(recv_buf);
  if (send_buf != PURE_IN_PLACE) {
    what.send_blocks = equal_blocks(send_count, send_type);
    what.send = to_send(send_buf, what.send_blocks.block_bytes);
  }
  return what;
}

collective_arguments c_collective::alltoallv(const void* send_buf, counts send_counts, counts send_displs,
                                             pure_datatype send_type, void* recv_buf, counts recv_counts,
                                             counts recv_displs, pure_datatype recv_type) const {
  collective_arguments what = begin(collective::alltoall);
  what.type = identity_of(recv_type);
  what.recv_blocks = blocks("recv_counts", recv_counts, "recv_displs", recv_displs, recv_type);
  what.recv = to_fill(recv_buf);
  if (send_buf != PURE_IN_PLACE) {
    what.send_blocks = blocks("send_counts", send_counts, "send_displs", send_displs, send_type);
    what.send = to_send(send_buf, bytes_of_all(what.send_blocks));
  }
  return what;
}

collective_arguments c_collective::alltoallw(const void* send_buf, counts send_counts, counts send_displs,
                                             const pure_datatype send_types[], void* recv_buf, counts recv_counts,
                                             counts recv_displs, const pure_datatype recv_types[]) const {
  collective_arguments what = begin(collective::alltoall);
  what.recv_blocks = typed_blocks("recv_counts", recv_counts, "recv_displs", recv_displs, "recv_types", recv_types);
  what.recv = to_fill(recv_buf);
  if (send_buf != PURE_IN_PLACE) {
    what.send_blocks = typed_blocks("send_counts", send_counts, "send_displs", send_displs, "send_types", send_types);
    what.send = to_send(send_buf, bytes_of_all(what.send_blocks));
  }
  return what;
}

}  // namespace pure::core
