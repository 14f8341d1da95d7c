// Windows: operations (MPI 5.0, 12.3).
#include <fmt/core.h>

#include "api/mpi/bodies.hpp"
#include "api/mpi/operators.hpp"
#include "api/mpi/types.hpp"
#include "coll/operators.hpp"
#include "window/operations.hpp"
#include "window/read_request.hpp"

namespace pure::core::mpi {

namespace {

/// Elements of the program, here or at the target.
struct elements {
  std::int64_t count;
  type_handle type;
  const char* name;  // of the argument
};

/// Nobody's memory needs no types, as in messages to nobody. (MPI 5.0, 12.3: the effect is that of a message.)
bool is_of_no_type(int rank, const elements& what) noexcept {
  return rank == constants::proc_null && what.type == constants::datatype_null;
}

placed_message origin_at(const window& at, const call& by, int rank, const void* buffer, const elements& what) {
  if (is_of_no_type(rank, what)) return {};
  return placed_at(at.comm(), by, buffer, what.count, what.type, what.name);
}

/// Nothing but the right to an access is looked at.
void access_nobody(window& at, const call& by) { put(at, by, {}, {.rank = constants::proc_null}); }

/// The place in the window, and the layout there, for as long as the call takes.
window_place place_of(const window& at, const call& by, int rank, MPI_Aint disp, std::int64_t count,
                      const datatype& type) {
  return {rank, disp, bytes_of(at.comm(), by, count, type.form->bytes()), type.is_row() ? nullptr : type.form.get()};
}
window_place place_of(const window& at, const call& by, int rank, MPI_Aint disp, const elements& there) {
  if (is_of_no_type(rank, there)) return {.rank = rank};
  return place_of(at, by, rank, disp, there.count, committed_type_of(by, there.type, there.name));
}

/// As many elements here as there, of one predefined datatype, in a row on both sides: to find out all that may be else
/// takes longer than to move a few (D-plain-elements). 0: they are others, or there is something wrong with them.
std::size_t plain_bytes(std::int64_t count, type_handle type, std::int64_t count_there, type_handle type_there) {
  constexpr std::int64_t most = std::int64_t{1} << 32;
  return type == type_there && count == count_there && count >= 0 && count <= most
             ? static_cast<std::size_t>(count) * row_bytes_of(type)
             : 0;
}
placed_message in_a_row(const void* buffer, std::size_t bytes) noexcept {
  return {const_cast<void*>(buffer), bytes, nullptr};
}

// ---- operations that combine ----

bool is_nothing(const call& by, const elements& of) {
  return of.count == 0 || type_of(by, of.type, of.name).form->bytes() == 0;
}

/// What atomic operations combine: one predefined datatype, of which the program's consist (MPI 5.0, 12.3.4).
struct atomic_element {
  unsigned code;  // as of a datatype
  std::size_t bytes;

