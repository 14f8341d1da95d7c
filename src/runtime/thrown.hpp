// What comes out of functions of the program that Pure calls: what passes, and what is said of the rest. Any thread.
#pragma once

#include <cxxabi.h>

#include <exception>
#include <string>
#include <utility>

#include "runtime/job.hpp"

namespace pure::core {

enum class thrown_kind {
  error,      // pure::Error, whose text names its call
  no_memory,  // std::bad_alloc
  standard,   // another std::exception
  unknown
};

struct thrown_text {
  thrown_kind kind;
  std::string text;  // what(); of an unknown one, that it is one
};
[[nodiscard]] thrown_text text_of(const std::exception_ptr& thrown);

/// Calls a function of the program. The end of the thread and that of the job pass; for anything else otherwise() is
/// called, in the catch clause, and its result is the call's.
template <class Function, class Otherwise>
auto call_program(Function&& function, Otherwise&& otherwise) -> decltype(function()) {
  try {
    return function();
  } catch (const abi::__forced_unwind&) {  // pthread_exit
    throw;
  } catch (const job_ended&) {
    throw;
  } catch (...) {
    return otherwise();
  }
}

}  // namespace pure::core
