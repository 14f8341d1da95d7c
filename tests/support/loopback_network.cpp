#include "support/loopback_network.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "support/inside_of_network.hpp"

namespace test_support {

using pure::core::network_events;
using pure::core::network_operation;

namespace {

/// A longer payload stays with its sender until it is received, as those of MPIs do.
constexpr std::size_t longest_copied = std::size_t{64} * 1024;

}  // namespace

class loopback_end final : public pure::core::network {
 public:
  loopback_end(loopback_world& of, int process, int processes) : world_(of) {
    peers_.process = process;
    peers_.processes = processes;
    for (int i = 0; i < processes; ++i) {
      const int host = i / of.limits_.processes_per_host;
      peers_.host_of.push_back(host);
      peers_.machine_of.push_back(host);
      if (i % of.limits_.processes_per_host == 0) peers_.host_names.push_back("host" + std::to_string(host));
    }
    peers_.index_on_machine = process % of.limits_.processes_per_host;
    peers_.processes_on_machine = std::min(of.limits_.processes_per_host,
                                           processes - (process - peers_.index_on_machine));
    peers_.largest_tag = of.limits_.largest_tag;
    peers_.message_bytes = of.limits_.message_bytes;
    peers_.piece_bytes = of.limits_.piece_bytes;
    peers_.eager_bytes = of.limits_.eager_bytes;
    peers_.library = "loopback";
  }

  bool send_message(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) override {
    if (bytes > peers_.message_bytes) loopback_is_wrong("a message is too long");
    const inside_of_network::call inside(inside_);
    act();
    const std::lock_guard lock(world_.guard_);
    ++messages_sent;
    check(process, tag);
    const auto* const from = static_cast<const std::byte*>(data);
    last_message = {tag, {from, from + bytes}};
    if (is_late()) {
      world_.messages_[{peers_.process, process}].push_back({tag, from, {}, bytes, &sending});
      return false;
    }
    world_.messages_[{peers_.process, process}].push_back({tag, nullptr, {from, from + bytes}, bytes, nullptr});
    return true;
  }
  bool send(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) override {
    const inside_of_network::call inside(inside_);
    act();
    const std::lock_guard lock(world_.guard_);
    payload_tags.push_back(tag);
    check(process, tag);
    const auto* const from = static_cast<const std::byte*>(data);
    auto& sent = world_.channels_[{peers_.process, process, tag}].sent;
    // A network may copy a short payload that nobody receives yet, or leave it where it is.
    const bool is_copied = bytes <= longest_copied && !world_.hold_sends_[index()] && world_.dice_ && world_.chance(50);
    if (is_copied) {
      sent.push_back({nullptr, {from, from + bytes}, bytes, nullptr});
    } else {
      sent.push_back({from, {}, bytes, &sending});
    }
    world_.match(peers_.process, process, tag);
    if (is_copied) return true;
    return std::erase(done_, &sending) > 0;
  }
  bool send_short(network_operation& sending, int process, int tag, const void* data, std::size_t bytes) override {
    if (bytes > peers_.piece_bytes) loopback_is_wrong("a short payload is longer than a piece");
    return send(sending, process, tag, data, bytes);
  }
  bool receive(network_operation& receiving, int process, int tag, void* data, std::size_t bytes) override {
    const inside_of_network::call inside(inside_);
    const std::lock_guard lock(world_.guard_);
    check(process, tag);
    receiving.cancelled = false;
    world_.channels_[{process, peers_.process, tag}].posted.push_back(
        {static_cast<std::byte*>(data), bytes, &receiving, false});
    world_.match(process, peers_.process, tag);
    return std::erase(done_, &receiving) > 0;
  }
  bool cancel(network_operation& receiving) override {
    const inside_of_network::call inside(inside_);
    const std::lock_guard lock(world_.guard_);
    ++cancels;
    for (auto& [name, its] : world_.channels_) {
      const auto found = std::find_if(its.posted.begin(), its.posted.end(),
                                      [&](const auto& each) { return each.receiving == &receiving; });
      if (found == its.posted.end()) continue;
      if (world_.hold_cancels_[index()] || (world_.dice_ && world_.chance(60))) {
        found->is_taken_back = true;
        return false;
      }
      its.posted.erase(found);
      receiving.cancelled = true;
      return true;
    }
    return false;  // something has come for it, as the next poll reports
  }