  [[nodiscard]] bool is_of_pure() const noexcept { return code < first_other_code; }
  [[nodiscard]] pure_datatype base() const noexcept { return static_cast<pure_datatype>(code); }
};

/// Throws type.
atomic_element element_of(const window& at, const call& by, const elements& of) {
  const unsigned code = committed_type_of(by, of.type, of.name).code;
  if (code == 0) at.throw_wrong(by, errc::type, fmt::format("{} has not elements of one predefined datatype", of.name));
  if (code < first_other_code) return {code, size_of_type(static_cast<pure_datatype>(code))};
  return {code, type_of(by, predefined_with(code), of.name).form->bytes()};
}

/// The same bytes under one operator, whatever they are called: types of C and of Fortran.
bool are_alike(const atomic_element& a, const atomic_element& b) noexcept {
  if (a.code == b.code) return true;
  return a.is_of_pure() && b.is_of_pure() && a.bytes == b.bytes &&
         integer_kind_of(a.base()) == integer_kind_of(b.base()) && integer_kind_of(a.base()) != integer_kind::none;
}

/// Pairs are combined as they lie in memory, with the gaps inside them.
const datatype& combined_type(const call& by, const elements& of) {
  const datatype& type = committed_type_of(by, of.type, of.name);
  return type.whole != nullptr ? *type.whole : type;
}

placed_message combined_at(const window& at, const call& by, const void* buffer, const elements& what) {
  return core::placed_at(at.comm(), by, buffer, what.count, combined_type(by, what));
}

window_place combined_place(const window& at, const call& by, int rank, MPI_Aint disp, const elements& there) {
  return place_of(at, by, rank, disp, there.count, combined_type(by, there));
}

combination combination_of(const window& at, const call& by, op_handle op, const atomic_element& element) {
  const given_operator given = operator_of(by, op);
  if (given.built_in == PURE_REPLACE) return {combination::kind::replace, {}, element.bytes};
  if (given.built_in == PURE_NO_OP) return {combination::kind::none, {}, element.bytes};
  if (given.built_in == PURE_OP_NULL)
    at.throw_wrong(by, errc::op, "a program's own operator: atomic operations take predefined ones only");
  detail::reduction how;
  const bool is_found = element.is_of_pure()
                            ? find_reduction(given.built_in, element.base(), how) ||
                                  find_reduction(given.built_in, as_number(element.base()), how)
                            : find_other_reduction(given.built_in, predefined_with(element.code), element.bytes, how);
  if (!is_found) at.throw_wrong(by, errc::op, fmt::format("{} is not defined for the datatype", name_of_operator(op)));
  return {combination::kind::combine, how, element.bytes};
}

void require_alike(const window& at, const call& by, const atomic_element& element, const elements& other) {
  if (!are_alike(element_of(at, by, other), element))
    at.throw_wrong(by, errc::type, fmt::format("{} has other elements than target_datatype", other.name));
}

/// How a predefined operator combines plain elements. False: it is another one, or not defined for them.
bool find_combination(type_handle type, op_handle op, combination& found) {
  found.element_bytes = row_bytes_of(type);
  return find_reduction(built_in_operator(op), base_of(type), found.how);
}

void accumulate_at(window& at, const call& by, const void* origin, const elements& what, int rank, MPI_Aint disp,
                   const elements& there, op_handle op) {
  const std::size_t plain = plain_bytes(what.count, what.type, there.count, there.type);
  if (combination how; plain > 0 && origin != nullptr && find_combination(there.type, op, how)) [[likely]]
    return accumulate(at, by, in_a_row(origin, plain), nullptr, {rank, disp, plain, nullptr}, how);
  if (op == constants::no_op) at.throw_wrong(by, errc::op, "MPI_NO_OP is for operations with a result");
  if (is_of_no_type(rank, what) || is_of_no_type(rank, there)) return access_nobody(at, by);
  if (is_nothing(by, what) && is_nothing(by, there))  // of whatever type
    return put(at, by, origin_at(at, by, rank, origin, what), place_of(at, by, rank, disp, there));
  const atomic_element element = element_of(at, by, there);
  require_alike(at, by, element, what);
  accumulate(at, by, combined_at(at, by, origin, what), nullptr, combined_place(at, by, rank, disp, there),
             combination_of(at, by, op, element));
}

/// Of get_accumulate: what it does, with its arguments checked.
struct read_and_change {
  placed_message what;
  placed_message before;
  window_place where;
  combination how;

