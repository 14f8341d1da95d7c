// Windows: operations (MPI 5.0, 12.3).
#include <fmt/core.h>

#include <utility>

#include "api/mpi/bodies.hpp"
#include "api/mpi/operators.hpp"
#include "api/mpi/pairs.hpp"
#include "api/mpi/types.hpp"
#include "coll/operators.hpp"
#include "window/operations.hpp"
#include "window/read_request.hpp"

namespace pure::core::mpi {

namespace {

/// Elements of the program, here or at the target.
struct elements {
  std::int64_t count;
  MPI_Datatype type;
  const char* name;  // of the argument
};

placed_message origin_at(const window& at, const call& by, const void* buffer, const elements& what) {
  return placed_at(at.comm(), by, buffer, what.count, what.type, what.name);
}

/// The place in the window, and the layout there, for as long as the call takes.
window_place place_of(const window& at, const call& by, int rank, MPI_Aint disp, const elements& there) {
  const datatype& type = committed_type_of(by, there.type, there.name);
  return {rank, disp, bytes_of(at.comm(), by, there.count, type.form->bytes()),
          type.is_row() ? nullptr : type.form.get()};
}

// ---- operations that combine ----

bool is_nothing(const call& by, const elements& of) {
  return of.count == 0 || type_of(by, of.type, of.name).form->bytes() == 0;
}

/// Atomic operations are on elements of one basic type, or on pairs of one. Throws type.
pure_datatype element_of(const window& at, const call& by, const elements& of) {
  pure_datatype element = base_of(of.type);
  if (find_predefined(of.type) == nullptr) {
    const datatype& its = committed_type_of(by, of.type, of.name);
    element = its.element();
    if (element == PURE_DATATYPE_NULL) element = base_of(pair_inside(its));
  }
  if (element == PURE_DATATYPE_NULL)
    at.throw_wrong(by, errc::type, fmt::format("{} has not elements of one basic type", of.name));
  return element;
}

/// The same bytes under one operator, whatever they are called: types of C and of Fortran.
bool are_alike(pure_datatype a, pure_datatype b) noexcept {
  return a == b || (size_of_type(a) == size_of_type(b) && integer_kind_of(a) == integer_kind_of(b) &&
                    integer_kind_of(a) != integer_kind::none);
}

/// Where the pairs of a derived type lie; null: it has none.
layout_pointer derived_pairs(const call& by, const elements& what) {
  if (find_predefined(what.type) != nullptr) return nullptr;
  const datatype& its = committed_type_of(by, what.type, what.name);
  const MPI_Datatype pair = its.element() == PURE_DATATYPE_NULL ? pair_inside(its) : MPI_DATATYPE_NULL;
  return pair == MPI_DATATYPE_NULL ? nullptr : whole_pairs(by, what.count, its, pair);
}

/// A pair's elements in memory, with the gap: accumulated as they lie there.
placed_message combined_at(const window& at, const call& by, const void* buffer, const elements& what) {
  if (const predefined_type* const known = find_predefined(what.type); known != nullptr && is_pair(known->base)) {
    const std::size_t bytes = bytes_of(at.comm(), by, what.count, type_forms[known->base].bytes);
    require_buffer(at.comm(), by, buffer, what.count);
    return {const_cast<void*>(buffer), bytes, {}};
  }
  if (layout_pointer form = derived_pairs(by, what); form != nullptr) {
    if (form->true_lower_bound() == 0) require_buffer(at.comm(), by, buffer, what.count);  // else it may be MPI_BOTTOM
    const std::size_t bytes = form->bytes();
    return {const_cast<void*>(buffer), bytes, std::move(form)};
  }
  return origin_at(at, by, buffer, what);
}

/// `kept`: has the layout there for as long as the call takes, if nobody else has.
window_place combined_place(const window& at, const call& by, int rank, MPI_Aint disp, const elements& there,
                            layout_pointer& kept) {
  if (const predefined_type* const known = find_predefined(there.type); known != nullptr && is_pair(known->base))
    return {rank, disp, bytes_of(at.comm(), by, there.count, type_forms[known->base].bytes), nullptr};
  kept = derived_pairs(by, there);
  if (kept != nullptr) return {rank, disp, kept->bytes(), kept.get()};
  return place_of(at, by, rank, disp, there);
}

combination combination_of(const window& at, const call& by, MPI_Op op, pure_datatype element) {
  const std::size_t bytes = size_of_type(element);
  const given_operator given = operator_of(by, op);
  if (given.built_in == PURE_REPLACE) return {combination::kind::replace, {}, bytes};
  if (given.built_in == PURE_NO_OP) return {combination::kind::none, {}, bytes};
  if (given.built_in == PURE_OP_NULL)
    at.throw_wrong(by, errc::op, "a program's own operator: atomic operations take predefined ones only");
  detail::reduction how;
  if (!find_reduction(given.built_in, element, how) && !find_reduction(given.built_in, as_number(element), how))
    at.throw_wrong(by, errc::op, fmt::format("{} is not defined for the datatype", name_of_operator(op)));
  return {combination::kind::combine, how, bytes};
}

void require_alike(const window& at, const call& by, pure_datatype element, const elements& other) {
  if (!are_alike(element_of(at, by, other), element))
    at.throw_wrong(by, errc::type, fmt::format("{} has other elements than target_datatype", other.name));
}

void accumulate_at(window& at, const call& by, const void* origin, const elements& what, int rank, MPI_Aint disp,
                   const elements& there, MPI_Op op) {
  if (op == MPI_NO_OP) at.throw_wrong(by, errc::op, "MPI_NO_OP is for operations with a result");
  if (is_nothing(by, what) && is_nothing(by, there))  // of whatever type
    return put(at, by, origin_at(at, by, origin, what), place_of(at, by, rank, disp, there));
  const pure_datatype element = element_of(at, by, there);
  require_alike(at, by, element, what);
  layout_pointer kept;
  accumulate(at, by, combined_at(at, by, origin, what), nullptr, combined_place(at, by, rank, disp, there, kept),
             combination_of(at, by, op, element));
}

/// Of get_accumulate: what it does, with its arguments checked.
struct read_and_change {
  placed_message what;
  placed_message before;
  layout_pointer kept;  // before `where`, which may look into it
  window_place where;
  combination how;

