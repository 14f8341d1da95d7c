#include "runtime/thrown.hpp"

#include <new>

#include <pure/error.hpp>

namespace pure::core {

thrown_text text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return {thrown_kind::error, error.what()};
  } catch (const std::bad_alloc& error) {
    return {thrown_kind::no_memory, error.what()};
  } catch (const std::exception& error) {
    return {thrown_kind::standard, error.what()};
  } catch (...) {
    return {thrown_kind::unknown, "an exception that is no std::exception"};
  }
}

}  // namespace pure::core
