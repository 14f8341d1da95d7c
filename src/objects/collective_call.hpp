// One call of a collective: from the arguments of a door to those of the core, which the blocking, the non-blocking and
// the persistent form share. Own thread of the rank only.
//
// Throws type, count, op, argument (null arrays, wrong displacements), buffer (null, or in place where that has no
// meaning). What does not matter at a rank is not looked at there. The core checks the rest: roots, null buffers and
// overlap.
//
// A door is a class of static members:
//   datatype_name, operator_name    what programs write for a type and an operator
//   any_type                        a valid type
//   is_in_place(buffer)             whether the buffer is the address that says "in place"
//   names                           what its documentation calls that address, and arguments
//   size_of(type)                   of an element; 0: the core's collectives do not take it
//   element_bytes_of(on, by, type)  the same; throws type
//   throw_bad_type(on, by, type, argument)
//   identity_of(type)               for the core's comparison of ranks (detail::collective_arguments::type)
//   reduction_of(on, by, op, type)  throws op
// The members are defined in objects/collective_call_definitions.hpp, for the one file of each door that makes them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pure/detail/collectives.hpp>

#include "base/call.hpp"
#include "coll/collective.hpp"
#include "comm/communicator.hpp"
#include "objects/arguments.hpp"

namespace pure::core {

/// What a door calls the arguments of its collectives.
struct collective_argument_names {
  const char* in_place;
  const char *send_counts, *send_displs, *send_types;
  const char *recv_counts, *recv_displs, *recv_types;
  const char* displs;  // of a call with one list of them
  const char *type, *send_type, *recv_type;
};

template <class Door>
class collective_call {
 public:
  using datatype_name = typename Door::datatype_name;
  using operator_name = typename Door::operator_name;
  using counts = const std::int64_t*;  // one for each rank

  collective_call(const communicator& on, const call& by) noexcept : on_(on), by_(by) {}

  [[nodiscard]] collective_arguments barrier() const { return {}; }
  [[nodiscard]] collective_arguments bcast(void* buf, std::int64_t count, datatype_name type, int root) const;

  [[nodiscard]] collective_arguments reduce(const void* send_buf, void* recv_buf, std::int64_t count,
                                            datatype_name type, operator_name op, int root) const;
  /// Also scan and exscan.
  template <collective kind>
  [[nodiscard]] collective_arguments reduce_everywhere(const void* send_buf, void* recv_buf, std::int64_t count,
                                                       datatype_name type, operator_name op) const {
    return vector_reduction(kind, send_buf, recv_buf, count, type, op);
  }
  [[nodiscard]] collective_arguments reduce_scatter(const void* send_buf, void* recv_buf, counts recv_counts,
                                                    datatype_name type, operator_name op) const;
  [[nodiscard]] collective_arguments reduce_scatter_block(const void* send_buf, void* recv_buf, std::int64_t recv_count,
                                                          datatype_name type, operator_name op) const;

  [[nodiscard]] collective_arguments gather(const void* send_buf, std::int64_t send_count, datatype_name send_type,
                                            void* recv_buf, std::int64_t recv_count, datatype_name recv_type,
                                            int root) const;
  [[nodiscard]] collective_arguments gatherv(const void* send_buf, std::int64_t send_count, datatype_name send_type,
                                             void* recv_buf, counts recv_counts, counts displs, datatype_name recv_type,
                                             int root) const;
  [[nodiscard]] collective_arguments scatter(const void* send_buf, std::int64_t send_count, datatype_name send_type,
                                             void* recv_buf, std::int64_t recv_count, datatype_name recv_type,
                                             int root) const;
  [[nodiscard]] collective_arguments scatterv(const void* send_buf, counts send_counts, counts displs,
                                              datatype_name send_type, void* recv_buf, std::int64_t recv_count,
                                              datatype_name recv_type, int root) const;
  [[nodiscard]] collective_arguments allgather(const void* send_buf, std::int64_t send_count, datatype_name send_type,
                                               void* recv_buf, std::int64_t recv_count, datatype_name recv_type) const;
  [[nodiscard]] collective_arguments allgatherv(const void* send_buf, std::int64_t send_count, datatype_name send_type,
                                                void* recv_buf, counts recv_counts, counts displs,
                                                datatype_name recv_type) const;

  [[nodiscard]] collective_arguments alltoall(const void* send_buf, std::int64_t send_count, datatype_name send_type,
                                              void* recv_buf, std::int64_t recv_count, datatype_name recv_type) const;
  [[nodiscard]] collective_arguments alltoallv(const void* send_buf, counts send_counts, counts send_displs,
                                               datatype_name send_type, void* recv_buf, counts recv_counts,
                                               counts recv_displs, datatype_name recv_type) const;
  [[nodiscard]] collective_arguments alltoallw(const void* send_buf, counts send_counts, counts send_displs,
                                               const datatype_name send_types[], void* recv_buf, counts recv_counts,
                                               counts recv_displs, const datatype_name recv_types[]) const;

  /// Null if `buf` is in place, and then only: an empty buffer at null gets another address. Throws buffer for a
  /// null one with data.
  [[nodiscard]] const void* to_send(const void* buf, std::size_t bytes) const;
  /// Throws buffer for one in place.
  [[nodiscard]] void* to_fill(void* buf) const;

 private:
  struct block {
    std::int64_t count = 0;
    datatype_name type = Door::any_type;
  };

  [[nodiscard]] collective_arguments vector_reduction(collective kind, const void* send_buf, void* recv_buf,
                                                      std::int64_t count, datatype_name type, operator_name op) const;
  [[nodiscard]] collective_arguments blocks_reduction(const void* send_buf, void* recv_buf, const block_layout& blocks,
                                                      datatype_name type, operator_name op) const;
  void set_own_block(collective_arguments& to, std::int64_t count, datatype_name type) const;
  void set_sent(collective_arguments& to, const void* send_buf, block sent, block own) const;
  void set_received(collective_arguments& to, void* recv_buf, block received, block own) const;
  void send_from(collective_arguments& to, const void* send_buf) const;
  [[nodiscard]] const void* to_read(const void* buf) const;
  void refuse_in_place(const void* buf, int root) const;
  [[noreturn]] void throw_wrong_in_place() const;

  [[nodiscard]] std::uint32_t type_of_all(const block_layout& blocks, datatype_name type) const;
  [[nodiscard]] block_layout equal_blocks(std::int64_t count, datatype_name type) const;
  [[nodiscard]] block_layout blocks(const char* counts_name, counts each, const char* displs_name, counts displs,
                                    datatype_name type) const;
  [[nodiscard]] block_layout typed_blocks(const char* counts_name, counts each, const char* displs_name, counts displs,
                                          const char* types_name, const datatype_name* types) const;
  [[nodiscard]] std::size_t bytes_of_all(const block_layout& all) const noexcept;
  void check_size(const char* name, int rank, std::int64_t count, std::size_t element_bytes) const;
  void check_place(const char* name, int rank, std::int64_t displ, std::size_t unit_bytes, std::int64_t units) const;
  void require(const void* array, const char* name) const { core::require(on_, by_, array, name); }

  const communicator& on_;
  const call& by_;
};

}  // namespace pure::core
