// pure.h, windows (pure/windows.h): operations.
#include <fmt/core.h>

#include "api/c/buffers.hpp"
#include "api/c/operators.hpp"
#include "api/c/window.hpp"
#include "window/operations.hpp"
#include "window/read_request.hpp"

using pure::errc;
using namespace pure::core;

namespace {

/// What is at the target: `count` elements of a type.
struct at_target {
  int rank;
  std::int64_t disp;
  std::int64_t count;
  pure_datatype type;

  [[nodiscard]] window_place place(const window& of, const call& by) const {
    const communicator& comm = of.comm();
    if (!may_be_derived(type))
      return {rank, disp, bytes_of(comm, by, count, element_bytes_of(comm, by, type)), nullptr};
    const datatype& its = datatype_of(comm, by, type);
    return {rank, disp, bytes_of(comm, by, count, its.form->bytes()), its.is_row() ? nullptr : its.form.get()};
  }
};

/// The basic type of whose elements a type consists. Throws type.
pure_datatype element_of(const window& of, const call& by, pure_datatype type) {
  if (!may_be_derived(type)) {
    element_bytes_of(of.comm(), by, type);
    return type;
  }
  const pure_datatype element = datatype_of(of.comm(), by, type).element();
  if (element == PURE_DATATYPE_NULL)
    of.throw_wrong(by, errc::type, "a derived type of several basic types: atomic operations are on one");
  return element;
}

void require_same_element(const window& of, const call& by, pure_datatype here, pure_datatype there) {
  if (here == there) return;
  of.throw_wrong(by, errc::type,
                 fmt::format("elements of {} here, but of {} there", type_name(here), type_name(there)));
}

combination combination_of(const window& of, const call& by, pure_op op, pure_datatype element) {
  const std::size_t bytes = size_of_type(element);
  if (op == PURE_REPLACE) return {combination::kind::replace, {}, bytes};
  if (op == PURE_NO_OP) return {combination::kind::none, {}, bytes};
  if (!is_built_in(op) && op != PURE_OP_NULL && rank_objects::of(of.owner()).operators.find(op) != nullptr)
    of.throw_wrong(by, errc::op, "a program's own operator: atomic operations take built-in ones only");
  pure::detail::reduction how;
  set_reduction(of.comm(), by, op, element, how);
  return {combination::kind::combine, how, bytes};
}

void put_at(const call& by, const void* origin, std::int64_t count, pure_datatype type, const at_target& there,
            pure_win win) {
  window& to = window_of(by, win);
  put(to, by, placed_at(to.comm(), by, origin, count, type), there.place(to, by));
}

void get_from(const call& by, void* origin, std::int64_t count, pure_datatype type, const at_target& there,
              pure_win win) {
  window& from = window_of(by, win);
  get(from, by, placed_at(from.comm(), by, origin, count, type), there.place(from, by));
}

handle start_get_from(const call& by, void* origin, std::int64_t count, pure_datatype type, const at_target& there,
                      pure_win win) {
  window& from = window_of(by, win);
  return start_get(from, by, placed_at(from.comm(), by, origin, count, type), there.place(from, by));
}

struct in_program {
  const void* buffer;
  std::int64_t count;
  pure_datatype type;
};

void accumulate_at(const call& by, const in_program& origin, const at_target& there, pure_op op, pure_win win) {
  window& at = window_of(by, win);
  if (op == PURE_NO_OP) at.throw_wrong(by, errc::op, "PURE_NO_OP is for operations with a result");
  const pure_datatype element = element_of(at, by, there.type);
  require_same_element(at, by, element_of(at, by, origin.type), element);
  accumulate(at, by, placed_at(at.comm(), by, origin.buffer, origin.count, origin.type), nullptr, there.place(at, by),
             combination_of(at, by, op, element));
}

/// Of get_accumulate: what it does, with its arguments checked.
struct read_and_change {
  window& at;
  placed_message what;
  placed_message before;
  window_place where;
  combination how;

  read_and_change(const call& by, const in_program& origin, const in_program& result, const at_target& there,
                  pure_op op, pure_win win)
      : at(window_of(by, win)) {
    const pure_datatype element = element_of(at, by, there.type);
    require_same_element(at, by, element_of(at, by, result.type), element);
    if (op != PURE_NO_OP) {
      require_same_element(at, by, element_of(at, by, origin.type), element);
      what = placed_at(at.comm(), by, origin.buffer, origin.count, origin.type);
    }
    before = placed_at(at.comm(), by, result.buffer, result.count, result.type);
    where = there.place(at, by);
    how = combination_of(at, by, op, element);
  }
};

/// The form with a request: start() returns it.
template <class Start>
int with_request(const call& by, pure_request* request, Start start) {
  return c_door(by.operation, [&] {
    require_pointer(by, request, "request");
    *request = name_of(start());
  });
}

/// What it does is complete here when this returns.
handle completed(const call& by, pure_win win, int rank) {
  window_of(by, win).wait_for_results(by, rank);
  return finished_send;
}

bool has_bytes_to_compare(pure_datatype type) noexcept {
  return integer_kind_of(type) != integer_kind::none || type == PURE_BOOL || type == PURE_BYTE;
}

}  // namespace

