// One rank's wrong argument in every collective of pure.h, each argument in turn: for tests of what becomes of the
// others.
#pragma once

#include <pure.h>

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "support/collective_forms.hpp"

namespace test_support::wrong_collectives {

inline constexpr int ranks = 3, root = 0;

/// What one rank passes; all that any collective takes.
struct passed {
  std::array<int, 16> input{}, output{};
  std::array<std::int64_t, ranks> counts{1, 1, 1}, displs{0, 1, 2}, byte_displs{0, 4, 8}, wrong_counts{1, -4, 1};
  std::array<std::int64_t, ranks> far_displs{0, std::numeric_limits<std::int64_t>::max(), 2};
  std::array<pure_datatype, ranks> types{PURE_INT, PURE_INT, PURE_INT};
  std::array<pure_datatype, ranks> wrong_types{PURE_INT, PURE_INT, static_cast<pure_datatype>(99)};

  const void* send = input.data();
  void* recv = output.data();
  std::int64_t send_count = 1, recv_count = 1;
  pure_datatype send_type = PURE_INT, recv_type = PURE_INT;
  const std::int64_t* send_counts = counts.data();
  const std::int64_t* recv_counts = counts.data();
  const std::int64_t* send_displs = displs.data();
  const std::int64_t* recv_displs = displs.data();
  const pure_datatype* send_types = types.data();
  const pure_datatype* recv_types = types.data();
  pure_op op = PURE_SUM;
  int from = root;
};

/// Who can err: where an argument matters.
enum class errs_at { any_rank, root_only, not_root };

struct mistake {
  const char* argument;
  pure_error_code code;
  void (*make)(passed&);
  errs_at where = errs_at::any_rank;
};

inline constexpr auto no_type = static_cast<pure_datatype>(99);
inline constexpr mistake negative_send_count{"send_count -1", PURE_ERR_COUNT, [](passed& a) { a.send_count = -1; }};
inline constexpr mistake large_send_count{
    "too many to send", PURE_ERR_COUNT, [](passed& a) { a.send_count = std::numeric_limits<std::int64_t>::max() / 2; }};
inline constexpr mistake wrong_send_type{"send_type 99", PURE_ERR_TYPE, [](passed& a) { a.send_type = no_type; }};
inline constexpr mistake null_send{"send_buf null", PURE_ERR_BUFFER, [](passed& a) { a.send = nullptr; }};
inline constexpr mistake negative_recv_count{"recv_count -1", PURE_ERR_COUNT, [](passed& a) { a.recv_count = -1; }};
inline constexpr mistake wrong_recv_type{"recv_type 99", PURE_ERR_TYPE, [](passed& a) { a.recv_type = no_type; }};
inline constexpr mistake other_recv_count{"recv_count 2 for 1", PURE_ERR_MISMATCH, [](passed& a) { a.recv_count = 2; }};
inline constexpr mistake null_recv{"recv_buf null", PURE_ERR_BUFFER, [](passed& a) { a.recv = nullptr; }};
inline constexpr mistake recv_in_place{"recv_buf PURE_IN_PLACE", PURE_ERR_BUFFER,
                                       [](passed& a) { a.recv = PURE_IN_PLACE; }};
inline constexpr mistake overlap{"buffers that overlap", PURE_ERR_BUFFER, [](passed& a) { a.recv = a.input.data(); }};
inline constexpr mistake null_op{"op null", PURE_ERR_OP, [](passed& a) { a.op = PURE_OP_NULL; }};
inline constexpr mistake no_op{"op 0x63", PURE_ERR_OP, [](passed& a) { a.op = static_cast<pure_op>(99); }};
inline constexpr mistake op_of_other_type{"op of another type", PURE_ERR_OP, [](passed& a) { a.op = PURE_MINLOC; }};
inline constexpr mistake negative_root{"root -1", PURE_ERR_ROOT, [](passed& a) { a.from = -1; }};
inline constexpr mistake large_root{"root 3", PURE_ERR_ROOT, [](passed& a) { a.from = ranks; }};
inline constexpr mistake null_recv_counts{"recv_counts null", PURE_ERR_ARG, [](passed& a) { a.recv_counts = nullptr; }};
inline constexpr mistake negative_in_recv_counts{"recv_counts[1] -4", PURE_ERR_COUNT,
                                                 [](passed& a) { a.recv_counts = a.wrong_counts.data(); }};
inline constexpr mistake null_recv_displs{"recv_displs null", PURE_ERR_ARG, [](passed& a) { a.recv_displs = nullptr; }};
inline constexpr mistake far_recv_displs{"recv_displs[1] 2^63-1", PURE_ERR_ARG,
                                         [](passed& a) { a.recv_displs = a.far_displs.data(); }};
inline constexpr mistake null_send_counts{"send_counts null", PURE_ERR_ARG, [](passed& a) { a.send_counts = nullptr; }};
inline constexpr mistake negative_in_send_counts{"send_counts[1] -4", PURE_ERR_COUNT,
                                                 [](passed& a) { a.send_counts = a.wrong_counts.data(); }};
inline constexpr mistake null_send_displs{"send_displs null", PURE_ERR_ARG, [](passed& a) { a.send_displs = nullptr; }};
inline constexpr mistake far_send_displs{"send_displs[1] 2^63-1", PURE_ERR_ARG,
                                         [](passed& a) { a.send_displs = a.far_displs.data(); }};
inline constexpr mistake null_send_types{"send_types null", PURE_ERR_ARG, [](passed& a) { a.send_types = nullptr; }};
inline constexpr mistake wrong_in_send_types{"send_types[2] 99", PURE_ERR_TYPE,
                                             [](passed& a) { a.send_types = a.wrong_types.data(); }};
inline constexpr mistake null_recv_types{"recv_types null", PURE_ERR_ARG, [](passed& a) { a.recv_types = nullptr; }};
inline constexpr mistake wrong_in_recv_types{"recv_types[2] 99", PURE_ERR_TYPE,
                                             [](passed& a) { a.recv_types = a.wrong_types.data(); }};
inline constexpr mistake send_in_place{"send_buf PURE_IN_PLACE", PURE_ERR_BUFFER,
                                       [](passed& a) { a.send = PURE_IN_PLACE; }};

/// The same mistake where it matters to the root, or to the others, only.
inline constexpr mistake at_root(mistake of) {
  of.where = errs_at::root_only;
  return of;
}
inline constexpr mistake elsewhere(mistake of) {
  of.where = errs_at::not_root;
  return of;
}

struct collective_call {
  const char* name;
  std::function<int(form_at, const passed&)> make;
  std::vector<mistake> mistakes;
};

/// Whatever is one vector on each rank, and combined.
template <class InForms>
collective_call vector_reduction(const char* name, const InForms& in_forms) {
  return {name,
          [&in_forms](form_at how, const passed& a) {
            return in_forms(how, world, a.send, a.recv, a.send_count, a.send_type, a.op);
          },
          {negative_send_count, large_send_count, wrong_send_type, null_send, null_recv, recv_in_place, overlap,
           null_op, no_op, op_of_other_type}};
}

inline std::vector<collective_call> collectives() {
  namespace t = test_support;
  std::vector<collective_call> all;
  all.push_back(
      {"pure_bcast",
       [](form_at how, const passed& a) { return t::bcast(how, world, a.recv, a.recv_count, a.recv_type, a.from); },
       {negative_recv_count, wrong_recv_type, null_recv, recv_in_place, negative_root, large_root}});
  all.push_back(
      {"pure_reduce",
       [](form_at how, const passed& a) {
         return t::reduce(how, world, a.send, a.recv, a.send_count, a.send_type, a.op, a.from);
       },
       {negative_send_count, wrong_send_type, null_send, at_root(null_recv), at_root(recv_in_place), at_root(overlap),
        elsewhere(send_in_place), null_op, no_op, op_of_other_type, negative_root, large_root}});
  all.push_back(vector_reduction("pure_allreduce", t::allreduce));
  all.push_back(vector_reduction("pure_scan", t::scan));
  all.push_back({"pure_exscan",  // rank 0 gets nothing
                 [](form_at how, const passed& a) {
                   return t::exscan(how, world, a.send, a.recv, a.send_count, a.send_type, a.op);
                 },
                 {negative_send_count, wrong_send_type, null_send, elsewhere(null_recv), recv_in_place,
                  elsewhere(overlap), null_op, op_of_other_type}});
  all.push_back({"pure_reduce_scatter",
                 [](form_at how, const passed& a) {
                   return t::reduce_scatter(how, world, a.send, a.recv, a.recv_counts, a.recv_type, a.op);
                 },
                 {null_recv_counts, negative_in_recv_counts, wrong_recv_type, null_send, null_recv, overlap, null_op,
                  op_of_other_type}});
  all.push_back({"pure_reduce_scatter_block",
                 [](form_at how, const passed& a) {
                   return t::reduce_scatter_block(how, world, a.send, a.recv, a.recv_count, a.recv_type, a.op);
                 },
                 {negative_recv_count, wrong_recv_type, null_send, null_recv, overlap, null_op, op_of_other_type}});
  all.push_back({"pure_gather",
                 [](form_at how, const passed& a) {
                   return t::gather(how, world, a.send, a.send_count, a.send_type, a.recv, a.recv_count, a.recv_type,
                                    a.from);
                 },
                 {negative_send_count, wrong_send_type, null_send, at_root(negative_recv_count),
                  at_root(wrong_recv_type), at_root(other_recv_count), at_root(null_recv), at_root(recv_in_place),
                  at_root(overlap), elsewhere(send_in_place), negative_root, large_root}});
  all.push_back({"pure_gatherv",
                 [](form_at how, const passed& a) {
                   return t::gatherv(how, world, a.send, a.send_count, a.send_type, a.recv, a.recv_counts,
                                     a.recv_displs, a.recv_type, a.from);
                 },
                 {negative_send_count, wrong_send_type, null_send, at_root(null_recv_counts),
                  at_root(negative_in_recv_counts), at_root(null_recv_displs), at_root(far_recv_displs),
                  at_root(wrong_recv_type), at_root(null_recv), elsewhere(send_in_place), negative_root, large_root}});
  all.push_back({"pure_scatter",
                 [](form_at how, const passed& a) {
                   return t::scatter(how, world, a.send, a.send_count, a.send_type, a.recv, a.recv_count, a.recv_type,
                                     a.from);
                 },
                 {negative_recv_count, wrong_recv_type, null_recv, at_root(negative_send_count),
                  at_root(wrong_send_type), at_root(other_recv_count), at_root(null_send), at_root(send_in_place),
                  at_root(overlap), elsewhere(recv_in_place), negative_root, large_root}});
  all.push_back({"pure_scatterv",
                 [](form_at how, const passed& a) {
                   return t::scatterv(how, world, a.send, a.send_counts, a.send_displs, a.send_type, a.recv,
                                      a.recv_count, a.recv_type, a.from);
                 },
                 {negative_recv_count, wrong_recv_type, null_recv, at_root(null_send_counts),
                  at_root(negative_in_send_counts), at_root(null_send_displs), at_root(far_send_displs),
                  at_root(wrong_send_type), at_root(null_send), elsewhere(recv_in_place), negative_root, large_root}});
  all.push_back({"pure_allgather",
                 [](form_at how, const passed& a) {
                   return t::allgather(how, world, a.send, a.send_count, a.send_type, a.recv, a.recv_count,
                                       a.recv_type);
                 },
                 {negative_send_count, wrong_send_type, null_send, negative_recv_count, wrong_recv_type, null_recv,
                  recv_in_place, other_recv_count, overlap}});
  all.push_back({"pure_allgatherv",
                 [](form_at how, const passed& a) {
                   return t::allgatherv(how, world, a.send, a.send_count, a.send_type, a.recv, a.recv_counts,
                                        a.recv_displs, a.recv_type);
                 },
                 {negative_send_count, wrong_send_type, null_send, null_recv_counts, negative_in_recv_counts,
                  null_recv_displs, far_recv_displs, wrong_recv_type, null_recv, recv_in_place, overlap}});
  all.push_back({"pure_alltoall",
                 [](form_at how, const passed& a) {
                   return t::alltoall(how, world, a.send, a.send_count, a.send_type, a.recv, a.recv_count, a.recv_type);
                 },
                 {negative_send_count, wrong_send_type, null_send, negative_recv_count, wrong_recv_type, null_recv,
                  recv_in_place, other_recv_count, overlap}});
  all.push_back({"pure_alltoallv",
                 [](form_at how, const passed& a) {
                   return t::alltoallv(how, world, a.send, a.send_counts, a.send_displs, a.send_type, a.recv,
                                       a.recv_counts, a.recv_displs, a.recv_type);
                 },
                 {null_send_counts, negative_in_send_counts, null_send_displs, far_send_displs, wrong_send_type,
                  null_send, null_recv_counts, negative_in_recv_counts, null_recv_displs, far_recv_displs,
                  wrong_recv_type, null_recv, recv_in_place, overlap}});
  all.push_back(
      {"pure_alltoallw",
       [](form_at how, const passed& a) {
         return t::alltoallw(how, world, a.send, a.send_counts, a.byte_displs.data(), a.send_types, a.recv,
                             a.recv_counts, a.byte_displs.data(), a.recv_types);
       },
       {null_send_counts, negative_in_send_counts, null_send_types, wrong_in_send_types, null_send, null_recv_counts,
        negative_in_recv_counts, null_recv_types, wrong_in_recv_types, null_recv, recv_in_place, overlap}});
  return all;
}

}  // namespace test_support::wrong_collectives
