// What is wrong with one rank's arguments of a call by which all ranks make something together, as all get to know it:
// the error of one rank is the error of all (communicators: agreement.hpp; windows and aggregations: coll/offers.hpp).
//
// The rank at which something is wrong takes part in the first exchange of the call all the same. There it says, in
// place of what it wants, that its call is refused, and then why. Nobody makes anything, and all throw: that rank its
// own error, the others one that names the rank and has its text. Belongs to the rank that calls.
#pragma once

#include <exception>
#include <optional>
#include <utility>

#include <pure/error.hpp>

#include "base/call.hpp"
#include "comm/communicator.hpp"

namespace pure::core {

/// Sent as bytes; a long text is cut.
class refusal {
 public:
  refusal() = default;
  /// `why`: the error of the call `by`.
  refusal(const Error& why, const call& by) noexcept;

  [[nodiscard]] errc code() const noexcept { return code_; }
  [[nodiscard]] const char* text() const noexcept { return text_; }
  /// What the other ranks throw; `refused`: the rank of `on` at which something is wrong.
  [[nodiscard]] Error error_elsewhere(const communicator& on, const call& by, int refused) const;

 private:
  errc code_ = errc::success;
  char text_[700] = {};  // without the name of the call, and in one line
};

/// Calls check(), which looks at a rank's arguments, and then tell(error), in which the ranks talk to each other. An
/// error of check() is thrown when tell() has returned: inside a handler it would count as an exception on its way.
template <class Check, class Tell>
auto checked_for_all(Check&& check, Tell&& tell) -> decltype(check()) {
  std::optional<Error> wrong;
  std::exception_ptr as_thrown;  // a door's errors say more
  try {
    return check();
  } catch (const Error& error) {
    wrong.emplace(error);
    as_thrown = std::current_exception();
  }
  tell(std::as_const(*wrong));
  std::rethrow_exception(as_thrown);
}

}  // namespace pure::core
