// One call of a collective: from the arguments of a door, of data of any datatype, to those of the core, which the
// blocking, the non-blocking and the persistent form share (MPI 5.0, chapter 6). Own thread of the rank only.
//
// The core takes blocks of bytes. Elements that lie in a row it takes where the program has them; others are packed in
// a row of the stage before each run, and unpacked after it.
//
// Throws type, count, op, argument (null arrays, wrong displacements), buffer (null, or in place where that has no
// meaning). What does not matter at a rank is not looked at there. The core checks the rest: roots, null buffers and
// overlap.
#pragma once

#include <cstddef>
#include <cstdint>

#include <pure/number_array.h>
#include <pure/detail/collectives.hpp>

#include "base/call.hpp"
#include "coll/collective.hpp"
#include "comm/communicator.hpp"
#include "objects/arguments.hpp"
#include "objects/collective_door.hpp"
#include "objects/collective_stage.hpp"

namespace pure::core {

using number_array = pure_number_array;

/// Data of one rank.
struct given_block {
  const void* buf;
  std::int64_t count;
  given_type type;
};

/// Blocks of all ranks: equal ones, or one after the other's count and displacement, or of types of their own.
struct given_blocks {
  given_blocks(const void* at, std::int64_t of_each, const given_type& of_all) noexcept
      : buf(at), count(of_each), type(of_all) {}
  given_blocks(const void* at, const number_array& counts_of, const number_array& displs_of,
               const given_type& of_all) noexcept
      : buf(at), counts(&counts_of), displs(&displs_of), type(of_all) {}
  /// `types_of`: an array of the door, for collective_door::type_at; displacements are in bytes.
  given_blocks(const void* at, const number_array& counts_of, const number_array& displs_of,
               const void* types_of) noexcept
      : buf(at), counts(&counts_of), displs(&displs_of), has_types(true), types(types_of) {}

  const void* buf;
  std::int64_t count = 0;
  const number_array* counts = nullptr;  // null: all have `count`
  const number_array* displs = nullptr;
  given_type type;
  bool has_types = false;
  const void* types = nullptr;
};

/// `buf`, or another address for an empty buffer at null: null means "in place" to the core. Throws buffer for a null
/// one with data.
[[nodiscard]] const void* non_null_data(const communicator& on, const call& by, const void* buf, std::size_t bytes);

class collective_call {
 public:
  using arguments = collective_arguments;

  collective_call(const collective_door& door, const communicator& on, const call& by,
                  collective_stage& around) noexcept
      : door_(door), on_(on), by_(by), around_(around) {}

  [[nodiscard]] arguments barrier() const { return {}; }
  [[nodiscard]] arguments bcast(const given_block& data, int root) const;
  [[nodiscard]] arguments gather(const given_block& sent, const given_blocks& received, int root) const;
  [[nodiscard]] arguments scatter(const given_blocks& sent, const given_block& received, int root) const;
  [[nodiscard]] arguments allgather(const given_block& sent, const given_blocks& received) const;
  [[nodiscard]] arguments alltoall(const given_blocks& sent, const given_blocks& received) const;

  [[nodiscard]] arguments reduce(const void* send_buf, const given_block& result, std::uint64_t op, int root) const;
  /// allreduce, scan and exscan.
  [[nodiscard]] arguments reduce_everywhere(collective kind, const void* send_buf, const given_block& result,
                                            std::uint64_t op) const;
  [[nodiscard]] arguments reduce_scatter(const void* send_buf, void* recv_buf, const number_array& recv_counts,
                                         const given_type& type, std::uint64_t op) const;
  /// `result`: the block of one rank.
  [[nodiscard]] arguments reduce_scatter_block(const void* send_buf, const given_block& result, std::uint64_t op) const;

 private:
  enum class travels { in, out, both };
  /// Elements as the core takes them.
  struct row_block {
    void* buf = nullptr;
    std::int64_t count = 0;
    element_row row;
  };
  using block_names = collective_argument_names::blocks;

  // ---- objects/collective_buffers.cpp ----

  // Results are written where they stay: what has been written in pieces is slow to copy (D-site-by-member).

  [[nodiscard]] row_block one(const given_block& given, const char* type_name, travels which) const {
    if (given.type.row.bytes != 0) [[likely]]
      return {const_cast<void*>(given.buf), given.count, given.type.row};
    return pack_one(given, type_name, which);
  }
  /// Sets `to`; the block of this rank. `but`: the rank whose block does not travel, or -1.
  row_block all(block_layout& to, const given_blocks& given, const block_names& names, travels which,
                int but = -1) const {
    if (given.counts != nullptr || given.type.row.bytes == 0 || door_.is_in_place(given.buf)) [[unlikely]]
      return pack_all(to, given, names, which, but);
    set_equal(to, given.count, given.type.row);
    return {const_cast<void*>(given.buf), given.count, given.type.row};
  }
  void set_equal(block_layout& to, std::int64_t count, element_row row) const {
    to.block_bytes = bytes_of(on_, by_, count, row.bytes);
    to.element_bytes = row.bytes;
    std::ptrdiff_t of_all = 0;
    if (__builtin_mul_overflow(static_cast<std::ptrdiff_t>(to.block_bytes), on_.size(), &of_all)) [[unlikely]]
      throw_bad_count(on_, by_, count, row.bytes);
  }
  /// These two pack what has gaps only.
  [[nodiscard]] row_block pack_one(const given_block& given, const char* type_name, travels which) const;
  row_block pack_all(block_layout& to, const given_blocks& given, const block_names& names, travels which,
                     int but) const;
  [[nodiscard]] element_row row_of(const given_type& type, const char* name, int at = -1) const;
  [[nodiscard]] const element_row* rows_of(const given_blocks& given, const char* name) const;
  /// `rows`: of each rank, whose displacements are in bytes; null: all are `row`.
  void set_listed(block_layout& to, const given_blocks& given, const block_names& names, element_row row,
                  const element_row* rows) const;
  row_block pack(block_layout& to, const given_blocks& given, const block_names& names, travels which, int but) const;
  /// Sets buffers, elements and operator of a reduction. `received`: how many elements come to the result's buffer,
  /// which has a result or is not looked at.
  void set_combined(arguments& to, const void* send_buf, const given_block& result, std::uint64_t op, bool has_result,
                    std::int64_t received) const;
  [[nodiscard]] const std::int64_t* kept(const number_array& numbers) const;

  void check_size(const char* name, int rank, std::int64_t count, std::size_t element_bytes) const;
  void check_place(const char* name, int rank, std::int64_t displ, std::size_t unit_bytes, std::int64_t units) const;
  void require_numbers(const number_array& numbers, const char* name) const;
  [[nodiscard]] const void* to_send(const void* buf, std::size_t bytes) const;
  [[nodiscard]] void* to_fill(void* buf) const;
  void refuse_in_place(const void* buf, int root) const;
  [[noreturn]] void throw_wrong_in_place() const;

  // ---- objects/collective_call.cpp ----

  void set_elements(arguments& to, const row_block& data) const;
  void set_sent(arguments& to, const given_block& sent, const row_block& own) const;
  void set_received(arguments& to, const given_block& received, const row_block& own) const;
  [[nodiscard]] std::uint32_t type_of_all(const block_layout& blocks, std::uint32_t identity) const noexcept;
  [[nodiscard]] std::size_t bytes_of_all(const block_layout& all) const noexcept;
  [[nodiscard]] bool is_root(int root) const noexcept { return root == on_.rank(); }

  const collective_door& door_;
  const communicator& on_;
  const call& by_;
  collective_stage& around_;
};

}  // namespace pure::core
