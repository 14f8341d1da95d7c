// From the arguments of a collective of mpi.h to those of the core, which the blocking, the non-blocking and the
// persistent form share (MPI 5.0, chapter 6). Own thread of the rank only.
#pragma once

#include <cstdint>

#include "api/mpi/collective_stage.hpp"
#include "objects/collective_call.hpp"

namespace pure::core::mpi {

/// What objects/collective_call.hpp is told: rows of bytes, and operators that are known already.
struct mpi_words {
  using datatype_name = element_row;
  using operator_name = const detail::reduction*;
  static constexpr element_row any_type{};
  static constexpr collective_argument_names names{.in_place = "MPI_IN_PLACE",
                                                   .send_counts = "sendcounts",
                                                   .send_displs = "sdispls",
                                                   .send_types = "sendtypes",
                                                   .recv_counts = "recvcounts",
                                                   .recv_displs = "rdispls",
                                                   .recv_types = "recvtypes",
                                                   .displs = "displs"};

  static bool is_in_place(const void* buffer) noexcept { return buffer == MPI_IN_PLACE; }
  static std::size_t size_of(element_row row) noexcept { return row.bytes; }
  static std::size_t element_bytes_of(const communicator&, const call&, element_row row) noexcept { return row.bytes; }
  [[noreturn]] static void throw_bad_type(const communicator& on, const call& by, element_row row,
                                          const std::string& argument);
  static std::uint32_t identity_of(element_row row) noexcept { return row.identity; }
  static const detail::reduction& reduction_of(const communicator&, const call&, const detail::reduction* how,
                                               element_row) noexcept {
    return *how;
  }
};

}  // namespace pure::core::mpi

extern template class pure::core::collective_call<pure::core::mpi::mpi_words>;

namespace pure::core::mpi {

/// One call; all throw what objects/collective_call.hpp says.
class described_collective {
 public:
  described_collective(communicator& on, const call& by, collective_stage& around) noexcept
      : on_(on), by_(by), around_(around), core_(on, by) {}

  [[nodiscard]] collective_arguments barrier() const;
  [[nodiscard]] collective_arguments bcast(void* buffer, std::int64_t count, MPI_Datatype type, int root) const;
  [[nodiscard]] collective_arguments gather(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                                            void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype,
                                            int root) const;
  [[nodiscard]] collective_arguments gatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                                             void* recvbuf, number_array recvcounts, number_array displs,
                                             MPI_Datatype recvtype, int root) const;
  [[nodiscard]] collective_arguments scatter(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                                             void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype,
                                             int root) const;
  [[nodiscard]] collective_arguments scatterv(const void* sendbuf, number_array sendcounts, number_array displs,
                                              MPI_Datatype sendtype, void* recvbuf, std::int64_t recvcount,
                                              MPI_Datatype recvtype, int root) const;
  [[nodiscard]] collective_arguments allgather(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                                               void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype) const;
  [[nodiscard]] collective_arguments allgatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                                                void* recvbuf, number_array recvcounts, number_array displs,
                                                MPI_Datatype recvtype) const;
  [[nodiscard]] collective_arguments alltoall(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                                              void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype) const;
  [[nodiscard]] collective_arguments alltoallv(const void* sendbuf, number_array sendcounts, number_array sdispls,
                                               MPI_Datatype sendtype, void* recvbuf, number_array recvcounts,
                                               number_array rdispls, MPI_Datatype recvtype) const;
  [[nodiscard]] collective_arguments alltoallw(const void* sendbuf, number_array sendcounts, number_array sdispls,
                                               const MPI_Datatype* sendtypes, void* recvbuf, number_array recvcounts,
                                               number_array rdispls, const MPI_Datatype* recvtypes) const;

  [[nodiscard]] collective_arguments reduce(const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype type,
                                            MPI_Op op, int root) const;
  /// Also scan and exscan.
  template <collective kind>
  [[nodiscard]] collective_arguments reduce_everywhere(const void* sendbuf, void* recvbuf, std::int64_t count,
                                                       MPI_Datatype type, MPI_Op op) const;
  [[nodiscard]] collective_arguments reduce_scatter(const void* sendbuf, void* recvbuf, number_array recvcounts,
                                                    MPI_Datatype type, MPI_Op op) const;
  [[nodiscard]] collective_arguments reduce_scatter_block(const void* sendbuf, void* recvbuf, std::int64_t recvcount,
                                                          MPI_Datatype type, MPI_Op op) const;

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
  };
  /// Blocks as the program gives them: one type, or one for each rank; displacements are in bytes then.
  struct given_blocks {
    const void* buf;
    std::int64_t count = 0;
    const number_array* counts = nullptr;  // null: all have `count`
    const number_array* displs = nullptr;
    const char* name = nullptr;  // of the type
    MPI_Datatype type = nullptr;
    const MPI_Datatype* types = nullptr;
  };
  enum class travels { in, out, both };
  /// In reductions: the buffers that the core combines, and how.
  struct vectors {
    const void* send;
    void* recv;
    std::int64_t count;
    element_row row;
    detail::reduction how;
  };

  [[nodiscard]] one_block one(const void* buf, std::int64_t count, MPI_Datatype type, const char* name,
                              travels which) const;
  [[nodiscard]] all_blocks all(const given_blocks& given, travels which, int but = -1) const;
  [[nodiscard]] all_blocks packed(const given_blocks& given, travels which, int but) const;
  [[nodiscard]] vectors operands(const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype type, MPI_Op op,
                                 bool has_result, std::int64_t received) const;
  [[nodiscard]] const std::int64_t* kept(const number_array& numbers) const;
  [[nodiscard]] bool is_root(int root) const noexcept { return root == on_.rank(); }

  communicator& on_;
  const call& by_;
  collective_stage& around_;
  const collective_call<mpi_words> core_;
};

}  // namespace pure::core::mpi