  bool poll(network_events& events) override {
    const inside_of_network::poll inside(inside_);
    std::vector<network_operation*> done;
    std::optional<loopback_world::message> next;
    int from = 0;
    {
      const std::lock_guard lock(world_.guard_);
      if (world_.lost_[index()] || (world_.dice_ && world_.chance(30))) return false;
      if (!world_.hold_sends_[index()] && !(world_.dice_ && world_.chance(50))) world_.finish_sends_of(peers_.process);
      if (!world_.hold_cancels_[index()]) take_back_some();
      world_.match_all_to(peers_.process);
      std::swap(done, done_);
      next = next_message(from);
    }
    for (network_operation* const each : done) events.operation_done(*each);
    if (!next) return !done.empty();
    // Aligned to 64, as it is promised.
    alignas(64) thread_local std::byte room[std::size_t{1} << 16];
    if (next->bytes > sizeof room) loopback_is_wrong("a message is longer than this network was made for");
    if (next->bytes > 0) std::memcpy(room, next->copy.data(), next->bytes);
    events.message_arrived(from, next->tag, room, next->bytes);
    return true;
  }

  [[noreturn]] void abort(int) noexcept override { loopback_is_wrong("the job was aborted"); }
  void finalize(int) override {}

  void is_done(network_operation& which) { done_.push_back(&which); }
  void is_done_now(network_operation& which) { std::erase(done_, &which); }

  std::size_t messages_sent = 0, cancels = 0;
  std::vector<int> payload_tags;
  loopback_world::sent_message last_message;
  std::function<void()> at_next_send;
  std::chrono::nanoseconds time_of_send{};

 private:
  [[nodiscard]] std::size_t index() const noexcept { return static_cast<std::size_t>(peers_.process); }
  void check(int process, int tag) const {
    if (process < 0 || process >= peers_.processes || process == peers_.process) loopback_is_wrong("no such process");
    if (tag < 0 || tag > peers_.largest_tag) loopback_is_wrong("no such tag");
  }
  [[nodiscard]] bool is_late() const { return world_.hold_sends_[index()] || (world_.dice_ && world_.chance(30)); }

  void act() {
    std::function<void()> action;
    std::chrono::nanoseconds takes{};
    {
      const std::lock_guard lock(world_.guard_);
      action = std::exchange(at_next_send, nullptr);
      takes = time_of_send;
    }
    if (action) action();
    if (takes.count() == 0) return;
    for (const auto end = std::chrono::steady_clock::now() + takes; std::chrono::steady_clock::now() < end;) {
    }
  }

  void take_back_some() {
    for (auto& [name, its] : world_.channels_) {
      if (std::get<1>(name) != peers_.process) continue;
      for (auto each = its.posted.begin(); each != its.posted.end();) {
        if (!each->is_taken_back || (world_.dice_ && world_.chance(70))) {
          ++each;
          continue;
        }
        each->receiving->cancelled = true;
        is_done(*each->receiving);
        each = its.posted.erase(each);
      }
    }
  }

  std::optional<loopback_world::message> next_message(int& from) {
    std::vector<int> with_some;
    for (int process = 0; process < peers_.processes; ++process) {
      if (process == peers_.process || world_.lost_[static_cast<std::size_t>(process)]) continue;
      const auto& waiting = world_.messages_[{process, peers_.process}];
      if (waiting.empty() || waiting.front().sending != nullptr) continue;  // it has not left
      if (world_.hold_messages_[{process, peers_.process}] && !waiting.front().may_pass) continue;
      if (world_.dice_ && world_.chance(40)) continue;
      with_some.push_back(process);
    }
    if (with_some.empty()) return std::nullopt;
    from = with_some[next_from_++ % with_some.size()];
    auto& waiting = world_.messages_[{from, peers_.process}];
    std::optional<loopback_world::message> next = std::move(waiting.front());
    waiting.pop_front();
    if (world_.damage_[{from, peers_.process}] && next->bytes > 0) next->copy[next->bytes - 1] ^= std::byte{1};
    return next;
  }

