// What a neighbourhood collective sends and receives, of data of any datatype (MPI 5.0, 8.6 to 8.8): messages to and
// from the neighbours. Own thread of the rank only. `Door`: as of objects/described_collective.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <fmt/core.h>

#include <pure/number_array.h>

#include "coll/neighbour_exchange.hpp"
#include "comm/point_to_point.hpp"
#include "objects/arguments.hpp"
#include "objects/datatype.hpp"
#include "objects/topology_call.hpp"

namespace pure::core {

/// One call. Throws topology, argument, buffer, type, count.
template <class Door>
class described_neighbours {
 public:
  using datatype_name = typename Door::datatype_name;
  using numbers = pure_number_array;
  using messages = std::vector<neighbour_exchange::message>;

  described_neighbours(communicator& on, const call& by) : on_(on), by_(by) {
    const process_topology* const of = find_topology(on);
    if (of == nullptr) throw_bad_argument(on, by, errc::topology, "the communicator has no topology");
    sources_ = of->sources_of(on.rank());
    destinations_ = of->destinations_of(on.rank());
  }

  void allgather(const void* send_buf, std::int64_t send_count, datatype_name send_type, void* recv_buf,
                 std::int64_t recv_count, datatype_name recv_type) {
    for (std::size_t i = 0; i < destinations_.size(); ++i) send(send_buf, 0, send_count, sent_type(send_type));
    receive_equal(recv_buf, recv_count, recv_type);
  }
  void allgatherv(const void* send_buf, std::int64_t send_count, datatype_name send_type, void* recv_buf,
                  numbers recv_counts, numbers displs, datatype_name recv_type) {
    for (std::size_t i = 0; i < destinations_.size(); ++i) send(send_buf, 0, send_count, sent_type(send_type));
    receive_each(recv_buf, recv_counts, displs, Door::names.displs, recv_type);
  }
  void alltoall(const void* send_buf, std::int64_t send_count, datatype_name send_type, void* recv_buf,
                std::int64_t recv_count, datatype_name recv_type) {
    const datatype& its = sent_type(send_type);
    const std::int64_t block = extents(send_count, its);
    for (std::size_t i = 0; i < destinations_.size(); ++i)
      send(send_buf, static_cast<std::int64_t>(i) * block, send_count, its);
    receive_equal(recv_buf, recv_count, recv_type);
  }
  void alltoallv(const void* send_buf, numbers send_counts, numbers send_displs, datatype_name send_type,
                 void* recv_buf, numbers recv_counts, numbers recv_displs, datatype_name recv_type) {
    require(send_counts, destinations_, Door::names.send_counts);
    require(send_displs, destinations_, Door::names.send_displs);
    const datatype& its = sent_type(send_type);
    for (std::size_t i = 0; i < destinations_.size(); ++i)
      send(send_buf, extents(send_displs[i], its), send_counts[i], its);
    receive_each(recv_buf, recv_counts, recv_displs, Door::names.recv_displs, recv_type);
  }
  /// Displacements in bytes.
  void alltoallw(const void* send_buf, numbers send_counts, numbers send_displs, const datatype_name* send_types,
                 void* recv_buf, numbers recv_counts, numbers recv_displs, const datatype_name* recv_types) {
    require(send_counts, destinations_, Door::names.send_counts);
    require(send_displs, destinations_, Door::names.send_displs);
    if (!destinations_.empty()) core::require(on_, by_, send_types, Door::names.send_types);
    require(recv_counts, sources_, Door::names.recv_counts);
    require(recv_displs, sources_, Door::names.recv_displs);
    if (!sources_.empty()) core::require(on_, by_, recv_types, Door::names.recv_types);
    for (std::size_t i = 0; i < destinations_.size(); ++i)
      send(placed_by_bytes(send_buf, send_displs[i], send_counts[i],
                           Door::type_of(on_, by_, send_types[i], Door::names.send_types, static_cast<int>(i))));
    for (std::size_t i = 0; i < sources_.size(); ++i)
      receive(placed_by_bytes(recv_buf, recv_displs[i], recv_counts[i],
                              Door::type_of(on_, by_, recv_types[i], Door::names.recv_types, static_cast<int>(i))));
  }

  [[nodiscard]] messages& sent() noexcept { return sent_; }
  [[nodiscard]] messages& received() noexcept { return received_; }

 private:
  [[nodiscard]] const datatype& sent_type(datatype_name type) const {
    return Door::type_of(on_, by_, type, Door::names.send_type);
  }
  [[nodiscard]] std::int64_t extents(std::int64_t elements, const datatype& type) const {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(elements, type.form->extent(), &bytes))
      throw_bad_argument(on_, by_, errc::argument, "a block is too far from the buffer");
    return bytes;
  }
  void require(const numbers& array, const std::vector<neighbour>& neighbours, const char* name) const {
    if (array.is_null() && !neighbours.empty()) throw_null(on_, by_, name);
  }
  [[nodiscard]] placed_message placed(const void* buf, std::int64_t offset, std::int64_t count,
                                      const datatype& type) const {
    refuse_in_place(buf);
    placed_message there = placed_at(on_, by_, buf, count, type);
    there.base = moved_address(buf, offset);
    return there;
  }
  /// The displacement is in bytes: an address, from the bottom of memory on (MPI 5.0, 8.6.5).
  [[nodiscard]] placed_message placed_by_bytes(const void* buf, std::int64_t displ, std::int64_t count,
                                               const datatype& type) const {
    refuse_in_place(buf);
    return placed_at(on_, by_, moved_address(buf, displ), count, type);
  }
  void refuse_in_place(const void* buf) const {
    if (Door::is_in_place(buf))
      throw_bad_argument(on_, by_, errc::buffer, fmt::format("{} has no meaning here", Door::names.in_place));
  }
  /// To the next neighbour.
  void send(const void* buf, std::int64_t offset, std::int64_t count, const datatype& type) {
    send(placed(buf, offset, count, type));
  }
  void send(const placed_message& what) {
    const neighbour& to = destinations_[sent_.size()];
    sent_.push_back({what, to.rank, to.tag});
  }
  void receive(void* buf, std::int64_t offset, std::int64_t count, const datatype& type) {
    receive(placed(buf, offset, count, type));
  }
  void receive(const placed_message& where) {
    const neighbour& from = sources_[received_.size()];
    received_.push_back({where, from.rank, from.tag});
  }
  void receive_equal(void* buf, std::int64_t count, datatype_name type) {
    const datatype& its = Door::type_of(on_, by_, type, Door::names.recv_type);
    const std::int64_t block = extents(count, its);
    for (std::size_t i = 0; i < sources_.size(); ++i) receive(buf, static_cast<std::int64_t>(i) * block, count, its);
  }
  void receive_each(void* buf, const numbers& counts, const numbers& displs, const char* displs_name,
                    datatype_name type) {
    require(counts, sources_, Door::names.recv_counts);
    require(displs, sources_, displs_name);
    const datatype& its = Door::type_of(on_, by_, type, Door::names.recv_type);
    for (std::size_t i = 0; i < sources_.size(); ++i) receive(buf, extents(displs[i], its), counts[i], its);
  }

  communicator& on_;
  const call& by_;
  std::vector<neighbour> sources_, destinations_;
  messages sent_, received_;
};

}  // namespace pure::core
