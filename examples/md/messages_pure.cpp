// The message calls on Pure, through the paper's interface. Because of pure.h every rank runs main(), as a thread.
// Pure's default error handler ends the job, so return codes need no look.
#include <pure.h>

#include "messages.hpp"

namespace md {
namespace {

std::int64_t count(std::size_t bytes) { return static_cast<std::int64_t>(bytes); }

}  // namespace

messages::messages(int&, char**&) : rank_(pure_rank()), size_(pure_size()) {}

messages::~messages() = default;

const char* messages::system() { return "Pure"; }

double messages::wtime_s() { return pure_wtime(); }

void messages::send(std::span<const std::byte> data, int to, int tag) {
  pure_send_msg(data.data(), count(data.size()), PURE_BYTE, to, tag, PURE_COMM_WORLD);
}

std::size_t messages::recv(std::span<std::byte> in, int from, int tag) {
  pure_status status;
  pure_recv_msg(in.data(), count(in.size()), PURE_BYTE, from, tag, PURE_COMM_WORLD, &status);
  return static_cast<std::size_t>(status.bytes);
}

std::size_t messages::sendrecv(std::span<const std::byte> out, int to, std::span<std::byte> in, int from, int tag) {
  pure_status status;
  pure_sendrecv_msg(out.data(), count(out.size()), PURE_BYTE, to, tag, in.data(), count(in.size()), PURE_BYTE, from,
                    tag, PURE_COMM_WORLD, &status);
  return static_cast<std::size_t>(status.bytes);
}

void messages::abort(int code) { pure_abort(code); }

}  // namespace md
