#include "api/mpi/operators.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <complex>
#include <cstring>
#include <memory>

#include "api/mpi/bodies.hpp"
#include "api/mpi/door_state.hpp"
#include "api/mpi/types.hpp"
#include "coll/operators.hpp"
#include "objects/boundary.hpp"
#include "objects/rank_objects.hpp"
#include "objects/unknown_handle.hpp"
#include "runtime/call_error.hpp"

namespace pure::core::mpi {

namespace {

struct known_operator {
  MPI_Op name;
  pure_op op;
  const char* text;
};

const known_operator* find_known(MPI_Op op) noexcept {
  static const known_operator all[] = {{MPI_SUM, PURE_SUM, "MPI_SUM"},
                                       {MPI_PROD, PURE_PROD, "MPI_PROD"},
                                       {MPI_MIN, PURE_MIN, "MPI_MIN"},
                                       {MPI_MAX, PURE_MAX, "MPI_MAX"},
                                       {MPI_LAND, PURE_LAND, "MPI_LAND"},
                                       {MPI_LOR, PURE_LOR, "MPI_LOR"},
                                       {MPI_LXOR, PURE_LXOR, "MPI_LXOR"},
                                       {MPI_BAND, PURE_BAND, "MPI_BAND"},
                                       {MPI_BOR, PURE_BOR, "MPI_BOR"},
                                       {MPI_BXOR, PURE_BXOR, "MPI_BXOR"},
                                       {MPI_MINLOC, PURE_MINLOC, "MPI_MINLOC"},
                                       {MPI_MAXLOC, PURE_MAXLOC, "MPI_MAXLOC"},
                                       {MPI_REPLACE, PURE_REPLACE, "MPI_REPLACE"},
                                       {MPI_NO_OP, PURE_NO_OP, "MPI_NO_OP"}};
  for (const known_operator& each : all) {
    if (each.name == op) return &each;
  }
  return nullptr;
}

/// An operator of MPI_Op_create, for the other doors.
template <bool is_large>
class mpi_operator final : public program_operator {
 public:
  explicit mpi_operator(operator_table::any_function function) {
    for (std::size_t i = 0; i < predefined_types.size(); ++i) {
      const predefined_type& known = predefined_types[i];
      if (known.name == nullptr || known.base == PURE_DATATYPE_NULL) continue;
      program_combination& its = of_type_[known.base];
      if (its.type != nullptr) continue;
      its = {.function = function,
             .is_large = is_large,
             .type = name_of_object<MPI_Datatype>(first_type + i),
             .element_bytes = type_forms[known.base].bytes};
    }
  }
  [[nodiscard]] detail::reduction on(pure_datatype type) const noexcept override {
    return {
        .combine = program_combination::combine, .context = &of_type_[type], .element_bytes = type_forms[type].bytes};
  }

