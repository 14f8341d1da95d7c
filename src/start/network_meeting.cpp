#include "start/network_meeting.hpp"

#include <chrono>
#include <thread>

#include "base/clock.hpp"

namespace pure::core {

namespace {

/// No job has payloads under way while processes meet: any tag is free.
constexpr int meeting_tag = 0;
/// How long a call looks without a pause. Then the other process is not there yet, and may need the core.
constexpr std::int64_t eager_ns = 1'000'000;
constexpr std::chrono::microseconds between_looks(20);

}  // namespace

void network_meeting::message_arrived(int from_process, int tag, const std::byte* data, std::size_t bytes) {
  kept_.push_back({from_process, tag, {data, data + bytes}});
}

void network_meeting::operation_done(network_operation& done) { *static_cast<bool*>(done.owner) = true; }

/// Starts an operation, and waits for it: not as ranks do (runtime/wait.hpp), for there are none, and nothing to steal.
template <class Start>
void network_meeting::complete(Start start) {
  bool is_done = false;
  network_operation operation;
  operation.owner = &is_done;
  if (start(operation)) return;
  const std::int64_t began_ns = now_ns();
  while (!is_done) {
    if (!network_.poll(*this) && now_ns() - began_ns > eager_ns) std::this_thread::sleep_for(between_looks);
  }
}

void network_meeting::all_gather(const void* mine, std::size_t bytes, void* all) {
  complete([&](network_operation& gathering) {
    return network_.all_gather(gathering, network::everyone, mine, bytes, all);
  });
}

void network_meeting::broadcast(void* data, std::size_t bytes) {
  complete([&](network_operation& sharing) { return network_.broadcast(sharing, network::everyone, 0, data, bytes); });
}

void network_meeting::send(int process, const void* data, std::size_t bytes) {
  complete([&](network_operation& sending) { return network_.send(sending, process, meeting_tag, data, bytes); });
}

void network_meeting::receive(int process, void* data, std::size_t bytes) {
  complete(
      [&](network_operation& receiving) { return network_.receive(receiving, process, meeting_tag, data, bytes); });
}

}  // namespace pure::core
