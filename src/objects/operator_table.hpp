// The reduction operators that one rank has made, by the handles that programs hold. Own thread of the rank only.
//
// Who knows how a program's function is called is the door that the function came through: a door has a class for its
// functions, and the table keeps an object of it for each function. That object lives until the end of the rank, for
// operations that are pending when the operator is freed: no number of operators takes more memory than the program has
// functions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>

#include <pure/datatypes.h>
#include <pure/detail/collectives.hpp>

#include "objects/object_table.hpp"
#include "objects/program_combination.hpp"

namespace pure::core {

/// How a program's function combines elements.
class program_operator {
 public:
  program_operator() = default;
  program_operator(const program_operator&) = delete;  // reductions point into it
  program_operator& operator=(const program_operator&) = delete;
  virtual ~program_operator() = default;

  /// Of a basic type. The operator must outlive the reduction.
  [[nodiscard]] virtual detail::reduction on(pure_datatype type) const noexcept = 0;
  /// Of a derived one, as its door names it: of elements that follow one another.
  [[nodiscard]] virtual program_combination on_derived(std::uint64_t type) const noexcept = 0;
};

class operator_table {
 public:
  /// A function of a program, which only its door can call.
  using any_function = void (*)();
  /// `names`: a function of the door's own, for which it is called, or null.
  using maker = std::unique_ptr<const program_operator> (*)(any_function function, any_function names);

  explicit operator_table(int rank, std::size_t most = object_table<const program_operator*>::most_of_all)
      : made_(handle_kind::reduction, rank, most) {}

  /// `make`: of the function's door; called once for each function. Throws std::length_error, std::bad_alloc.
  std::uint64_t add(any_function function, maker make, any_function names = nullptr) {
    const auto [known, is_new] = by_function_.try_emplace({make, function, names});
    if (is_new || known->second == nullptr) known->second = make(function, names);
    return made_.add(known->second.get());
  }
  /// Null: the rank has no operator of that handle. Built-in ones have none.
  [[nodiscard]] const program_operator* find(std::uint64_t name) noexcept {
    const program_operator* const* const found = made_.find(name);
    return found == nullptr ? nullptr : *found;
  }
  /// The handle is one that find() knows.
  void free(std::uint64_t name) noexcept { made_.free(name); }

  [[nodiscard]] std::size_t live() const noexcept { return made_.live(); }
  /// How many functions have been operators so far.
  [[nodiscard]] std::size_t functions() const noexcept { return by_function_.size(); }

 private:
  std::map<std::tuple<maker, any_function, any_function>, std::unique_ptr<const program_operator>> by_function_;
  object_table<const program_operator*> made_;
};

}  // namespace pure::core
