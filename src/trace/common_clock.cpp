#include "trace/common_clock.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/clock.hpp"

namespace pure::core {

clock_offset clock_offset::of(std::span<const clock_round_trip> round_trips) noexcept {
  const auto length = [](const clock_round_trip& each) { return each.received_ns - each.sent_ns; };
  const clock_round_trip& best = *std::min_element(
      round_trips.begin(), round_trips.end(),
      [&](const clock_round_trip& a, const clock_round_trip& b) { return length(a) < length(b); });
  const std::int64_t half_ns = length(best) / 2;
  return {.at_ns = best.theirs_ns,
          .ahead_ns = best.theirs_ns - (best.sent_ns + half_ns),
          .uncertainty_ns = length(best) - half_ns};
}

void common_clock::look(process_meeting& all) {
  host_ = all.host_of(all.process());
  std::vector<clock_offset> found(all.host_names().size());
  int host = 0;  // whose first process comes next; one after the other, so that none waits for an answer to another
  for (int process = 0; process < all.processes(); ++process) {
    if (all.host_of(process) != host) continue;
    const int looked_at = host++;
    if (looked_at == 0) continue;
    std::array<clock_round_trip, round_trips> trips;
    for (clock_round_trip& trip : trips) {
      if (all.process() == 0) {
        trip.sent_ns = now_ns();
        all.send_value(process, trip.sent_ns);
        trip.theirs_ns = all.receive_value<std::int64_t>(process);
        trip.received_ns = now_ns();
      } else if (all.process() == process) {
        static_cast<void>(all.receive_value<std::int64_t>(0));
        all.send_value(0, now_ns());
      }
    }
    found[static_cast<std::size_t>(looked_at)] = clock_offset::of(trips);
  }
  if (found.size() > 1) all.broadcast(found.data(), found.size() * sizeof found.front());
  (first_.empty() ? first_ : last_) = std::move(found);
}

std::int64_t common_clock::from_here(std::int64_t here_ns) const noexcept { return from(host_, here_ns); }

std::int64_t common_clock::from(int host, std::int64_t there_ns) const noexcept {
  if (host == 0) return there_ns;
  const auto at = static_cast<std::size_t>(host);
  const clock_offset& first = first_[at];
  if (last_.empty() || last_[at].at_ns <= first.at_ns) return there_ns - first.ahead_ns;
  const clock_offset& last = last_[at];
  const double part = static_cast<double>(there_ns - first.at_ns) / static_cast<double>(last.at_ns - first.at_ns);
  const double drifted_ns = static_cast<double>(last.ahead_ns - first.ahead_ns) * std::clamp(part, 0.0, 1.0);
  return there_ns - first.ahead_ns - std::llround(drifted_ns);
}

std::int64_t common_clock::uncertainty_ns() const noexcept {
  std::int64_t most_ns = 0;
  for (const std::vector<clock_offset>* const look : {&first_, &last_}) {
    for (const clock_offset& each : *look) most_ns = std::max(most_ns, each.uncertainty_ns);
  }
  return most_ns;
}

}  // namespace pure::core
