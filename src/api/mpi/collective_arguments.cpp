#include "api/mpi/collective_arguments.hpp"

#include <utility>
#include <vector>

#include "objects/collective_call_definitions.hpp"
#include "runtime/call_error.hpp"

namespace pure::core {

template class collective_call<mpi::mpi_words>;

namespace mpi {

void mpi_words::throw_bad_type(const communicator& on, const call& by, element_row, const std::string& argument) {
  throw_bad_argument(on, by, errc::type, argument + " is wrong");
}

namespace {

/// Elements of it follow one another in a row of bytes.
bool has_rows(const datatype& type) noexcept { return type.is_row() && type.form->bytes() > 0; }

element_row row_of(const datatype& type) noexcept {
  return {type.form->bytes(), static_cast<std::uint32_t>(type.element())};
}

/// Of a predefined type, of which nearly all data is; of no bytes: it has none, or the type is not predefined.
element_row predefined_row(MPI_Datatype type) noexcept {
  const predefined_type* const known = find_predefined(type);
  if (known == nullptr || is_pair(known->base)) return {0, 0};
  return {known->row_bytes, static_cast<std::uint32_t>(known->base)};
}

void* in_place() noexcept { return MPI_IN_PLACE; }

}  // namespace

// ---- buffers ----

described_collective::one_block described_collective::one(const void* buf, std::int64_t count, MPI_Datatype type,
                                                          const char* name, travels which) const {
  if (buf == MPI_IN_PLACE) return {in_place(), 0, {}};  // count and type say nothing
  if (const element_row row = predefined_row(type); row.bytes != 0) [[likely]]
    return {const_cast<void*>(buf), count, row};
  const datatype& its = committed_type_of(by_, type, name);
  if (has_rows(its)) return {const_cast<void*>(buf), count, row_of(its)};
  const placed_message where = placed_data(on_, by_, buf, count, its);
  std::byte* const row = around_.make_row(where.bytes);
  around_.add(where, row, which != travels::out, which != travels::in);
  return {row, static_cast<std::int64_t>(where.bytes), {}};
}

const std::int64_t* described_collective::kept(const number_array& numbers) const {
  if (numbers.is_null()) return nullptr;
  if (numbers.is_wide() && !around_.lasts()) return numbers.wide();
  return around_.keep(numbers.copy(static_cast<std::size_t>(on_.size())));
}

/// `but`: the rank whose block does not travel.
described_collective::all_blocks described_collective::all(const given_blocks& given, travels which, int but) const {
  if (given.buf == MPI_IN_PLACE) return {in_place()};
  if (given.types == nullptr) {
    element_row row = predefined_row(given.type);
    if (row.bytes == 0) {
      const datatype& its = committed_type_of(by_, given.type, given.name);
      if (has_rows(its)) row = row_of(its);
    }
    if (row.bytes != 0) [[likely]] {
      all_blocks as_given{const_cast<void*>(given.buf), given.count, nullptr, nullptr, row};
      if (given.counts != nullptr) as_given.counts = kept(*given.counts);
      if (given.displs != nullptr) as_given.displs = kept(*given.displs);
      return as_given;
    }
  }
  return packed(given, which, but);
}

described_collective::all_blocks described_collective::packed(const given_blocks& given, travels which, int but) const {
  const auto ranks = static_cast<std::size_t>(on_.size());
  if (given.counts != nullptr) {
    require(on_, by_, given.counts->is_null() ? nullptr : given.counts, "the array of counts");
    require(on_, by_, given.displs->is_null() ? nullptr : given.displs, "the array of displacements");
  }
  std::vector<placed_message> blocks(ranks);
  std::vector<std::int64_t> counts(ranks), displs(ranks);
  std::size_t bytes = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    const datatype& its = committed_type_of(by_, given.types == nullptr ? given.type : given.types[r], given.name);
    const std::int64_t count = given.counts == nullptr ? given.count : (*given.counts)[r];
    std::ptrdiff_t offset = 0;
    if (given.types != nullptr) {
      offset = (*given.displs)[r];
    } else {
      const std::int64_t elements = given.displs == nullptr ? static_cast<std::int64_t>(r) * given.count
                                                            : (*given.displs)[r];
      if (count > 0 && __builtin_mul_overflow(elements, its.form->extent(), &offset))
        throw_bad_argument(on_, by_, errc::argument, "a block is too far from the buffer");
    }
    const void* const base = reinterpret_cast<const void*>(
        reinterpret_cast<std::uintptr_t>(given.buf) +  // NOLINT: also MPI_BOTTOM
        static_cast<std::uintptr_t>(offset));
    blocks[r] = placed_data(on_, by_, base, count, its);
    counts[r] = static_cast<std::int64_t>(blocks[r].bytes);
    displs[r] = static_cast<std::int64_t>(bytes);
    bytes += blocks[r].bytes;
  }
  std::byte* const row = around_.make_row(bytes);
  for (std::size_t r = 0; r < ranks; ++r) {
    if (static_cast<int>(r) == but) continue;
    around_.add(blocks[r], row + displs[r], which != travels::out, which != travels::in);
  }
  if (given.counts == nullptr) return {row, counts[0], nullptr, nullptr, {}};
  return {row, 0, around_.keep(std::move(counts)), around_.keep(std::move(displs)), {}};
}

// ---- data that moves ----

collective_arguments described_collective::barrier() const { return core_.barrier(); }

collective_arguments described_collective::bcast(void* buffer, std::int64_t count, MPI_Datatype type, int root) const {
  if (buffer == MPI_IN_PLACE) return core_.bcast(buffer, 0, {}, root);  // which refuses it
  const one_block there = one(buffer, count, type, "datatype", is_root(root) ? travels::in : travels::out);
  return core_.bcast(there.buf, there.count, there.row, root);
}

collective_arguments described_collective::gather(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                                                  void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype,
                                                  int root) const {
  const one_block sent = one(sendbuf, sendcount, sendtype, "sendtype", travels::in);
  if (!is_root(root)) return core_.gather(sent.buf, sent.count, sent.row, nullptr, 0, {}, root);
  const int but = sendbuf == MPI_IN_PLACE ? root : -1;
  const all_blocks to = all({.buf = recvbuf, .count = recvcount, .name = "recvtype", .type = recvtype}, travels::out,
                            but);
  return core_.gather(sent.buf, sent.count, sent.row, to.buf, to.count, to.row, root);
}

collective_arguments described_collective::gatherv(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                                                   void* recvbuf, number_array recvcounts, number_array displs,
                                                   MPI_Datatype recvtype, int root) const {
  const one_block sent = one(sendbuf, sendcount, sendtype, "sendtype", travels::in);
  if (!is_root(root)) return core_.gatherv(sent.buf, sent.count, sent.row, nullptr, nullptr, nullptr, {}, root);
  const int but = sendbuf == MPI_IN_PLACE ? root : -1;
  const all_blocks to = all(
      {.buf = recvbuf, .counts = &recvcounts, .displs = &displs, .name = "recvtype", .type = recvtype}, travels::out,
      but);
  return core_.gatherv(sent.buf, sent.count, sent.row, to.buf, to.counts, to.displs, to.row, root);
}

collective_arguments described_collective::scatter(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                                                   void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype,
                                                   int root) const {
  const one_block got = one(recvbuf, recvcount, recvtype, "recvtype", travels::out);
  if (!is_root(root)) return core_.scatter(nullptr, 0, {}, got.buf, got.count, got.row, root);
  const int but = recvbuf == MPI_IN_PLACE ? root : -1;
  const all_blocks from = all({.buf = sendbuf, .count = sendcount, .name = "sendtype", .type = sendtype}, travels::in,
                              but);
  return core_.scatter(from.buf, from.count, from.row, got.buf, got.count, got.row, root);
}

collective_arguments described_collective::scatterv(const void* sendbuf, number_array sendcounts, number_array displs,
                                                    MPI_Datatype sendtype, void* recvbuf, std::int64_t recvcount,
                                                    MPI_Datatype recvtype, int root) const {
  const one_block got = one(recvbuf, recvcount, recvtype, "recvtype", travels::out);
  if (!is_root(root)) return core_.scatterv(nullptr, nullptr, nullptr, {}, got.buf, got.count, got.row, root);
  const int but = recvbuf == MPI_IN_PLACE ? root : -1;
  const all_blocks from = all(
      {.buf = sendbuf, .counts = &sendcounts, .displs = &displs, .name = "sendtype", .type = sendtype}, travels::in,
      but);
  return core_.scatterv(from.buf, from.counts, from.displs, from.row, got.buf, got.count, got.row, root);
}

collective_arguments described_collective::allgather(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                                                     void* recvbuf, std::int64_t recvcount,
                                                     MPI_Datatype recvtype) const {
  const one_block sent = one(sendbuf, sendcount, sendtype, "sendtype", travels::in);
  const travels which = sendbuf == MPI_IN_PLACE ? travels::both : travels::out;
  const all_blocks to = all({.buf = recvbuf, .count = recvcount, .name = "recvtype", .type = recvtype}, which);
  return core_.allgather(sent.buf, sent.count, sent.row, to.buf, to.count, to.row);
}

collective_arguments described_collective::allgatherv(const void* sendbuf, std::int64_t sendcount,
                                                      MPI_Datatype sendtype, void* recvbuf, number_array recvcounts,
                                                      number_array displs, MPI_Datatype recvtype) const {
  const one_block sent = one(sendbuf, sendcount, sendtype, "sendtype", travels::in);
  const travels which = sendbuf == MPI_IN_PLACE ? travels::both : travels::out;
  const all_blocks to = all(
      {.buf = recvbuf, .counts = &recvcounts, .displs = &displs, .name = "recvtype", .type = recvtype}, which);
  return core_.allgatherv(sent.buf, sent.count, sent.row, to.buf, to.counts, to.displs, to.row);
}

collective_arguments described_collective::alltoall(const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                                                    void* recvbuf, std::int64_t recvcount,
                                                    MPI_Datatype recvtype) const {
  const all_blocks from = all({.buf = sendbuf, .count = sendcount, .name = "sendtype", .type = sendtype}, travels::in);
  const travels which = sendbuf == MPI_IN_PLACE ? travels::both : travels::out;
  const all_blocks to = all({.buf = recvbuf, .count = recvcount, .name = "recvtype", .type = recvtype}, which);
  return core_.alltoall(from.buf, from.count, from.row, to.buf, to.count, to.row);
}

collective_arguments described_collective::alltoallv(const void* sendbuf, number_array sendcounts, number_array sdispls,
                                                     MPI_Datatype sendtype, void* recvbuf, number_array recvcounts,
                                                     number_array rdispls, MPI_Datatype recvtype) const {
  const all_blocks from = all(
      {.buf = sendbuf, .counts = &sendcounts, .displs = &sdispls, .name = "sendtype", .type = sendtype}, travels::in);
  const travels which = sendbuf == MPI_IN_PLACE ? travels::both : travels::out;
  const all_blocks to = all(
      {.buf = recvbuf, .counts = &recvcounts, .displs = &rdispls, .name = "recvtype", .type = recvtype}, which);
  return core_.alltoallv(from.buf, from.counts, from.displs, from.row, to.buf, to.counts, to.displs, to.row);
}

collective_arguments described_collective::alltoallw(const void* sendbuf, number_array sendcounts, number_array sdispls,
                                                     const MPI_Datatype* sendtypes, void* recvbuf,
                                                     number_array recvcounts, number_array rdispls,
                                                     const MPI_Datatype* recvtypes) const {
  const bool is_in_place = sendbuf == MPI_IN_PLACE;
  require(on_, by_, recvtypes, "recvtypes");
  if (!is_in_place) require(on_, by_, sendtypes, "sendtypes");
  const all_blocks from = all(
      {.buf = sendbuf, .counts = &sendcounts, .displs = &sdispls, .name = "sendtypes", .types = sendtypes},
      travels::in);
  const all_blocks to = all(
      {.buf = recvbuf, .counts = &recvcounts, .displs = &rdispls, .name = "recvtypes", .types = recvtypes},
      is_in_place ? travels::both : travels::out);
  // Packed, they are blocks of bytes.
  return core_.alltoallv(from.buf, from.counts, from.displs, from.row, to.buf, to.counts, to.displs, to.row);
}

// ---- reductions ----

/// `received`: how many elements of the type come to `recvbuf`, which has a result or is not looked at.
described_collective::vectors described_collective::operands(const void* sendbuf, void* recvbuf, std::int64_t count,
                                                             MPI_Datatype type, MPI_Op op, bool has_result,
                                                             std::int64_t received) const {
  const datatype* const derived = find_predefined(type) != nullptr ? nullptr
                                                                   : &committed_type_of(by_, type, "datatype");
  const given_operator given = operator_of(by_, op);
  if (given.built_in != PURE_OP_NULL) {
    const detail::reduction how = built_in_reduction(by_, op, given.built_in, type);
    return {sendbuf, recvbuf, count, {how.element_bytes, static_cast<std::uint32_t>(base_of(type))}, how};
  }
  const datatype& its = derived != nullptr ? *derived : type_of(by_, type, "datatype");
  const layout& form = *its.form;
  program_combination how{given.function, given.is_large, type, form.bytes()};
  if (form.bytes() == 0) count = received = 0, how.element_bytes = 1;
  const bool has_gaps = !its.is_row() && form.bytes() > 0;
  std::int64_t elements = count;
  if (has_gaps) {
    // An element of the core goes from the first byte of one of the program's to that of the next one. Where the
    // program's lie inside each other, all together are one.
    const std::ptrdiff_t true_bytes = form.true_upper_bound() - form.true_lower_bound();
    how.first_byte = form.true_lower_bound();
    how.element_bytes = static_cast<std::size_t>(form.extent());
    if (form.extent() < true_bytes && count > 0) {
      if (received != count || form.extent() < 0)
        throw_bad_argument(on_, by_, errc::type, "elements of the datatype lie inside each other");
      how.element_bytes = static_cast<std::size_t>(form.extent() * (count - 1) + true_bytes);
      how.whole_vector = count;
      elements = 1;
    }
  }
  const program_combination* const kept = around_.keep(how);
  const detail::reduction combined{
      .combine = program_combination::combine, .context = kept, .element_bytes = how.element_bytes};
  vectors made{sendbuf, recvbuf, elements, {how.element_bytes, 0}, combined};
  if (!has_gaps) return made;
  const auto copied = [&](const void* buf, std::int64_t many, std::int64_t rows, bool goes_in, bool comes_out) {
    const placed_message where = placed_data(on_, by_, buf, many, its);
    std::byte* const row = around_.make_row(static_cast<std::size_t>(rows) * how.element_bytes);
    around_.add_laid_out(where, row - how.first_byte, goes_in, comes_out);
    return row;
  };
  const bool is_in_place = sendbuf == MPI_IN_PLACE;
  if (!is_in_place) made.send = copied(sendbuf, count, elements, true, false);
  // In place the operands are where the result comes, all of them.
  const std::int64_t there = is_in_place ? count : received;
  if (has_result && recvbuf != MPI_IN_PLACE)
    made.recv = copied(recvbuf, there, how.whole_vector != 0 ? 1 : there, true, true);
  return made;
}

collective_arguments described_collective::reduce(const void* sendbuf, void* recvbuf, std::int64_t count,
                                                  MPI_Datatype type, MPI_Op op, int root) const {
  const vectors made = operands(sendbuf, recvbuf, count, type, op, is_root(root), count);
  return core_.reduce(made.send, made.recv, made.count, made.row, &made.how, root);
}

template <collective kind>
collective_arguments described_collective::reduce_everywhere(const void* sendbuf, void* recvbuf, std::int64_t count,
                                                             MPI_Datatype type, MPI_Op op) const {
  const vectors made = operands(sendbuf, recvbuf, count, type, op, true, count);
  return core_.reduce_everywhere<kind>(made.send, made.recv, made.count, made.row, &made.how);
}
template collective_arguments described_collective::reduce_everywhere<collective::allreduce>(const void*, void*,
                                                                                             std::int64_t, MPI_Datatype,
                                                                                             MPI_Op) const;
template collective_arguments described_collective::reduce_everywhere<collective::scan>(const void*, void*,
                                                                                        std::int64_t, MPI_Datatype,
                                                                                        MPI_Op) const;
template collective_arguments described_collective::reduce_everywhere<collective::exscan>(const void*, void*,
                                                                                          std::int64_t, MPI_Datatype,
                                                                                          MPI_Op) const;

collective_arguments described_collective::reduce_scatter(const void* sendbuf, void* recvbuf, number_array recvcounts,
                                                          MPI_Datatype type, MPI_Op op) const {
  require(on_, by_, recvcounts.is_null() ? nullptr : &recvcounts, "recvcounts");
  std::int64_t count = 0;
  for (int r = 0; r < on_.size(); ++r) count += recvcounts[static_cast<std::size_t>(r)];
  const std::int64_t own = recvcounts[static_cast<std::size_t>(on_.rank())];
  const vectors made = operands(sendbuf, recvbuf, count, type, op, true, own);
  return core_.reduce_scatter(made.send, made.recv, kept(recvcounts), made.row, &made.how);
}

collective_arguments described_collective::reduce_scatter_block(const void* sendbuf, void* recvbuf,
                                                                std::int64_t recvcount, MPI_Datatype type,
                                                                MPI_Op op) const {
  const vectors made = operands(sendbuf, recvbuf, recvcount * on_.size(), type, op, true, recvcount);
  return core_.reduce_scatter_block(made.send, made.recv, recvcount, made.row, &made.how);
}

}  // namespace mpi

}  // namespace pure::core
