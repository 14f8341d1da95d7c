#include "runtime/program_exception.hpp"

#include <exception>
#include <new>
#include <stdexcept>

#include <pure/error.hpp>

namespace pure::core {

program_exception::program_exception(const detail::failure& thrown) noexcept {
  original_.move = thrown.original->move;
  original_.destroy = thrown.original->destroy;
  original_.move(original_.thrown, thrown.original->thrown);
}

program_exception::~program_exception() { original_.destroy(original_.thrown); }

namespace {

// The owner first: an Error needs memory for its text.
struct error_of_program final : program_exception, Error {
  explicit error_of_program(const detail::failure& thrown)
      : program_exception(thrown), Error(static_cast<errc>(thrown.code), thrown.text, thrown.site) {}
};

struct length_error_of_program final : program_exception, std::length_error {
  explicit length_error_of_program(const detail::failure& thrown)
      : program_exception(thrown), std::length_error(thrown.text) {}
};

/// The text is what() of the original.
template <class Standard>
struct standard_of_program final : program_exception, Standard {
  explicit standard_of_program(const detail::failure& thrown) noexcept : program_exception(thrown), text(thrown.text) {}
  [[nodiscard]] const char* what() const noexcept override { return text; }
  const char* text;
};

struct unknown_of_program final : program_exception {
  explicit unknown_of_program(const detail::failure& thrown) noexcept : program_exception(thrown) {}
};

}  // namespace

void throw_for_program(const detail::failure& thrown) {
  switch (thrown.kind) {
    case detail::failure_kind::error: throw error_of_program(thrown);
    case detail::failure_kind::no_memory: throw standard_of_program<std::bad_alloc>(thrown);
    case detail::failure_kind::length: throw length_error_of_program(thrown);
    case detail::failure_kind::standard: throw standard_of_program<std::exception>(thrown);
    case detail::failure_kind::job_ended: throw job_ended();
    case detail::failure_kind::unknown: break;
  }
  throw unknown_of_program(thrown);
}

}  // namespace pure::core
