// Notes with what arguments a datatype is made, argument by argument, as MPI_Type_get_contents gives them back
// (MPI 5.0, 5.1.13): a call whose counts are 64 bits wide keeps these apart from its other integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "api/mpi/arguments.hpp"
#include "api/mpi/types.hpp"
#include "objects/type_contents.hpp"

namespace pure::core::mpi {

class type_record {
 public:
  type_record(type_combiner combiner, call_form form) : is_large_(form == call_form::large) {
    all_.combiner = combiner;
  }

  type_record& count(std::int64_t value) {
    (is_large_ ? all_.large_counts : all_.integers).push_back(value);
    return *this;
  }
  type_record& counts(number_array values, std::int64_t count_of_them) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count_of_them); ++i) count(values[i]);
    return *this;
  }
  /// An int in both forms.
  type_record& number(int value) {
    all_.integers.push_back(value);
    return *this;
  }
  type_record& numbers(const int values[], int count_of_them) {
    all_.integers.insert(all_.integers.end(), values, values + count_of_them);
    return *this;
  }
  /// An MPI_Aint, or an MPI_Count.
  type_record& address(std::int64_t value) {
    (is_large_ ? all_.large_counts : all_.addresses).push_back(value);
    return *this;
  }
  type_record& addresses(number_array values, std::int64_t count_of_them) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count_of_them); ++i) address(values[i]);
    return *this;
  }
  type_record& type(type_handle name, const datatype& what) {
    if (find_predefined(name) != nullptr) {
      all_.types.push_back({name.value, nullptr});
    } else {
      all_.types.push_back({0, std::make_shared<const datatype>(what)});
    }
    return *this;
  }

  [[nodiscard]] type_contents done() { return std::move(all_); }

 private:
  type_contents all_;
  const bool is_large_;
};

}  // namespace pure::core::mpi