  loopback_world& world_;
  std::vector<network_operation*> done_;  // to be reported
  std::size_t next_from_ = 0;
  inside_of_network inside_;
};

// ---- the world ------------------------------------------------------------------------------------------------------

loopback_world::loopback_world(int processes, loopback_limits limits) : limits_(limits) {
  const auto count = static_cast<std::size_t>(processes);
  hold_sends_.resize(count);
  hold_cancels_.resize(count);
  lost_.resize(count);
  for (int process = 0; process < processes; ++process) {
    ends_.push_back(std::make_unique<loopback_end>(*this, process, processes));
  }
}

loopback_world::~loopback_world() = default;

pure::core::network& loopback_world::end(int process) { return *ends_[static_cast<std::size_t>(process)]; }

bool loopback_world::chance(unsigned percent) { return (*dice_)() % 100 < percent; }

void loopback_world::play(std::uint64_t seed) {
  const std::lock_guard lock(guard_);
  dice_.emplace(seed);
}

void loopback_world::hold_messages(int from, int to, bool held) {
  const std::lock_guard lock(guard_);
  hold_messages_[{from, to}] = held;
}
void loopback_world::damage(int from, int to, bool does) {
  const std::lock_guard lock(guard_);
  damage_[{from, to}] = does;
}
std::size_t loopback_world::messages_held(int from, int to) {
  const std::lock_guard lock(guard_);
  return messages_[{from, to}].size();
}
void loopback_world::let_message_pass(int from, int to) {
  const std::lock_guard lock(guard_);
  for (message& each : messages_[{from, to}]) {
    if (each.may_pass) continue;
    each.may_pass = true;
    return;
  }
  loopback_is_wrong("there is no message to let pass");
}
void loopback_world::hold_payloads(int from, int to, bool held) {
  const std::lock_guard lock(guard_);
  hold_payloads_[{from, to}] = held;
}
void loopback_world::hold_sends(int process, bool held) {
  const std::lock_guard lock(guard_);
  hold_sends_[static_cast<std::size_t>(process)] = held;
}
void loopback_world::hold_cancels(int process, bool held) {
  const std::lock_guard lock(guard_);
  hold_cancels_[static_cast<std::size_t>(process)] = held;
}
void loopback_world::lose(int process) {
  const std::lock_guard lock(guard_);
  lost_[static_cast<std::size_t>(process)] = true;
}

void loopback_world::during_next_send(int process, std::function<void()> action) {
  const std::lock_guard lock(guard_);
  ends_[static_cast<std::size_t>(process)]->at_next_send = std::move(action);
}

void loopback_world::take_time(int process, std::chrono::nanoseconds each) {
  const std::lock_guard lock(guard_);
  ends_[static_cast<std::size_t>(process)]->time_of_send = each;
}

std::size_t loopback_world::posted(int process) {
  const std::lock_guard lock(guard_);
  std::size_t count = 0;
  for (const auto& [name, its] : channels_) count += std::get<1>(name) == process ? its.posted.size() : 0;
  return count;
}
std::size_t loopback_world::messages_sent(int process) {
  const std::lock_guard lock(guard_);
  return ends_[static_cast<std::size_t>(process)]->messages_sent;
}
std::size_t loopback_world::payloads_sent(int process) {
  const std::lock_guard lock(guard_);
  return ends_[static_cast<std::size_t>(process)]->payload_tags.size();
}
std::size_t loopback_world::cancels(int process) {
  const std::lock_guard lock(guard_);
  return ends_[static_cast<std::size_t>(process)]->cancels;
}

std::vector<int> loopback_world::payload_tags(int process) {
  const std::lock_guard lock(guard_);
  return ends_[static_cast<std::size_t>(process)]->payload_tags;
}
loopback_world::sent_message loopback_world::last_message(int process) {
  const std::lock_guard lock(guard_);
  return ends_[static_cast<std::size_t>(process)]->last_message;
}

/// Messages that have not left yet do so, in their order, and payloads that nobody has received may be copied.
void loopback_world::finish_sends_of(int process) {
  loopback_end& sender = *ends_[static_cast<std::size_t>(process)];
  for (auto& [name, waiting] : messages_) {
    if (name.first != process) continue;
    for (message& each : waiting) {
      if (each.sending == nullptr) continue;
      each.copy.assign(each.data, each.data + each.bytes);
      sender.is_done(*std::exchange(each.sending, nullptr));
    }
  }
}

/// Payloads of a tag go to its receives, each in their order.
void loopback_world::match(int from, int to, int tag) {
  if (hold_payloads_[{from, to}] || lost_[static_cast<std::size_t>(from)] || lost_[static_cast<std::size_t>(to)])
    return;
  channel& its = channels_[{from, to, tag}];
  while (!its.sent.empty() && !its.posted.empty()) {
    const payload& next = its.sent.front();
    const receive& at = its.posted.front();
    if (next.bytes > at.capacity) loopback_is_wrong("a payload is longer than its receive");
    if (next.bytes < at.capacity && at.capacity > limits_.piece_bytes)
      loopback_is_wrong("a payload is shorter than its receive, which takes several pieces");
    if (next.bytes > 0) std::memcpy(at.data, next.sending == nullptr ? next.copy.data() : next.data, next.bytes);
    if (damage_[{from, to}] && next.bytes > 0) static_cast<std::byte*>(at.data)[next.bytes - 1] ^= std::byte{1};
    at.receiving->bytes = next.bytes;
    at.receiving->cancelled = false;
    ends_[static_cast<std::size_t>(to)]->is_done(*at.receiving);
    if (next.sending != nullptr) ends_[static_cast<std::size_t>(from)]->is_done(*next.sending);
    its.posted.pop_front();
    its.sent.pop_front();
  }
}

void loopback_world::match_all_to(int to) {
  for (auto& [name, its] : channels_) {
    if (std::get<1>(name) == to) match(std::get<0>(name), to, std::get<2>(name));
  }
}

}  // namespace test_support