  read_and_change(window& at, const call& by, const void* origin, const elements& given, void* result,
                  const elements& got, int rank, MPI_Aint disp, const elements& there, op_handle op) {
    const bool is_given_no_type = op != constants::no_op && is_of_no_type(rank, given);
    if (is_given_no_type || is_of_no_type(rank, got) || is_of_no_type(rank, there)) {
      where.rank = rank;
      return;
    }
    if (is_nothing(by, got) && is_nothing(by, there)) {  // of whatever type
      before = origin_at(at, by, rank, result, got);
      where = place_of(at, by, rank, disp, there);
      how = {combination::kind::none, {}, 1};
      return;
    }
    const atomic_element element = element_of(at, by, there);
    require_alike(at, by, element, got);
    if (op != constants::no_op) {  // else the origin is not looked at
      require_alike(at, by, element, given);
      what = combined_at(at, by, origin, given);
    }
    before = combined_at(at, by, result, got);
    where = combined_place(at, by, rank, disp, there);
    how = combination_of(at, by, op, element);
  }
};

/// What it does is complete here when this returns.
handle completed(const call& by, window& win, int rank) {
  win.wait_for_results(by, rank);
  return finished_send;
}

constexpr const char* origin_type = "origin_datatype";
constexpr const char* target_type = "target_datatype";
constexpr const char* result_type = "result_datatype";

}  // namespace

void bodies::Put(const call& by, const void* origin_addr, MPI_Count origin_count, type_handle origin_datatype,
                 int target_rank, MPI_Aint target_disp, MPI_Count target_count, type_handle target_datatype,
                 window& win) {
  const std::size_t plain = plain_bytes(origin_count, origin_datatype, target_count, target_datatype);
  if (plain > 0 && origin_addr != nullptr) [[likely]]
    return put(win, by, in_a_row(origin_addr, plain), {target_rank, target_disp, plain, nullptr});
  put(win, by, origin_at(win, by, target_rank, origin_addr, {origin_count, origin_datatype, origin_type}),
      place_of(win, by, target_rank, target_disp, {target_count, target_datatype, target_type}));
}

void bodies::Get(const call& by, void* origin_addr, MPI_Count origin_count, type_handle origin_datatype,
                 int target_rank, MPI_Aint target_disp, MPI_Count target_count, type_handle target_datatype,
                 window& win) {
  const std::size_t plain = plain_bytes(origin_count, origin_datatype, target_count, target_datatype);
  if (plain > 0 && origin_addr != nullptr) [[likely]]
    return get(win, by, in_a_row(origin_addr, plain), {target_rank, target_disp, plain, nullptr});
  get(win, by, origin_at(win, by, target_rank, origin_addr, {origin_count, origin_datatype, origin_type}),
      place_of(win, by, target_rank, target_disp, {target_count, target_datatype, target_type}));
}

void bodies::Accumulate(const call& by, const void* origin_addr, MPI_Count origin_count, type_handle origin_datatype,
                        int target_rank, MPI_Aint target_disp, MPI_Count target_count, type_handle target_datatype,
                        op_handle op, window& win) {
  accumulate_at(win, by, origin_addr, {origin_count, origin_datatype, origin_type}, target_rank, target_disp,
                {target_count, target_datatype, target_type}, op);
}

void bodies::Get_accumulate(const call& by, const void* origin_addr, MPI_Count origin_count,
                            type_handle origin_datatype, void* result_addr, MPI_Count result_count,
                            type_handle result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                            type_handle target_datatype, op_handle op, window& win) {
  const read_and_change wanted(win, by, origin_addr, {origin_count, origin_datatype, origin_type}, result_addr,
                               {result_count, result_datatype, result_type}, target_rank, target_disp,
                               {target_count, target_datatype, target_type}, op);
  accumulate(win, by, wanted.what, &wanted.before, wanted.where, wanted.how);
}

void bodies::Fetch_and_op(const call& by, const void* origin_addr, void* result_addr, type_handle datatype,
                          int target_rank, MPI_Aint target_disp, op_handle op, window& win) {
  const std::size_t plain = row_bytes_of(datatype);
  if (combination how;
      plain > 0 && origin_addr != nullptr && result_addr != nullptr && find_combination(datatype, op, how)) [[likely]] {
    const placed_message before = in_a_row(result_addr, plain);
    return accumulate(win, by, in_a_row(origin_addr, plain), &before, {target_rank, target_disp, plain, nullptr}, how);
  }
  const elements one{1, datatype, "datatype"};
  if (is_of_no_type(target_rank, one)) return access_nobody(win, by);
  if (predefined_of(datatype) == constants::datatype_null)
    win.throw_wrong(by, errc::type, "the datatype is no predefined one");
  const read_and_change wanted(win, by, origin_addr, one, result_addr, one, target_rank, target_disp, one, op);
  accumulate(win, by, wanted.what, &wanted.before, wanted.where, wanted.how);
}

void bodies::Compare_and_swap(const call& by, const void* origin_addr, const void* compare_addr, void* result_addr,
                              type_handle datatype, int target_rank, MPI_Aint target_disp, window& win) {
  if (is_of_no_type(target_rank, {1, datatype, "datatype"})) return access_nobody(win, by);
  const type_handle predefined = predefined_of(datatype);
  const pure_datatype element = base_of(datatype);
  const bool is_wide = predefined == constants::type_integer16 || predefined == constants::type_logical16;
  // The standard has no MPI_CHAR here; other MPIs take it, and programs rely on them.
  const bool may_be = is_wide || integer_kind_of(element) != integer_kind::none || element == PURE_BOOL ||
                      element == PURE_BYTE || element == PURE_CHAR;
  if (!may_be) win.throw_wrong(by, errc::type, "the datatype is no integer, logical or byte");
  check_pointer(by, origin_addr, constants::err_buffer, "origin_addr");
  check_pointer(by, compare_addr, constants::err_buffer, "compare_addr");
  check_pointer(by, result_addr, constants::err_buffer, "result_addr");
  compare_and_swap(win, by, compare_addr, origin_addr, result_addr, is_wide ? 16 : size_of_type(element), target_rank,
                   target_disp);
}

// ---- with a request ----

void bodies::Rput(const call& by, const void* origin_addr, MPI_Count origin_count, type_handle origin_datatype,
                  int target_rank, MPI_Aint target_disp, MPI_Count target_count, type_handle target_datatype,
                  window& win, handle* request) {
  Put(by, origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win);
  *request = completed(by, win, target_rank);
}

void bodies::Rget(const call& by, void* origin_addr, MPI_Count origin_count, type_handle origin_datatype,
                  int target_rank, MPI_Aint target_disp, MPI_Count target_count, type_handle target_datatype,
                  window& win, handle* request) {
  *request = start_get(win, by,
                       origin_at(win, by, target_rank, origin_addr, {origin_count, origin_datatype, origin_type}),
                       place_of(win, by, target_rank, target_disp, {target_count, target_datatype, target_type}));
}

void bodies::Raccumulate(const call& by, const void* origin_addr, MPI_Count origin_count, type_handle origin_datatype,
                         int target_rank, MPI_Aint target_disp, MPI_Count target_count, type_handle target_datatype,
                         op_handle op, window& win, handle* request) {
  Accumulate(by, origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype,
             op, win);
  *request = completed(by, win, target_rank);
}

void bodies::Rget_accumulate(const call& by, const void* origin_addr, MPI_Count origin_count,
                             type_handle origin_datatype, void* result_addr, MPI_Count result_count,
                             type_handle result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                             type_handle target_datatype, op_handle op, window& win, handle* request) {
  const read_and_change wanted(win, by, origin_addr, {origin_count, origin_datatype, origin_type}, result_addr,
                               {result_count, result_datatype, result_type}, target_rank, target_disp,
                               {target_count, target_datatype, target_type}, op);
  if (op == constants::no_op) {
    *request = start_look(win, by, wanted.before, wanted.where, wanted.how);
    return;
  }
  accumulate(win, by, wanted.what, &wanted.before, wanted.where, wanted.how);
  *request = completed(by, win, target_rank);
}

}  // namespace pure::core::mpi
