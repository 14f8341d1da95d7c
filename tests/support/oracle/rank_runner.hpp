// One rank of a program that runs: its steps, its buffers, and what it notes about every receive.
//
// Buffers are filled just before a send and overwritten as soon as the send is complete; behind each receive's message
// lie bytes that must not change. The clock of a run dates starts of receives and ends of sends, of all ranks: a
// synchronous send must not end before its receive has started.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "support/oracle/program.hpp"

namespace oracle {

class rank_runner {
 public:
  /// One run of a program, as its ranks see it; each outcome is written by one of them.
  struct shared {
    const program& p;
    std::vector<outcome> outcomes;         // by receive
    std::vector<std::uint64_t> completed;  // by message: when its send was seen to be complete
    explicit shared(const program& of) : p(of), outcomes(of.receives.size()), completed(of.messages.size()) {}
    virtual ~shared() = default;
    shared(const shared&) = delete;
    shared& operator=(const shared&) = delete;
    /// A barrier that is not made of messages which the program could receive.
    virtual void meet() = 0;
    /// The time, from 1, on a clock that all ranks share.
    virtual std::uint64_t tick() noexcept = 0;
  };

  explicit rank_runner(shared& run) : p_(run.p), run_(run) {}
  virtual ~rank_runner() = default;
  rank_runner(const rank_runner&) = delete;
  rank_runner& operator=(const rank_runner&) = delete;

  void run(int rank) {
    for (const step& s : p_.steps[static_cast<std::size_t>(rank)]) {
      switch (s.what) {
        case step::kind::barrier:
          flush();  // nothing moves on while the rank is in a barrier that is not Pure's
          run_.meet();
          break;
        case step::kind::complete: complete(s); break;
        case step::kind::send: send(s.sends); break;
        case step::kind::recv: receive_now(s.receives); break;
        case step::kind::sendrecv: send_and_receive(s.sends, s.receives); break;
        case step::kind::isend: start_send(s.sends); break;
        case step::kind::irecv: start_receive(s.receives); break;
        case step::kind::mprobe: take_out(s.receives); break;
        case step::kind::mrecv: receive_taken(s.receives); break;
      }
    }
  }

 protected:
  using buffer = std::vector<std::byte>;
  static constexpr std::byte untouched{0xa5};
  static constexpr std::byte overwritten{0xee};
  static constexpr std::size_t guard_bytes = 64;

  // ---- the steps: of message m and receive r of the program ----

  virtual void send(int m) = 0;
  virtual void receive_now(int r) = 0;
  virtual void send_and_receive(int m, int r) = 0;
  virtual void start_send(int m) = 0;
  virtual void start_receive(int r) = 0;
  /// By a matched probe; receive_taken() receives it.
  virtual void take_out(int r) = 0;
  virtual void receive_taken(int r) = 0;
  virtual void complete(const step& s) = 0;
  /// Blocks until all buffered messages have gone.
  virtual void flush() = 0;

  buffer payload(int m) const {
    buffer bytes(p_.sent(m).bytes);
    fill_payload(p_, m, bytes.data());
    return bytes;
  }
  buffer& out(int m) { return out_[m] = payload(m); }
  buffer& in(int r) {
    begin(r);
    return in_[r] = buffer(p_.posted(r).capacity + guard_bytes, untouched);
  }
  std::span<std::byte> room(int r) { return std::span(in(r)).first(p_.posted(r).capacity); }

  /// The receive is about to start.
  void begin(int r) { run_.outcomes[static_cast<std::size_t>(r)].began = run_.tick(); }
  void sent(int m) {
    run_.completed[static_cast<std::size_t>(m)] = run_.tick();
    std::fill(out_[m].begin(), out_[m].end(), overwritten);
  }

  void note(int r, int source, int tag, std::size_t bytes, std::span<const std::byte> room) {
    outcome& o = run_.outcomes[static_cast<std::size_t>(r)];
    if (o.complete) o.complaint = "was completed twice";
    o.complete = true;
    o.source = source;
    o.tag = tag;
    o.bytes = bytes;
    if (bytes > room.size()) {
      o.complaint = "got more bytes than it has room for";
      return;
    }
    o.from_message = identify_payload(p_, room.data(), bytes, o.complaint);
    const auto behind = room.subspan(bytes);
    const auto damaged = [](std::span<const std::byte> part) {
      return std::any_of(part.begin(), part.end(), [](std::byte b) { return b != untouched; });
    };
    // Not all of it: a wildcard's buffer may be a thousand times as large as the message.
    const std::size_t looked_at = std::min<std::size_t>(behind.size(), 4 * guard_bytes);
    if (damaged(behind.first(looked_at)) || damaged(behind.last(looked_at))) o.complaint = "wrote behind the message";
  }
  void received(int r, int source, int tag, std::size_t bytes) {
    note(r, source, tag, bytes, in_[r]);
    in_.erase(r);
  }

