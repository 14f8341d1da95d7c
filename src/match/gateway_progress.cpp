// The gateway, for ranks that compute: large messages are received before anybody has asked for them, so that their
// senders need not wait.
#include "base/clock.hpp"
#include "match/gateway.hpp"
#include "runtime/job.hpp"

namespace pure::core {

namespace {

/// A message that nobody has asked for in this time has a receiver that computes, or has posted no receive.
constexpr std::int64_t between_looks_ns = 200'000;

}  // namespace

bool gateway::poll_for_busy_ranks() {
  bool is_busy = poll(nullptr);
  {
    const network_visit visit(lock_);
    if (!visit) return is_busy;  // somebody else is there, and polls
    const std::int64_t now = now_ns();
    if (now >= next_look_ns_) {
      next_look_ns_ = now + between_looks_ns;
      receive_unrequested();
    }
    is_busy |= payloads_on_their_way_.read() > 0;
  }
  serve_newcomers();
  return is_busy;
}

/// Starts to receive those that were there at the look before, as far as there is memory for them.
void gateway::receive_unrequested() {
  std::vector<remote_payload*> chosen;
  for (const auto& each : payloads_.all()) {
    if (!each->is_unreceived || each->is_posted || each->is_here || each->is_requested) continue;
    if (std::exchange(each->was_seen, true)) chosen.push_back(each.get());
  }
  for (remote_payload* const each : chosen) {
    if (each->is_posted) continue;  // with one before it
    if (unrequested_bytes_ + each->bytes <= job_->values().async_progress_bytes) post(*each);
  }
}

}  // namespace pure::core
