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
/// Between looks whether purerun is still there.
constexpr std::int64_t between_looks_at_starter_ns = 500'000'000;

}  // namespace

void network_meeting::message_arrived(int from_process, int tag, const std::byte* data, std::size_t bytes) {
  kept_.push_back({from_process, tag, {data, data + bytes}});
}

void network_meeting::operation_done(network_operation&) {
  if (together_.is_under_way()) together_.one_is_done();
  is_done_ = !together_.is_under_way();
}

/// Not as ranks wait (runtime/wait.hpp), for there are none, and nothing to steal. `is_done`: what was started is done
/// already.
void network_meeting::wait_until_done(bool is_done) {
  const std::int64_t began_ns = now_ns();
  std::int64_t look_at_ns = began_ns + between_looks_at_starter_ns;
  for (is_done_ = is_done; !is_done_;) {
    if (network_.poll(*this)) continue;
    const std::int64_t now = now_ns();
    if (now - began_ns > eager_ns) std::this_thread::sleep_for(between_looks);
    if (now < look_at_ns) continue;
    network_.look_at_starter();
    look_at_ns = now + between_looks_at_starter_ns;
  }
}

void network_meeting::all_gather(const void* mine, std::size_t bytes, void* all) {
  wait_until_done(together_.start_all_gather(mine, bytes, all));
}

void network_meeting::broadcast(void* data, std::size_t bytes) {
  wait_until_done(together_.start_broadcast(data, bytes));
}

void network_meeting::send(int process, const void* data, std::size_t bytes) {
  network_operation sending;
  wait_until_done(network_.send(sending, process, meeting_tag, data, bytes));
}

void network_meeting::receive(int process, void* data, std::size_t bytes) {
  network_operation receiving;
  wait_until_done(network_.receive(receiving, process, meeting_tag, data, bytes));
}

}  // namespace pure::core
