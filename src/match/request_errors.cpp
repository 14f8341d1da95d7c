#include "match/request_errors.hpp"

#include <fmt/core.h>

#include "base/text.hpp"
#include "match/fixed_requests.hpp"
#include "runtime/call_error.hpp"
#include "runtime/job.hpp"

namespace pure::core {

void throw_wrong_request(const call& by, const rank_context& self, const std::string& text) {
  throw call_error(by, errc::request, fmt::format("rank {}: {}", self.number(), text));
}

void throw_invalid_request(const call& by, const rank_context& self, handle request) {
  const int me = self.number();
  const auto owner = static_cast<int>(request.rank());
  std::string text;
  if (request.generation() == 0 || owner >= self.owner().size()) {
    text += fmt::format("{:#x} is not a request: was the variable ever given to a non-blocking call?",
                        request == not_a_request ? 0 : request.value);
  } else if (owner != me) {
    text += fmt::format("the request belongs to rank {}: only the rank that started an operation can complete it",
                        owner);
  } else {
    text +=
        "the request has been completed or freed already: wait and test set the variable to the null request, but "
        "not its copies";
  }
  throw_wrong_request(by, self, text);
}

void throw_receive_error(const call& by, int rank, const status& result) {
  std::string text;
  if (result.error == errc::truncate) {
    text = fmt::format(
        "message truncated: rank {} received {} bytes from rank {}, tag {}, into a buffer of {} bytes; make the "
        "buffer at least as large as the message",
        rank, result.sent_bytes, result.source, result.tag, result.bytes);
  } else if (result.serialized != nullptr) {
    text = fmt::format(
        "type mismatch: rank {} received plain data from rank {}, tag {}, but rank {} has sent a serialized {} ({} "
        "bytes); receive it with recv_into(pure::serialized(object), ...) of <pure/serialized.hpp>",
        rank, result.source, result.tag, result.source, type_name(result.serialized), result.sent_bytes);
  } else {
    text = fmt::format(
        "type mismatch: the message of {} bytes that rank {} received from rank {}, tag {}, is no whole number of the "
        "elements asked for; use the sender's type",
        result.sent_bytes, rank, result.source, result.tag);
  }
  throw call_error(by, result.error, text);
}

}  // namespace pure::core
