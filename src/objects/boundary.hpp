// The boundary between programs and the library at a door whose functions return codes: what becomes of exceptions.
//
//   Error                              its code, if the program wants errors returned; else the job ends with its text
//   std::bad_alloc, std::length_error  the same, as an Error of kind no_memory: there is not so much memory
//   the end of the thread or the job   passes
//   anything else                      has come out of a function of the program, and others may wait for what that did
//                                      not do: the job ends
//
// Where errors are fatal inside pure::run, they go on as exceptions to whoever has called that, and so does the end of
// the job: thrown in the program, which may have a runtime of C++ of its own. A thread that is no worker has nobody to
// hand an error to: the process ends. No exception costs anything until it is thrown.
#pragma once

#include <cxxabi.h>

#include <string>

#include <pure/detail/failure.hpp>
#include <pure/error.hpp>

#include "runtime/rank.hpp"
#include "runtime/thrown.hpp"

namespace pure::core {

/// How one door handles the errors of one worker's calls. Own thread of the worker only.
struct error_state {
  bool returns_errors = false;  // otherwise they are fatal
  std::string last_text;        // of the last error
};

namespace boundaries {

/// The end of a call that has failed.
struct [[nodiscard]] call_outcome {
  errc code;
  detail::failure* passes = nullptr;  // not null: the call returns no code, but passes it on, outside of catch clauses

  [[noreturn]] void pass_on() const;
};

/// Inside a catch clause, of an error or of something else that the call has not caught. `of`: null in a thread that is
/// no worker.
call_outcome settle(error_state* of, const Error& error);
call_outcome settle_other(error_state* of, const char* operation);

/// Inside a catch clause: an exception has come out of a function of the program.
[[noreturn]] void end_job_by_callback(const char* operation);

}  // namespace boundaries

/// Runs a function of the program in the call `operation`: whatever it throws ends the job.
template <class Function>
auto run_callback(const char* operation, Function&& function) -> decltype(function()) {
  return call_program(function, [&]() -> decltype(function()) { boundaries::end_job_by_callback(operation); });
}

/// Door::success                what a call returns that went well
/// Door::code_of(errc)          and one that did not
/// Door::errors_of(worker)      the error_state; a door with handlers of its own for some objects looks for them there
template <class Door>
class boundary {
 public:
  /// Runs the call `operation`, a name that lives for ever.
  template <class Body>
  static int call(const char* operation, Body&& body) {
    boundaries::call_outcome end{};
    try {
      body();
      return Door::success;
    } catch (const Error& error) {
      end = boundaries::settle(errors_of_thread(), error);
    } catch (const abi::__forced_unwind&) {
      throw;
    } catch (...) {
      end = boundaries::settle_other(errors_of_thread(), operation);
    }
    if (end.passes != nullptr) end.pass_on();
    return Door::code_of(end.code);
  }

 private:
  [[gnu::noinline, gnu::cold]] static error_state* errors_of_thread() noexcept {
    const rank_context* const worker = rank_of_thread();
    return worker == nullptr ? nullptr : &Door::errors_of(*worker);
  }
};

}  // namespace pure::core
