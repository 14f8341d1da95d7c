#include "objects/boundary.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>

#include "objects/rank_objects.hpp"
#include "runtime/call_error.hpp"
#include "runtime/cut_off_job.hpp"
#include "runtime/failure_of_thrown.hpp"
#include "runtime/job.hpp"

namespace pure::core::boundaries {

namespace {

constexpr char no_memory_text[] = "out of memory";  // so short that a std::string takes none

/// In a rank of pure::run; null: the caller is none.
rank_objects* objects_of_run() {
  const rank_context* const worker = rank_of_thread();
  if (worker == nullptr || worker->owner().action() == failure_action::end_process) return nullptr;
  rank_objects& all = rank_objects::of(*worker);
  return all.throw_in_program == nullptr ? nullptr : &all;
}

/// Inside a catch clause: the exception goes on to the program.
call_outcome passing(errc code) {
  if (objects_of_run() == nullptr) throw;
  return {code, detail::failure_of_thrown()};
}

/// Inside a catch clause, of an error with that text.
call_outcome keep_or_end(error_state* of, errc code, const char* text) {
  const rank_context* const worker = rank_of_thread();
  if (of == nullptr || worker == nullptr) end_process(text, 1);
  try {
    of->last_text = text;
  } catch (const std::bad_alloc&) {
    of->last_text = no_memory_text;
  }
  if (of->returns_errors) return {code};
  if (worker->owner().action() == failure_action::end_process) worker->owner().fail(text, 1);
  return passing(code);
}

/// Inside a catch clause.
call_outcome settle_no_memory(error_state* of, const char* operation) {
  try {
    throw_wrong_call({operation, {}}, errc::no_memory, no_memory_text);
  } catch (const Error& error) {
    return keep_or_end(of, error.code(), error.what());
  } catch (const std::bad_alloc&) {  // not even for the error
    return keep_or_end(of, errc::no_memory, no_memory_text);
  }
}

}  // namespace

void call_outcome::pass_on() const {
  objects_of_run()->throw_in_program(passes);
  std::abort();  // it has thrown
}

call_outcome settle(error_state* of, const Error& error) { return keep_or_end(of, error.code(), error.what()); }

call_outcome settle_other(error_state* of, const char* operation) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return settle_no_memory(of, operation);
  } catch (const std::length_error&) {
    return settle_no_memory(of, operation);
  } catch (const job_ended&) {
    return passing(errc::other);
  } catch (...) {
    end_job_by_callback(operation);
  }
}

void end_job_by_callback(const char* operation) {
  rank_context* const worker = rank_of_thread();
  const std::string who = worker == nullptr ? std::string() : fmt::format("{}: ", worker->owner().name_of(*worker));
  const std::string text = fmt::format("{}{}: a function of the program that it calls has thrown: {}", who, operation,
                                       text_of(std::current_exception()).text);
  if (worker == nullptr) end_process(text, 1);
  worker->owner().fail(text, 1, std::current_exception());
  if (self() != nullptr) worker->owner().leave(*worker);
  throw;  // in a handler, or a chunk of a task: whoever has called that leaves
}

}  // namespace pure::core::boundaries
