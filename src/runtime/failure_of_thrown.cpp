#include "runtime/failure_of_thrown.hpp"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>

#include <pure/error.hpp>

#include "runtime/job.hpp"
#include "runtime/program_exception.hpp"

namespace pure::detail {

namespace {

/// In memory of malloc, its text behind it.
struct made_failure : failure {
  explicit made_failure(const failure& from) noexcept : failure(from) {}
  ~made_failure() {
    if (original == &passed) std::destroy_at(reinterpret_cast<std::exception_ptr*>(passed.thrown));
  }

  std::exception_ptr keeps;  // what `original` is in
  kept_exception passed{};
};

failure no_memory_for_failure{failure_kind::no_memory, 0, "", {}, nullptr};  // constant

/// Null if there is no memory.
made_failure* make_failure(const failure& from, const char* text = "") noexcept {
  const std::size_t length = std::strlen(text);
  void* const memory = std::malloc(sizeof(made_failure) + length + 1);
  if (memory == nullptr) return nullptr;
  auto* const made = ::new (memory) made_failure(from);
  char* const copy = static_cast<char*>(memory) + sizeof(made_failure);
  std::memcpy(copy, text, length + 1);
  made->text = copy;
  return made;
}

failure* or_no_memory(made_failure* made) noexcept { return made != nullptr ? made : &no_memory_for_failure; }

/// Keeps the exception that is handled, in which `original` is.
failure* make_failure_of(kept_exception& original) noexcept {
  made_failure* const made = make_failure({failure_kind::unknown, 0, "", {}, &original});
  if (made != nullptr) made->keeps = std::current_exception();
  return or_no_memory(made);
}

/// An exception has come past pure.h, whose functions take callbacks as they are: it is the program's own.
failure* make_failure_of_passed() noexcept {
  made_failure* const made = make_failure({failure_kind::unknown, 0, "", {}, nullptr});
  if (made != nullptr) {
    ::new (static_cast<void*>(made->passed.thrown)) std::exception_ptr(std::current_exception());
    made->original = &made->passed;
  }
  return or_no_memory(made);
}

}  // namespace

failure* failure_of_thrown() noexcept {
  try {
    throw;
  } catch (const core::program_exception& stands_for) {
    return make_failure_of(stands_for.original());
  } catch (const core::job_ended&) {
    return or_no_memory(make_failure({failure_kind::job_ended, 0, "", {}, nullptr}));
  } catch (const Error& error) {
    const int code = static_cast<int>(error.code());
    return or_no_memory(make_failure({failure_kind::error, code, "", error.site(), nullptr}, error.what()));
  } catch (const std::bad_alloc&) {
    return &no_memory_for_failure;
  } catch (const std::length_error& error) {
    return or_no_memory(make_failure({failure_kind::length, 0, "", {}, nullptr}, error.what()));
  } catch (...) {
    return make_failure_of_passed();
  }
}

void pure_cxx_release(failure* made) noexcept {
  if (made == &no_memory_for_failure) return;
  auto* const whole = static_cast<made_failure*>(made);
  whole->~made_failure();
  std::free(whole);
}

void pure_cxx_throw(const failure* thrown) { core::throw_for_program(*thrown); }

}  // namespace pure::detail
