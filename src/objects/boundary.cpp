#include "objects/boundary.hpp"

#include <fmt/core.h>

#include <exception>
#include <new>
#include <stdexcept>

#include "runtime/call_error.hpp"
#include "runtime/cut_off_job.hpp"
#include "runtime/job.hpp"

namespace pure::core::boundaries {

namespace {

constexpr char no_memory_text[] = "out of memory";  // so short that a std::string takes none

/// Inside a catch clause. Returns if errors are returned.
void keep_or_end(error_state* of, const char* text) {
  const rank_context* const worker = rank_of_thread();
  if (of == nullptr || worker == nullptr) end_process(text, 1);
  try {
    of->last_text = text;
  } catch (const std::bad_alloc&) {
    of->last_text = no_memory_text;
  }
  if (of->returns_errors) return;
  if (worker->owner().action() == failure_action::end_process) worker->owner().fail(text, 1);
  throw;  // inside pure::run: to its caller
}

/// Inside a catch clause.
errc settle_no_memory(error_state* of, const char* operation) {
  try {
    throw_wrong_call({operation, {}}, errc::no_memory, no_memory_text);
  } catch (const Error& error) {
    keep_or_end(of, error.what());
    return error.code();
  } catch (const std::bad_alloc&) {  // not even for the error
    keep_or_end(of, no_memory_text);
    return errc::no_memory;
  }
}

}  // namespace

errc settle(error_state* of, const Error& error) {
  keep_or_end(of, error.what());
  return error.code();
}

errc settle_other(error_state* of, const char* operation) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return settle_no_memory(of, operation);
  } catch (const std::length_error&) {
    return settle_no_memory(of, operation);
  } catch (const job_ended&) {
    throw;
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
