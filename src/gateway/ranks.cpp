// The gateway, what ranks call, and the thread that stands in for ranks which compute.
#include <mutex>
#include <utility>

#include "base/clock.hpp"
#include "gateway/gateway.hpp"
#include "match/unreceived.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

using expectation = arriving_message::expectation;

namespace {

/// A message that nobody has asked for in this time has a receiver that computes, or has posted no receive.
constexpr std::int64_t between_looks_ns = 200'000;

}  // namespace

outbound_ring& gateway::connect(const rank_context& from, int to) {
  local_end& end = context_.end_of(from);
  auto* const made = new out_link(*this, end, from.number(), to, context_.placement.process_of(to),
                                  context_.ring_bytes);
  end.announced.push(*made);
  return *made;
}

gateway::departure gateway::send_now(outbound_ring& from, const bare_message& what) noexcept {
  out_link& link = static_cast<out_link&>(from);
  if (what.bytes < context_.not_packed_from() && context_.pace.is_too_soon()) return departure::refused;
  if (!context_.ways.direct) return departure::refused;
  departure its = departure::refused;
  {
    const network_visit visit(lock_);
    if (!visit) return departure::refused;
    // Before what else has been left at this end: that has been said, and is looked for below.
    its = out_.send_directly(link, what);
  }
  serve_newcomers();
  return its;
}

void gateway::request(arriving_message& wanted) noexcept {
  local_end& end = context_.end_of(*wanted.receiver);
  end.requested.push(static_cast<announced_payload&>(wanted));
  serve_own(end);
}

arriving_message* gateway::expect(rank_context& by, int from, std::uint32_t context, std::int32_t tag, void* into,
                                  std::size_t capacity, ring& way) noexcept {
  arriving_message* made = nullptr;
  {
    const network_visit visit(lock_);
    if (!visit) return nullptr;
    made = foreseen_.expect(by, from, context, tag, into, capacity, way);
  }
  serve_newcomers();
  return made;
}

/// Short, and not by the one wait: that throws when the job has failed, and then receives are withdrawn as well.
void gateway::stop_expecting(arriving_message& expected) noexcept {
  // acquire: what has been decided; pairs with the releases in foreseen_receives::announce() and done()
  while (expected.state.load(std::memory_order_acquire) == expectation::waiting) {
    {
      const network_visit visit(lock_);
      if (visit && expected.state.load(std::memory_order_relaxed) == expectation::waiting)
        foreseen_.give_up(static_cast<foreseen_receive&>(expected));
    }
    if (!poll(nullptr)) let_others_run(*expected.receiver);
  }
}

void gateway::release(arriving_message& received) noexcept {
  if (received.state.load(std::memory_order_relaxed) == expectation::none) {
    payloads_.pool().release(static_cast<announced_payload&>(received));
  } else {
    foreseen_.pool().release(static_cast<foreseen_receive&>(received));
  }
}

/// Each is told by itself: a look at all that have not matched would take as long for each of thousands.
void gateway::has_matched(const rank_context& by, const claim_reference& its) noexcept {
  local_end& end = context_.end_of(by);
  end.matched.push(static_cast<handed_over&>(its.claim()));
  left_by_rank(end, nullptr);
}

void gateway::ask_back(const rank_context& by, const claimed_send& its) {
  local_end& end = context_.end_of(by);
  {
    const std::lock_guard lock(end.asking);
    end.asked_back.push_back(its);
  }
  end.has_asked_back.store(true, std::memory_order_relaxed);  // say_work() publishes it
  gateway_context::say_work(end);
  leave_work();
}

void gateway::add_unreceived(const rank_context& rank, std::vector<unreceived_message>& to) {
  local_end& end = context_.end_of(rank);
  end.in.for_each([&](const in_link& link) {
    for (const waiting_entry& each : link.waiting) {
      to.push_back({each.what.who, each.what.bytes, each.what.from, rank.number(), each.what.record_number});
    }
  });
  outbox::adopt_announced(end);
  for (const auto& link : end.out) {
    take_unreceived(link->messages, link->to, to);
  }
}

bool gateway::poll_for_busy_ranks() {
  bool is_busy = poll(nullptr);
  {
    const network_visit visit(lock_);
    if (!visit) return is_busy;  // somebody else is there, and polls
    const std::int64_t now = now_ns();
    if (now >= next_look_ns_) {
      next_look_ns_ = now + between_looks_ns;
      payloads_.receive_unrequested();
    }
    is_busy |= context_.payloads_on_their_way.read() > 0;
  }
  serve_newcomers();
  return is_busy;
}

}  // namespace pure::core
