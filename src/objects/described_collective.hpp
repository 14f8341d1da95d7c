// From the arguments of a collective, of data of any datatype, to those of the core, which the blocking, the
// non-blocking and the persistent form share (MPI 5.0, chapter 6). Own thread of the rank only.
//
// A door is a class of static members:
//   datatype_name, operator_name    what programs write for a type and an operator
//   names, is_in_place(buffer)      as of objects/collective_call.hpp
//   in_place()                      the address that says it
//   row_of_predefined(name)         of a type whose elements lie in a row; of no bytes: it may be another
//   type_of(on, by, name, argument, at = -1)
//                                   throws type; `at`: which one of an array of types
//   identity_of(name)               for the core's comparison of ranks
//   find_reduction(on, by, op, type, found, made)
//                                   true: `found` combines elements in a row; else the operator is a program's, and
//                                   `made` has its function, its caller and the type. Throws op
// The members are in objects/described_collective_definitions.hpp, for the one file of each door that makes them.
#pragma once

#include <cstdint>
#include <string>

#include <pure/number_array.h>

#include "objects/collective_call.hpp"
#include "objects/collective_stage.hpp"
#include "objects/datatype.hpp"

namespace pure::core {

using number_array = pure_number_array;

/// What objects/collective_call.hpp is told: rows of bytes, and operators that are known already.
template <class Door>
struct row_words {
  using datatype_name = element_row;
  using operator_name = const detail::reduction*;
  static constexpr element_row any_type{};
  static constexpr const collective_argument_names& names = Door::names;

  static bool is_in_place(const void* buffer) noexcept { return Door::is_in_place(buffer); }
  static std::size_t size_of(element_row row) noexcept { return row.bytes; }
  static std::size_t element_bytes_of(const communicator&, const call&, element_row row) noexcept { return row.bytes; }
  [[noreturn]] static void throw_bad_type(const communicator& on, const call& by, element_row,
                                          const std::string& argument) {
    throw_bad_argument(on, by, errc::type, argument + " is wrong");
  }
  static std::uint32_t identity_of(element_row row) noexcept { return row.identity; }
  static const detail::reduction& reduction_of(const communicator&, const call&, const detail::reduction* how,
                                               element_row) noexcept {
    return *how;
  }
};

/// One call; all throw what objects/collective_call.hpp says.
template <class Door>
class described_collective {
 public:
  using datatype_name = typename Door::datatype_name;
  using operator_name = typename Door::operator_name;

  described_collective(communicator& on, const call& by, collective_stage& around) noexcept
      : on_(on), by_(by), around_(around), core_(on, by) {}

  [[nodiscard]] collective_arguments barrier() const;
  [[nodiscard]] collective_arguments bcast(void* buffer, std::int64_t count, datatype_name type, int root) const;
  [[nodiscard]] collective_arguments gather(const void* sendbuf, std::int64_t sendcount, datatype_name sendtype,
                                            void* recvbuf, std::int64_t recvcount, datatype_name recvtype,
                                            int root) const;
  [[nodiscard]] collective_arguments gatherv(const void* sendbuf, std::int64_t sendcount, datatype_name sendtype,
                                             void* recvbuf, number_array recvcounts, number_array displs,
                                             datatype_name recvtype, int root) const;
  [[nodiscard]] collective_arguments scatter(const void* sendbuf, std::int64_t sendcount, datatype_name sendtype,
                                             void* recvbuf, std::int64_t recvcount, datatype_name recvtype,
                                             int root) const;
  [[nodiscard]] collective_arguments scatterv(const void* sendbuf, number_array sendcounts, number_array displs,
                                              datatype_name sendtype, void* recvbuf, std::int64_t recvcount,
                                              datatype_name recvtype, int root) const;
  [[nodiscard]] collective_arguments allgather(const void* sendbuf, std::int64_t sendcount, datatype_name sendtype,
                                               void* recvbuf, std::int64_t recvcount, datatype_name recvtype) const;
  [[nodiscard]] collective_arguments allgatherv(const void* sendbuf, std::int64_t sendcount, datatype_name sendtype,
                                                void* recvbuf, number_array recvcounts, number_array displs,
                                                datatype_name recvtype) const;
  [[nodiscard]] collective_arguments alltoall(const void* sendbuf, std::int64_t sendcount, datatype_name sendtype,
                                              void* recvbuf, std::int64_t recvcount, datatype_name recvtype) const;
  [[nodiscard]] collective_arguments alltoallv(const void* sendbuf, number_array sendcounts, number_array sdispls,
                                               datatype_name sendtype, void* recvbuf, number_array recvcounts,
                                               number_array rdispls, datatype_name recvtype) const;
  [[nodiscard]] collective_arguments alltoallw(const void* sendbuf, number_array sendcounts, number_array sdispls,
                                               const datatype_name* sendtypes, void* recvbuf, number_array recvcounts,
                                               number_array rdispls, const datatype_name* recvtypes) const;

