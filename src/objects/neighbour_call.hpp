// One call of a neighbourhood collective, of data of any datatype (MPI 5.0, 8.6 to 8.8): messages to and from the
// neighbours. Own thread of the rank only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <pure/number_array.h>

#include "coll/neighbour_exchange.hpp"
#include "objects/collective_call.hpp"
#include "objects/collective_door.hpp"
#include "objects/topology_call.hpp"

namespace pure::core {

/// One call. Throws topology, argument, buffer, type, count.
class neighbour_call {
 public:
  using messages = std::vector<neighbour_exchange::message>;

  neighbour_call(const collective_door& door, communicator& on, const call& by);

  void allgather(const given_block& sent, const given_blocks& received);
  void alltoall(const given_blocks& sent, const given_blocks& received);

  [[nodiscard]] messages& sent() noexcept { return sent_; }
  [[nodiscard]] messages& received() noexcept { return received_; }

 private:
  /// The neighbours that send, or those that receive, and how the arguments of that side are called.
  struct one_side {
    const std::vector<neighbour>& neighbours;
    messages& to;
    const collective_argument_names::blocks& names;
  };

  void add(const one_side& of, const given_blocks& given) const;
  [[nodiscard]] placed_message placed(const given_blocks& given, std::size_t i, const datatype& type) const;
  [[nodiscard]] std::int64_t product(std::int64_t many, std::int64_t of) const;
  void refuse_in_place(const void* buf) const;

  const collective_door& door_;
  communicator& on_;
  const call& by_;
  std::vector<neighbour> sources_, destinations_;
  messages sent_, received_;
};

}  // namespace pure::core
