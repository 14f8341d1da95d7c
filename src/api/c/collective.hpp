// One call of a collective of pure.h: from its arguments in C to those of the core, which the blocking, the
// non-blocking and the persistent form share. Own thread of the rank only.
//
// Throws type, count, op, argument (null arrays, wrong displacements), buffer (null, or PURE_IN_PLACE where it has no
// meaning). What does not matter at a rank is not looked at there. The core checks the rest: roots, null buffers and
// overlap.
#pragma once

#include <pure.h>

#include <cstddef>
#include <cstdint>

#include <pure/detail/collectives.hpp>

#include "api/c/door.hpp"
#include "coll/collective.hpp"
#include "coll/refused_calls.hpp"

namespace pure::core {

class c_collective {
 public:
  using counts = const std::int64_t*;  // one for each rank

  c_collective(const communicator& on, const call& by) noexcept : on_(on), by_(by) {}

  [[nodiscard]] collective_arguments barrier() const { return {}; }
  [[nodiscard]] collective_arguments bcast(void* buf, std::int64_t count, pure_datatype type, int root) const;

  [[nodiscard]] collective_arguments reduce(const void* send_buf, void* recv_buf, std::int64_t count,
                                            pure_datatype type, pure_op op, int root) const;
  /// Also scan and exscan.
  template <collective kind>
  [[nodiscard]] collective_arguments reduce_everywhere(const void* send_buf, void* recv_buf, std::int64_t count,
                                                       pure_datatype type, pure_op op) const {
    return vector_reduction(kind, send_buf, recv_buf, count, type, op);
  }
  [[nodiscard]] collective_arguments reduce_scatter(const void* send_buf, void* recv_buf, counts recv_counts,
                                                    pure_datatype type, pure_op op) const;
  [[nodiscard]] collective_arguments reduce_scatter_block(const void* send_buf, void* recv_buf, std::int64_t recv_count,
                                                          pure_datatype type, pure_op op) const;

  [[nodiscard]] collective_arguments gather(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                            void* recv_buf, std::int64_t recv_count, pure_datatype recv_type,
                                            int root) const;
  [[nodiscard]] collective_arguments gatherv(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                             void* recv_buf, counts recv_counts, counts displs, pure_datatype recv_type,
                                             int root) const;
  [[nodiscard]] collective_arguments scatter(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                             void* recv_buf, std::int64_t recv_count, pure_datatype recv_type,
                                             int root) const;
  [[nodiscard]] collective_arguments scatterv(const void* send_buf, counts send_counts, counts displs,
                                              pure_datatype send_type, void* recv_buf, std::int64_t recv_count,
                                              pure_datatype recv_type, int root) const;
  [[nodiscard]] collective_arguments allgather(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                               void* recv_buf, std::int64_t recv_count, pure_datatype recv_type) const;
  [[nodiscard]] collective_arguments allgatherv(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                                void* recv_buf, counts recv_counts, counts displs,
                                                pure_datatype recv_type) const;

  [[nodiscard]] collective_arguments alltoall(const void* send_buf, std::int64_t send_count, pure_datatype send_type,
                                              void* recv_buf, std::int64_t recv_count, pure_datatype recv_type) const;
  [[nodiscard]] collective_arguments alltoallv(const void* send_buf, counts send_counts, counts send_displs,
                                               pure_datatype send_type, void* recv_buf, counts recv_counts,
                                               counts recv_displs, pure_datatype recv_type) const;
  [[nodiscard]] collective_arguments alltoallw(const void* send_buf, counts send_counts, counts send_displs,
                                               const pure_datatype send_types[], void* recv_buf, counts recv_counts,
                                               counts recv_displs, const pure_datatype recv_types[]) const;

  /// Null if `buf` is PURE_IN_PLACE, and then only: an empty buffer at null gets another address. Throws buffer for a
  /// null one with data.
  [[nodiscard]] const void* to_send(const void* buf, std::size_t bytes) const;
  /// Throws buffer if it is PURE_IN_PLACE.
  [[nodiscard]] void* to_fill(void* buf) const;

 private:
  struct block {
    std::int64_t count = 0;
    pure_datatype type = PURE_BYTE;
  };

  [[nodiscard]] collective_arguments vector_reduction(collective kind, const void* send_buf, void* recv_buf,
                                                      std::int64_t count, pure_datatype type, pure_op op) const;
  [[nodiscard]] collective_arguments blocks_reduction(const void* send_buf, void* recv_buf, const block_layout& blocks,
                                                      pure_datatype type, pure_op op) const;
  void set_own_block(collective_arguments& to, std::int64_t count, pure_datatype type) const;
  void set_sent(collective_arguments& to, const void* send_buf, block sent, block own) const;
  void set_received(collective_arguments& to, void* recv_buf, block received, block own) const;
  void send_from(collective_arguments& to, const void* send_buf) const;
  [[nodiscard]] const void* to_read(const void* buf) const;
  void refuse_in_place(const void* buf, int root) const;
  [[noreturn]] void throw_wrong_in_place() const;

  [[nodiscard]] block_layout equal_blocks(std::int64_t count, pure_datatype type) const;
  [[nodiscard]] block_layout blocks(const char* counts_name, counts each, const char* displs_name, counts displs,
                                    pure_datatype type) const;
  [[nodiscard]] block_layout typed_blocks(const char* counts_name, counts each, const char* displs_name, counts displs,
                                          const char* types_name, const pure_datatype* types) const;
  [[nodiscard]] std::size_t bytes_of_all(const block_layout& all) const noexcept;
  void check_size(const char* name, int rank, std::int64_t count, std::size_t element_bytes) const;
  void check_place(const char* name, int rank, std::int64_t displ, std::size_t unit_bytes, std::int64_t units) const;
  void require(const void* array, const char* name) const { core::require(on_, by_, array, name); }

  const communicator& on_;
  const call& by_;
};

// ---- the three forms: `describe` is a member of c_collective, called with `arguments` --------------------------

template <auto describe, class... Arguments>
int run(const char* operation, pure_call_site site, pure_comm comm, Arguments... arguments) {
  const call by{operation, site};
  return c_door(operation, [&] {
    communicator& on = communicator_of(by, comm);
    run_collective(on, by, counting_refusals(on, by, refused_form::at_once, [&] {
                     return (c_collective(on, by).*describe)(arguments...);
                   }));
  });
}

template <auto describe, class... Arguments>
int start(const char* operation, pure_call_site site, pure_comm comm, pure_request* request, Arguments... arguments) {
  const call by{operation, site};
  return c_door(operation, [&] {
    communicator& on = communicator_of(by, comm);
    *request = name_of(start_collective(on, by, counting_refusals(on, by, refused_form::at_once, [&] {
                                          require(on, by, request, "request");
                                          return (c_collective(on, by).*describe)(arguments...);
                                        })));
  });
}

template <auto describe, class... Arguments>
int prepare(const char* operation, pure_call_site site, pure_comm comm, pure_request* request, Arguments... arguments) {
  const call by{operation, site};
  return c_door(operation, [&] {
    communicator& on = communicator_of(by, comm);
    *request = name_of(make_persistent_collective(on, by, counting_refusals(on, by, refused_form::persistent, [&] {
                                                    require(on, by, request, "request");
                                                    return (c_collective(on, by).*describe)(arguments...);
                                                  })));
  });
}

}  // namespace pure::core