  read_and_change(window& at, const call& by, const void* origin, const elements& given, void* result,
                  const elements& got, int rank, MPI_Aint disp, const elements& there, MPI_Op op) {
    if (is_nothing(by, got) && is_nothing(by, there)) {  // of whatever type
      before = origin_at(at, by, result, got);
      where = place_of(at, by, rank, disp, there);
      how = {combination::kind::none, {}, 1};
      return;
    }
    const pure_datatype element = element_of(at, by, there);
    require_alike(at, by, element, got);
    if (op != MPI_NO_OP) {  // else the origin is not looked at
      require_alike(at, by, element, given);
      what = combined_at(at, by, origin, given);
    }
    before = combined_at(at, by, result, got);
    where = combined_place(at, by, rank, disp, there, kept);
    how = combination_of(at, by, op, element);
  }
};

/// What it does is complete here when this returns.
MPI_Request completed(const call& by, window& win, int rank) {
  win.wait_for_results(by, rank);
  return name_of(finished_send);
}

constexpr const char* origin_type = "origin_datatype";
constexpr const char* target_type = "target_datatype";
constexpr const char* result_type = "result_datatype";

}  // namespace

void bodies::Put(const call& by, const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                 int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
                 window& win) {
  put(win, by, origin_at(win, by, origin_addr, {origin_count, origin_datatype, origin_type}),
      place_of(win, by, target_rank, target_disp, {target_count, target_datatype, target_type}));
}

void bodies::Get(const call& by, void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                 int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
                 window& win) {
  get(win, by, origin_at(win, by, origin_addr, {origin_count, origin_datatype, origin_type}),
      place_of(win, by, target_rank, target_disp, {target_count, target_datatype, target_type}));
}

void bodies::Accumulate(const call& by, const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                        int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
                        MPI_Op op, window& win) {
  accumulate_at(win, by, origin_addr, {origin_count, origin_datatype, origin_type}, target_rank, target_disp,
                {target_count, target_datatype, target_type}, op);
}

void bodies::Get_accumulate(const call& by, const void* origin_addr, MPI_Count origin_count,
                            MPI_Datatype origin_datatype, void* result_addr, MPI_Count result_count,
                            MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                            MPI_Datatype target_datatype, MPI_Op op, window& win) {
  const read_and_change wanted(win, by, origin_addr, {origin_count, origin_datatype, origin_type}, result_addr,
                               {result_count, result_datatype, result_type}, target_rank, target_disp,
                               {target_count, target_datatype, target_type}, op);
  accumulate(win, by, wanted.what, &wanted.before, wanted.where, wanted.how);
}

void bodies::Fetch_and_op(const call& by, const void* origin_addr, void* result_addr, MPI_Datatype datatype,
                          int target_rank, MPI_Aint target_disp, MPI_Op op, window& win) {
  if (find_predefined(datatype) == nullptr) win.throw_wrong(by, errc::type, "the datatype is no predefined one");
  const elements one{1, datatype, "datatype"};
  const read_and_change wanted(win, by, origin_addr, one, result_addr, one, target_rank, target_disp, one, op);
  accumulate(win, by, wanted.what, &wanted.before, wanted.where, wanted.how);
}

void bodies::Compare_and_swap(const call& by, const void* origin_addr, const void* compare_addr, void* result_addr,
                              MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, window& win) {
  const pure_datatype element = base_of(datatype);
  // The standard has no MPI_CHAR here; other MPIs take it, and programs rely on them.
  const bool may_be = integer_kind_of(element) != integer_kind::none || element == PURE_BOOL || element == PURE_BYTE ||
                      element == PURE_CHAR;
  if (!may_be) win.throw_wrong(by, errc::type, "the datatype is no integer, logical or byte");
  check_pointer(by, origin_addr, MPI_ERR_BUFFER, "origin_addr");
  check_pointer(by, compare_addr, MPI_ERR_BUFFER, "compare_addr");
  check_pointer(by, result_addr, MPI_ERR_BUFFER, "result_addr");
  compare_and_swap(win, by, compare_addr, origin_addr, result_addr, size_of_type(element), target_rank, target_disp);
}

// ---- with a request ----

void bodies::Rput(const call& by, const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                  int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
                  window& win, MPI_Request* request) {
  Put(by, origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win);
  *request = completed(by, win, target_rank);
}

void bodies::Rget(const call& by, void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                  int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
                  window& win, MPI_Request* request) {
  *request = name_of(
      start_get(win, by, origin_at(win, by, origin_addr, {origin_count, origin_datatype, origin_type}),
                place_of(win, by, target_rank, target_disp, {target_count, target_datatype, target_type})));
}

void bodies::Raccumulate(const call& by, const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                         int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
                         MPI_Op op, window& win, MPI_Request* request) {
  Accumulate(by, origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype,
             op, win);
  *request = completed(by, win, target_rank);
}

void bodies::Rget_accumulate(const call& by, const void* origin_addr, MPI_Count origin_count,
                             MPI_Datatype origin_datatype, void* result_addr, MPI_Count result_count,
                             MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                             MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, window& win,
                             MPI_Request* request) {
  const read_and_change wanted(win, by, origin_addr, {origin_count, origin_datatype, origin_type}, result_addr,
                               {result_count, result_datatype, result_type}, target_rank, target_disp,
                               {target_count, target_datatype, target_type}, op);
  if (op == MPI_NO_OP) {
    *request = name_of(start_look(win, by, wanted.before, wanted.where, wanted.how));
    return;
  }
  accumulate(win, by, wanted.what, &wanted.before, wanted.where, wanted.how);
  *request = completed(by, win, target_rank);
}

}  // namespace pure::core::mpi