int pure_put(const void* origin, std::int64_t origin_count, pure_datatype origin_type, int rank, std::int64_t disp,
             std::int64_t target_count, pure_datatype target_type, pure_win win, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    put_at(by, origin, origin_count, origin_type, {rank, disp, target_count, target_type}, win);
  });
}

int pure_get(void* origin, std::int64_t origin_count, pure_datatype origin_type, int rank, std::int64_t disp,
             std::int64_t target_count, pure_datatype target_type, pure_win win, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    get_from(by, origin, origin_count, origin_type, {rank, disp, target_count, target_type}, win);
  });
}

int pure_accumulate(const void* origin, std::int64_t origin_count, pure_datatype origin_type, int rank,
                    std::int64_t disp, std::int64_t target_count, pure_datatype target_type, pure_op op, pure_win win,
                    pure_call_site site) {
  return c_call(site, [&](const call& by) {
    accumulate_at(by, {origin, origin_count, origin_type}, {rank, disp, target_count, target_type}, op, win);
  });
}

int pure_get_accumulate(const void* origin, std::int64_t origin_count, pure_datatype origin_type, void* result,
                        std::int64_t result_count, pure_datatype result_type, int rank, std::int64_t disp,
                        std::int64_t target_count, pure_datatype target_type, pure_op op, pure_win win,
                        pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const read_and_change wanted(by, {origin, origin_count, origin_type}, {result, result_count, result_type},
                                 {rank, disp, target_count, target_type}, op, win);
    accumulate(wanted.at, by, wanted.what, &wanted.before, wanted.where, wanted.how);
  });
}

int pure_fetch_and_op(const void* origin, void* result, pure_datatype type, int rank, std::int64_t disp, pure_op op,
                      pure_win win, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    window& at = window_of(by, win);
    const std::size_t bytes = element_bytes_of(at.comm(), by, type);
    require(at.comm(), by, result, "result");
    if (op != PURE_NO_OP) require(at.comm(), by, origin, "origin");
    const placed_message before{result, bytes, {}};
    accumulate(at, by, {const_cast<void*>(origin), op == PURE_NO_OP ? 0 : bytes, {}}, &before,
               {rank, disp, bytes, nullptr}, combination_of(at, by, op, type));
  });
}

int pure_compare_and_swap(const void* origin, const void* compare, void* result, pure_datatype type, int rank,
                          std::int64_t disp, pure_win win, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    window& at = window_of(by, win);
    const std::size_t bytes = element_bytes_of(at.comm(), by, type);
    if (!has_bytes_to_compare(type))
      at.throw_wrong(by, errc::type, fmt::format("{} is no integer, bool or byte", type_name(type)));
    require(at.comm(), by, origin, "origin");
    require(at.comm(), by, compare, "compare");
    require(at.comm(), by, result, "result");
    compare_and_swap(at, by, compare, origin, result, bytes, rank, disp);
  });
}

int pure_rput(const void* origin, std::int64_t origin_count, pure_datatype origin_type, int rank, std::int64_t disp,
              std::int64_t target_count, pure_datatype target_type, pure_win win, pure_request* request,
              pure_call_site site) {
  const call by{"pure_rput", site};
  return with_request(by, request, [&] {
    put_at(by, origin, origin_count, origin_type, {rank, disp, target_count, target_type}, win);
    return completed(by, win, rank);
  });
}

int pure_rget(void* origin, std::int64_t origin_count, pure_datatype origin_type, int rank, std::int64_t disp,
              std::int64_t target_count, pure_datatype target_type, pure_win win, pure_request* request,
              pure_call_site site) {
  const call by{"pure_rget", site};
  return with_request(by, request, [&] {
    return start_get_from(by, origin, origin_count, origin_type, {rank, disp, target_count, target_type}, win);
  });
}

int pure_raccumulate(const void* origin, std::int64_t origin_count, pure_datatype origin_type, int rank,
                     std::int64_t disp, std::int64_t target_count, pure_datatype target_type, pure_op op, pure_win win,
                     pure_request* request, pure_call_site site) {
  const call by{"pure_raccumulate", site};
  return with_request(by, request, [&] {
    accumulate_at(by, {origin, origin_count, origin_type}, {rank, disp, target_count, target_type}, op, win);
    return completed(by, win, rank);
  });
}

int pure_rget_accumulate(const void* origin, std::int64_t origin_count, pure_datatype origin_type, void* result,
                         std::int64_t result_count, pure_datatype result_type, int rank, std::int64_t disp,
                         std::int64_t target_count, pure_datatype target_type, pure_op op, pure_win win,
                         pure_request* request, pure_call_site site) {
  const call by{"pure_rget_accumulate", site};
  return with_request(by, request, [&] {
    const read_and_change wanted(by, {origin, origin_count, origin_type}, {result, result_count, result_type},
                                 {rank, disp, target_count, target_type}, op, win);
    if (op == PURE_NO_OP) return start_look(wanted.at, by, wanted.before, wanted.where, wanted.how);
    accumulate(wanted.at, by, wanted.what, &wanted.before, wanted.where, wanted.how);
    return completed(by, win, rank);
  });
}