  [[nodiscard]] collective_arguments reduce(const void* sendbuf, void* recvbuf, std::int64_t count, datatype_name type,
                                            operator_name op, int root) const;
  /// Also scan and exscan.
  template <collective kind>
  [[nodiscard]] collective_arguments reduce_everywhere(const void* sendbuf, void* recvbuf, std::int64_t count,
                                                       datatype_name type, operator_name op) const;
  [[nodiscard]] collective_arguments reduce_scatter(const void* sendbuf, void* recvbuf, number_array recvcounts,
                                                    datatype_name type, operator_name op) const;
  [[nodiscard]] collective_arguments reduce_scatter_block(const void* sendbuf, void* recvbuf, std::int64_t recvcount,
                                                          datatype_name type, operator_name op) const;

 private:
  /// Data of one rank: where the core takes or puts it, as rows.
  struct one_block {
    void* buf;
    std::int64_t count;
    element_row row;
  };
  /// Blocks of all ranks: of equal length if `counts` is null.
  struct all_blocks {
    void* buf;
    std::int64_t count = 0;
    const std::int64_t* counts = nullptr;
    const std::int64_t* displs = nullptr;
    element_row row = {};
    const element_row* rows = nullptr;  // of each rank; displacements are in bytes then
  };
  /// Blocks as the program gives them: one type, or one for each rank; displacements are in bytes then.
  struct given_blocks {
    const void* buf;
    std::int64_t count = 0;
    const number_array* counts = nullptr;  // null: all have `count`
    const number_array* displs = nullptr;
    const char* name = nullptr;  // of the type
    datatype_name type = {};
    const datatype_name* types = nullptr;
  };
  enum class travels { in, out, both };
  /// In reductions: the buffers that the core combines, and how.
  struct vectors {
    const void* send;
    void* recv;
    std::int64_t count;
    std::int64_t received;
    element_row row;
    detail::reduction how;
  };

  [[nodiscard]] one_block one(const void* buf, std::int64_t count, datatype_name type, const char* name,
                              travels which) const;
  [[nodiscard]] all_blocks all(const given_blocks& given, travels which, int but = -1) const;
  [[nodiscard]] const element_row* rows_of(const given_blocks& given) const;
  [[nodiscard]] all_blocks packed(const given_blocks& given, travels which, int but) const;
  [[nodiscard]] vectors operands(const void* sendbuf, void* recvbuf, std::int64_t count, datatype_name type,
                                 operator_name op, bool has_result, std::int64_t received) const;
  [[nodiscard]] const std::int64_t* kept(const number_array& numbers) const;
  [[nodiscard]] bool is_root(int root) const noexcept { return root == on_.rank(); }

  communicator& on_;
  const call& by_;
  collective_stage& around_;
  const collective_call<row_words<Door>> core_;
};

}  // namespace pure::core