  /// Source (in the world), tag and size: what a probe has said.
  struct probe_result {
    int source;
    int tag;
    std::size_t bytes;
    bool operator==(const probe_result&) const = default;
  };
  /// After the receive of a message that was probed.
  void compare_with_probe(int r, const probe_result& probed) {
    const outcome& o = run_.outcomes[static_cast<std::size_t>(r)];
    if (probed == probe_result{o.source, o.tag, o.bytes}) return;
    complain(r, fmt::format("the probe said source {}, tag {}, {} bytes; received were source {}, tag {}, {} bytes",
                            probed.source, probed.tag, probed.bytes, o.source, o.tag, o.bytes));
  }
  /// Whether a message that was probed may be gone at the next probe: its sender cancels some.
  [[nodiscard]] bool may_be_cancelled(const probe_result& probed) const {
    return std::any_of(p_.messages.begin(), p_.messages.end(),
                       [&](const message& m) { return m.from == probed.source && m.how == sending::cancelled_first; });
  }
  void complain(int r, std::string text) { run_.outcomes[static_cast<std::size_t>(r)].complaint = std::move(text); }

  /// A rank of the world in a communicator, and back.
  [[nodiscard]] int rank_in(int comm, int rank) const noexcept {
    return comm == 0 || rank < 0 ? rank : p_.ranks() - 1 - rank;
  }

  // ---- persistent requests: each is used again for the next message of the same kind ----

  template <class Request>
  struct persistent {
    Request request{};
    buffer bytes;
    bool is_active = false;
  };
  template <class Request>
  struct pool {
    std::map<std::vector<std::size_t>, std::list<persistent<Request>>>
        all;  // lists: their elements stay where they are

    /// An inactive one; a new one's request is made by make(bytes).
    template <class Make>
    persistent<Request>& take(std::vector<std::size_t> key, std::size_t bytes, Make make) {
      std::list<persistent<Request>>& alike = all[std::move(key)];
      auto found = std::find_if(alike.begin(), alike.end(), [](const auto& each) { return !each.is_active; });
      if (found == alike.end()) {
        found = alike.emplace(alike.end());
        found->bytes.resize(bytes);
        found->request = make(found->bytes);
      }
      found->is_active = true;
      return *found;
    }
  };

  /// The persistent request of message m, its buffer filled.
  template <class Request, class Make>
  persistent<Request>& persistent_send(pool<Request>& from, int m, Make make) {
    const message& what = p_.sent(m);
    const std::vector<std::size_t> key{key_of(what.comm), key_of(what.to), key_of(what.tag), what.bytes,
                                       key_of(what.is_synchronous())};
    persistent<Request>& taken = from.take(key, what.bytes, make);
    fill_payload(p_, m, taken.bytes.data());
    return taken;
  }
  /// The persistent request of receive r, whose buffer has as much room or more.
  template <class Request, class Make>
  persistent<Request>& persistent_receive(pool<Request>& from, int r, Make make) {
    const receive& what = p_.posted(r);
    const std::size_t bytes = std::bit_ceil(what.capacity + 1);
    const std::vector<std::size_t> key{key_of(what.comm), key_of(what.source), key_of(what.tag), bytes};
    persistent<Request>& taken = from.take(key, bytes, make);
    std::fill(taken.bytes.begin(), taken.bytes.end(), untouched);
    begin(r);
    return taken;
  }
  template <class Request>
  void sent(int m, persistent<Request>& by) {
    std::fill(by.bytes.begin(), by.bytes.end(), overwritten);
    by.is_active = false;
    sent(m);
  }
  template <class Request>
  void received(int r, int source, int tag, std::size_t bytes, persistent<Request>& by) {
    note(r, source, tag, bytes, by.bytes);
    by.is_active = false;
  }

  const program& p_;

 private:
  static std::size_t key_of(int value) noexcept { return static_cast<std::size_t>(value); }

  shared& run_;
  std::map<int, buffer> out_, in_;
};

}  // namespace oracle