 private:
  std::array<program_combination, PURE_LONG_DOUBLE_INT + 1> of_type_;
};

template <bool is_large>
std::unique_ptr<const program_operator> make_operator(operator_table::any_function function) {
  return std::make_unique<mpi_operator<is_large>>(function);
}

// ---- elements that pure.h has no type for ----

template <class T, class Combine>
void combine_each(const void* left, const void* right, void* out, std::size_t count, Combine combine) {
  for (std::size_t i = 0; i < count; ++i) {
    const T result = combine(static_cast<const T*>(left)[i], static_cast<const T*>(right)[i]);
    static_cast<T*>(out)[i] = result;
  }
}

template <class T>
struct value_and_place {
  T value, place;
};

template <class T, bool is_least>
void combine_places(const void*, const void* left, const void* right, void* out, std::size_t count) {
  using pair = value_and_place<T>;
  combine_each<pair>(left, right, out, count, [](const pair& a, const pair& b) {
    if (a.value == b.value) return pair{a.value, std::min(a.place, b.place)};
    return (a.value < b.value) == is_least ? a : b;
  });
}

template <class T>
void combine_sums(const void*, const void* left, const void* right, void* out, std::size_t count) {
  combine_each<T>(left, right, out, count, [](const T& a, const T& b) { return T(a + b); });
}
template <class T>
void combine_products(const void*, const void* left, const void* right, void* out, std::size_t count) {
  combine_each<T>(left, right, out, count, [](const T& a, const T& b) { return T(a * b); });
}

bool find_other(pure_op op, MPI_Datatype type, detail::reduction& found) noexcept {
  if (type == MPI_C_LONG_DOUBLE_COMPLEX || type == MPI_CXX_LONG_DOUBLE_COMPLEX) {
    using complex = std::complex<long double>;
    if (op == PURE_SUM) found = {.combine = combine_sums<complex>, .element_bytes = sizeof(complex)};
    if (op == PURE_PROD) found = {.combine = combine_products<complex>, .element_bytes = sizeof(complex)};
  } else if (type == MPI_2REAL) {
    if (op == PURE_MINLOC) found = {.combine = combine_places<float, true>, .element_bytes = 2 * sizeof(float)};
    if (op == PURE_MAXLOC) found = {.combine = combine_places<float, false>, .element_bytes = 2 * sizeof(float)};
  } else if (type == MPI_2DOUBLE_PRECISION) {
    if (op == PURE_MINLOC) found = {.combine = combine_places<double, true>, .element_bytes = 2 * sizeof(double)};
    if (op == PURE_MAXLOC) found = {.combine = combine_places<double, false>, .element_bytes = 2 * sizeof(double)};
  }
  return found.combine != nullptr;
}

}  // namespace

const char* name_of_operator(MPI_Op op) noexcept {
  const known_operator* const known = find_known(op);
  return known == nullptr ? "an operator" : known->text;
}

void program_combination::call(const void* in, void* inout, std::int64_t count) const {
  const std::byte* from = static_cast<const std::byte*>(in) - first_byte;
  std::byte* to = static_cast<std::byte*>(inout) - first_byte;
  MPI_Datatype named = type;
  // What it throws ends the job (objects/boundary.hpp).
  run_callback("the function of MPI_Op_create", [&] {
    if (is_large) {
      MPI_Count all = count;
      reinterpret_cast<MPI_User_function_c*>(function)(const_cast<std::byte*>(from), to, &all, &named);
      return;
    }
    while (count > 0) {  // the whole vector is one call: it fits, for only 32-bit counts come without a large form
      int now = static_cast<int>(std::min<std::int64_t>(count, INT_MAX));
      reinterpret_cast<MPI_User_function*>(function)(const_cast<std::byte*>(from), to, &now, &named);
      count -= now;
      from += static_cast<std::size_t>(now) * element_bytes;
      to += static_cast<std::size_t>(now) * element_bytes;
    }
  });
}

void program_combination::combine(const void* context, const void* left, const void* right, void* out,
                                  std::size_t count) {
  const auto& how = *static_cast<const program_combination*>(context);
  const std::size_t bytes = count * how.element_bytes;
  const std::int64_t elements = how.whole_vector != 0 ? how.whole_vector : static_cast<std::int64_t>(count);
  if (out != left) {
    if (out != right) std::memcpy(out, right, bytes);
    return how.call(left, out, elements);
  }
  // The function has its result in the place of `right`, which is not to be changed.
  const auto copy = std::make_unique<std::byte[]>(bytes);
  std::memcpy(copy.get(), right, bytes);
  how.call(left, copy.get(), elements);
  std::memcpy(out, copy.get(), bytes);
}

given_operator operator_of(const call& by, MPI_Op op) {
  if (const known_operator* const known = find_known(op); known != nullptr) return {.built_in = known->op};
  rank_context& rank = rank_here(by);
  const auto& all = door_state::of(rank).operators;
  const auto found = all.find(core_handle(op));
  if (found == all.end()) {
    throw_wrong_call(by, errc::op,
                     op == MPI_OP_NULL ? std::string("the operator is MPI_OP_NULL")
                                       : why_unknown(rank, reinterpret_cast<std::uintptr_t>(op), "operator"));
  }
  return {PURE_OP_NULL, found->second.function, found->second.is_large};
}

detail::reduction built_in_reduction(const call& by, MPI_Op op, pure_op built_in, MPI_Datatype type) {
  detail::reduction found;
  if (built_in == PURE_REPLACE || built_in == PURE_NO_OP)
    throw_wrong_call(by, errc::op, fmt::format("{} is for windows only", name_of_operator(op)));
  const pure_datatype base = base_of(type);
  if (base == PURE_DATATYPE_NULL && find_predefined(type) == nullptr)
    throw_wrong_call(by, errc::op, fmt::format("{} is not defined for derived datatypes", name_of_operator(op)));
  const bool is_found = base == PURE_DATATYPE_NULL
                            ? find_other(built_in, type, found)
                            : find_reduction(built_in, base, found) || find_reduction(built_in, as_number(base), found);
  if (!is_found) {
    const predefined_type* const known = find_predefined(type);
    throw_wrong_call(
        by, errc::op,
        fmt::format("{} is not defined for {}", name_of_operator(op), known == nullptr ? "the datatype" : known->name));
  }
  return found;
}

// ---- made and freed ----

void bodies::Op_create(const call& by, program_function user_fn, int commute, MPI_Op* op) {
  check_pointer(by, reinterpret_cast<const void*>(user_fn.address()), MPI_ERR_ARG, "user_fn");
  rank_context& rank = rank_here(by);
  const std::uint64_t made = rank_objects::of(rank).operators.add(
      user_fn.address(), user_fn.is_large() ? make_operator<true> : make_operator<false>);
  door_state::of(rank).operators[made] = {user_fn.address(), user_fn.is_large(), commute != 0};
  *op = name_of_object<MPI_Op>(made);
}

void bodies::Op_free(const call& by, MPI_Op* op) {
  if (operator_of(by, *op).built_in != PURE_OP_NULL)
    throw_wrong_call(by, errc::op, fmt::format("{} is predefined", name_of_operator(*op)));
  rank_context& rank = rank_here(by);
  rank_objects::of(rank).operators.free(core_handle(*op));
  door_state::of(rank).operators.erase(core_handle(*op));
  *op = MPI_OP_NULL;
}

void bodies::Op_commutative(const call& by, MPI_Op op, int* commute) {
  const given_operator given = operator_of(by, op);
  *commute = given.built_in != PURE_OP_NULL ? given.built_in != PURE_REPLACE && given.built_in != PURE_NO_OP
                                            : door_state::of(rank_here(by)).operators.at(core_handle(op)).commutes;
}

void bodies::Reduce_local(const call& by, const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype,
                          MPI_Op op) {
  const given_operator given = operator_of(by, op);
  const core::datatype& type = committed_type_of(by, datatype, "datatype");
  if (inbuf == MPI_IN_PLACE || inoutbuf == MPI_IN_PLACE)
    throw_wrong_call(by, errc::buffer, "MPI_IN_PLACE has no meaning here");
  communicator& world = world_of(by);
  const placed_message in = placed_data(world, by, inbuf, count, type);
  const placed_message inout = placed_data(world, by, inoutbuf, count, type);
  if (in.bytes > 0 && in.base == inout.base) throw_wrong_call(by, errc::buffer, "inbuf and inoutbuf are the same");
  if (given.built_in != PURE_OP_NULL) {
    const detail::reduction how = built_in_reduction(by, op, given.built_in, datatype);
    if (count > 0) how.combine(how.context, inbuf, inoutbuf, inoutbuf, static_cast<std::size_t>(count));
  } else if (in.bytes > 0) {
    const program_combination how{.function = given.function,
                                  .is_large = given.is_large,
                                  .type = datatype,
                                  .element_bytes = static_cast<std::size_t>(type.form->extent())};
    how.call(in.base, inout.base, count);
  }
}

}  // namespace pure::core::mpi
