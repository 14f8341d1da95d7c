#include "objects/collective_call.hpp"

#include <algorithm>
#include <vector>

#include "comm/point_to_point.hpp"
#include "objects/arguments.hpp"

namespace pure::core {

namespace {

/// Where empty buffers at null seem to be: null means "in place" to the core.
alignas(64) std::byte nothing_received[64];  // never read or written

collective_arguments begin(collective kind, int root = 0) noexcept {
  collective_arguments what;
  what.kind = kind;
  what.root = root;
  return what;
}

}  // namespace

/// Sets the elements that this rank has in a buffer of its own, or has in place.
void collective_call::set_elements(arguments& to, const row_block& data) const {
  to.element_bytes = data.row.bytes;
  bytes_of(on_, by_, data.count, to.element_bytes);
  to.count = static_cast<std::size_t>(data.count);
  if (data.count > 0) to.type = data.row.identity;  // no elements may have any type
}

/// Sets the block that this rank sends, or has in place in its own block of the receive buffer.
void collective_call::set_sent(arguments& to, const given_block& sent, const row_block& own) const {
  if (door_.is_in_place(sent.buf)) {
    set_elements(to, own);
    return;
  }
  const row_block data = one(sent, door_.names.sent.type, travels::in);
  set_elements(to, data);
  to.send = to_send(data.buf, to.count * to.element_bytes);
}

/// Sets the block that this rank receives, or has in place in its own block of the send buffer.
void collective_call::set_received(arguments& to, const given_block& received, const row_block& own) const {
  if (door_.is_in_place(received.buf)) {
    set_elements(to, own);
    return;
  }
  const row_block data = one(received, door_.names.received.type, travels::out);
  set_elements(to, data);
  to.recv = data.buf;
  if (to.recv != nullptr) return;
  if (to.count > 0) throw_bad_argument(on_, by_, errc::buffer, "the receive buffer is null, but has data");
  to.recv = nothing_received;
}

// ---- data that moves ------------------------------------------------------------------------------------------

collective_arguments collective_call::bcast(const given_block& data, int root) const {
  arguments what = begin(collective::bcast, root);
  if (door_.is_in_place(data.buf)) throw_wrong_in_place();
  const row_block there = one(data, door_.names.type, is_root(root) ? travels::in : travels::out);
  set_elements(what, there);
  what.recv = there.buf;
  return what;
}

collective_arguments collective_call::gather(const given_block& sent, const given_blocks& received, int root) const {
  arguments what = begin(collective::gather, root);
  if (!is_root(root)) {
    refuse_in_place(sent.buf, root);
    set_sent(what, sent, {});
    return what;
  }
  const row_block own = all(what.recv_blocks, received, door_.received_alone, travels::out,
                            door_.is_in_place(sent.buf) ? root : -1);
  what.recv = own.buf;
  set_sent(what, sent, own);
  return what;
}

collective_arguments collective_call::scatter(const given_blocks& sent, const given_block& received, int root) const {
  arguments what = begin(collective::scatter, root);
  if (!is_root(root)) {
    refuse_in_place(received.buf, root);
    set_received(what, received, {});
    return what;
  }
  const row_block own = all(what.send_blocks, sent, door_.sent_alone, travels::in,
                            door_.is_in_place(received.buf) ? root : -1);
  what.send = own.buf;
  set_received(what, received, own);
  return what;
}

collective_arguments collective_call::allgather(const given_block& sent, const given_blocks& received) const {
  arguments what = begin(collective::allgather);
  const row_block own = all(what.recv_blocks, received, door_.received_alone,
                            door_.is_in_place(sent.buf) ? travels::both : travels::out);
  what.recv = own.buf;
  set_sent(what, sent, own);
  return what;
}

collective_arguments collective_call::alltoall(const given_blocks& sent, const given_blocks& received) const {
  arguments what = begin(collective::alltoall);
  const bool is_in_place = door_.is_in_place(sent.buf);
  const row_block to = all(what.recv_blocks, received, door_.names.received,
                           is_in_place ? travels::both : travels::out);
  what.recv = to.buf;
  what.type = type_of_all(what.recv_blocks, to.row.identity);
  if (is_in_place) return what;
  const row_block from = all(what.send_blocks, sent, door_.names.sent, travels::in);
  what.send = to_send(from.buf, bytes_of_all(what.send_blocks));
  return what;
}

/// The type that all ranks have to name; 0: not known, for no element comes from one of them.
std::uint32_t collective_call::type_of_all(const block_layout& blocks, std::uint32_t identity) const noexcept {
  if (blocks.counts == nullptr) return blocks.block_bytes > 0 ? identity : 0;
  for (int r = 0; r < on_.size(); ++r)
    if (blocks.counts[r] == 0) return 0;
  return identity;
}

std::size_t collective_call::bytes_of_all(const block_layout& all) const noexcept {
  if (all.counts == nullptr) return all.block_bytes * static_cast<std::size_t>(on_.size());
  std::size_t bytes = 0;
  for (int r = 0; r < on_.size(); ++r) bytes += all.bytes(r);
  return bytes;
}

// ---- reductions -----------------------------------------------------------------------------------------------

collective_arguments collective_call::reduce_everywhere(collective kind, const void* send_buf,
                                                        const given_block& result, std::uint64_t op) const {
  arguments what = begin(kind);
  set_combined(what, send_buf, result, op, true, result.count);
  return what;
}

collective_arguments collective_call::reduce(const void* send_buf, const given_block& result, std::uint64_t op,
                                             int root) const {
  refuse_in_place(send_buf, root);
  arguments what = begin(collective::reduce, root);
  set_combined(what, send_buf, result, op, is_root(root), result.count);
  return what;
}

collective_arguments collective_call::reduce_scatter(const void* send_buf, void* recv_buf,
                                                     const number_array& recv_counts, const given_type& type,
                                                     std::uint64_t op) const {
  const char* const name = door_.names.received.counts;
  require_numbers(recv_counts, name);
  std::int64_t count = 0;
  for (int r = 0; r < on_.size(); ++r) {
    const std::int64_t one = recv_counts[static_cast<std::size_t>(r)];
    check_size(name, r, one, std::max<std::size_t>(type.row.bytes, 1));
    if (__builtin_add_overflow(count, one, &count)) throw_bad_count(on_, by_, one, 1);
  }
  arguments what = begin(collective::reduce_scatter);
  const std::int64_t own = recv_counts[static_cast<std::size_t>(on_.rank())];
  set_combined(what, send_buf, {recv_buf, count, type}, op, true, own);
  // Elements without bytes are none.
  what.recv_blocks.counts = static_cast<std::int64_t>(what.count) == count
                                ? kept(recv_counts)
                                : around_.keep(std::vector<std::int64_t>(static_cast<std::size_t>(on_.size())));
  what.recv_blocks.element_bytes = what.element_bytes;
  return what;
}

collective_arguments collective_call::reduce_scatter_block(const void* send_buf, const given_block& result,
                                                           std::uint64_t op) const {
  std::int64_t count = 0;
  if (result.count < 0 || __builtin_mul_overflow(result.count, on_.size(), &count))
    throw_bad_count(on_, by_, result.count, 1);
  arguments what = begin(collective::reduce_scatter);
  set_combined(what, send_buf, {result.buf, count, result.type}, op, true, result.count);
  what.recv_blocks.block_bytes = what.count == 0 ? 0 : static_cast<std::size_t>(result.count) * what.element_bytes;
  what.recv_blocks.element_bytes = what.element_bytes;
  return what;
}

}  // namespace pure::core
