// Runs a program on Pure, through either door, and notes what every receive got.
//
// Buffers are filled just before a send and overwritten as soon as the send is complete; behind each receive's message
// lie bytes that must not change.
#pragma once

#include <pure.h>

#include <algorithm>
#include <barrier>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pure/pure.hpp>

#include "support/oracle/program.hpp"

namespace oracle {

enum class door { pure_h, pure_hpp };

class rank_runner {
 public:
  /// One run of a program, shared by its ranks; each outcome is written by one of them.
  struct shared {
    const program& p;
    std::vector<outcome> outcomes;
    std::barrier<> meeting;
    explicit shared(const program& of) : p(of), outcomes(of.receives.size()), meeting(of.ranks()) {}
  };

  explicit rank_runner(shared& run) : p_(run.p), run_(run) {}
  virtual ~rank_runner() = default;
  rank_runner(const rank_runner&) = delete;
  rank_runner& operator=(const rank_runner&) = delete;

  void run(int rank) {
    for (const step& s : p_.steps[static_cast<std::size_t>(rank)]) {
      switch (s.what) {
        case step::kind::barrier: run_.meeting.arrive_and_wait(); break;
        case step::kind::complete: complete(s); break;
        default: perform(s); break;
      }
    }
  }

 protected:
  using buffer = std::vector<std::byte>;
  static constexpr std::byte untouched{0xa5};
  static constexpr std::byte overwritten{0xee};
  static constexpr std::size_t guard_bytes = 64;

  virtual void perform(const step& s) = 0;
  virtual void complete(const step& s) = 0;

  buffer payload(int m) const {
    buffer bytes(p_.sent(m).bytes);
    fill_payload(p_, m, bytes.data());
    return bytes;
  }
  buffer& out(int m) { return out_[m] = payload(m); }
  buffer& in(int r) { return in_[r] = buffer(p_.posted(r).capacity + guard_bytes, untouched); }

  void sent(int m) { std::fill(out_[m].begin(), out_[m].end(), overwritten); }

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

  const program& p_;

 private:
  shared& run_;
  std::map<int, buffer> out_, in_;
};

// ---- pure.h --------------------------------------------------------------------------------------------------------

class pure_h_runner final : public rank_runner {
 public:
  using rank_runner::rank_runner;

 private:
  // Sometimes as doubles, where the size allows.
  static pure_datatype type_of(std::size_t bytes) { return bytes % 24 == 0 ? PURE_DOUBLE : PURE_BYTE; }
  static std::int64_t count_of(std::size_t bytes) {
    return static_cast<std::int64_t>(bytes / pure_type_size(type_of(bytes)));
  }

  void perform(const step& s) override {
    pure_status status;
    buffer* const o = s.sends == nothing ? nullptr : &out(s.sends);
    buffer* const i = s.receives == nothing ? nullptr : &in(s.receives);
    const message m = o == nullptr ? message{} : p_.sent(s.sends);
    const receive r = i == nullptr ? receive{} : p_.posted(s.receives);
    const pure_datatype send_type = type_of(m.bytes), receive_type = type_of(r.capacity);
    const std::int64_t send_count = count_of(m.bytes), receive_count = count_of(r.capacity);
    switch (s.what) {
      case step::kind::send:
        pure_send_msg(o->data(), send_count, send_type, m.to, m.tag, PURE_COMM_WORLD);
        break;
      case step::kind::recv:
        pure_recv_msg(i->data(), receive_count, receive_type, r.source, r.tag, PURE_COMM_WORLD, &status);
        break;
      case step::kind::sendrecv:
        pure_sendrecv_msg(o->data(), send_count, send_type, m.to, m.tag, i->data(), receive_count, receive_type,
                          r.source, r.tag, PURE_COMM_WORLD, &status);
        break;
      case step::kind::isend:
        pure_isend_msg(o->data(), send_count, send_type, m.to, m.tag, PURE_COMM_WORLD,
                       &requests_[operation_of_message(s.sends)]);
        return;
      case step::kind::irecv:
        pure_irecv_msg(i->data(), receive_count, receive_type, r.source, r.tag, PURE_COMM_WORLD,
                       &requests_[operation_of_receive(s.receives)]);
        return;
      default: return;
    }
    if (o != nullptr) sent(s.sends);
    if (i != nullptr) received(s.receives, status.source, status.tag, static_cast<std::size_t>(status.bytes));
  }

  void complete(const step& s) override {
    const auto count = static_cast<int>(s.operations.size());
    std::vector<pure_request> all;
    for (const int operation : s.operations) {
      all.push_back(operation == nothing ? PURE_REQUEST_NULL : requests_[operation]);
    }
    std::vector<pure_status> statuses(all.size());
    std::vector<int> indices(all.size());
    int left = static_cast<int>(std::count_if(s.operations.begin(), s.operations.end(), [](int o) { return o != nothing; }));
    int found = 0, flag = 0;
    const auto end = [&](int index, const pure_status& status) {
      ended(s.operations[static_cast<std::size_t>(index)], status);
      --left;
    };
    const auto end_found = [&] {
      for (int i = 0; i < found; ++i) end(indices[static_cast<std::size_t>(i)], statuses[static_cast<std::size_t>(i)]);
    };
    const auto end_all = [&] {
      for (int i = 0; i < count; ++i) end(i, statuses[static_cast<std::size_t>(i)]);
    };
    switch (s.how) {
      case completion::wait:
        for (std::size_t i = 0; i < all.size(); ++i) pure_wait(&all[i], &statuses[i]);
        end_all();
        break;
      case completion::wait_all:
        pure_waitall(count, all.data(), statuses.data());
        end_all();
        break;
      case completion::wait_any:
        while (left > 0) {
          pure_waitany(count, all.data(), &found, statuses.data());
          end(found, statuses[0]);
        }
        break;
      case completion::wait_some:
        while (left > 0) {
          pure_waitsome(count, all.data(), &found, indices.data(), statuses.data());
          end_found();
        }
        break;
      case completion::test:
        for (std::size_t i = 0; i < all.size(); ++i) {
          for (flag = 0; flag == 0;) pure_test(&all[i], &flag, &statuses[i]);
        }
        end_all();
        break;
      case completion::test_all:
        while (flag == 0) pure_testall(count, all.data(), &flag, statuses.data());
        end_all();
        break;
      case completion::test_any:
        while (left > 0) {
          pure_testany(count, all.data(), &found, &flag, statuses.data());
          if (flag != 0) end(found, statuses[0]);
        }
        break;
      case completion::test_some:
        while (left > 0) {
          pure_testsome(count, all.data(), &found, indices.data(), statuses.data());
          end_found();
        }
        break;
    }
  }

  void ended(int operation, const pure_status& status) {
    if (operation == nothing) return;
    if (is_send(operation)) {
      sent(index_of(operation));
    } else {
      received(index_of(operation), status.source, status.tag, static_cast<std::size_t>(status.bytes));
    }
  }

  std::map<int, pure_request> requests_;
};

// ---- pure.hpp ------------------------------------------------------------------------------------------------------

class pure_hpp_runner final : public rank_runner {
 public:
  pure_hpp_runner(pure::comm world, shared& run) : rank_runner(run), world_(world) {}

 private:
  static std::string text_of(const buffer& from) {
    return {reinterpret_cast<const char*>(from.data()), from.size()};
  }

  void perform(const step& s) override {
    switch (s.what) {
      case step::kind::send: return send(s.sends);
      case step::kind::recv: return receive_now(s.receives);
      case step::kind::sendrecv: {
        const message& m = p_.sent(s.sends);
        const receive& r = p_.posted(s.receives);
        if (m.tag != r.tag) {  // the typed sendrecv has one tag for both
          pure::request started = world_.irecv_into(room(s.receives), r.source, r.tag);
          send(s.sends);
          return received(s.receives, started.wait());
        }
        const pure::status got = world_.sendrecv(out(s.sends), m.to, room(s.receives), r.source, r.tag);
        sent(s.sends);
        return received(s.receives, got);
      }
      case step::kind::isend: requests_[operation_of_message(s.sends)] = start_send(s.sends); return;
      case step::kind::irecv: {
        const receive& r = p_.posted(s.receives);
        requests_[operation_of_receive(s.receives)] = world_.irecv_into(room(s.receives), r.source, r.tag);
        return;
      }
      default: return;
    }
  }

  void send(int m) {
    const auto& [from, to, tag, bytes] = p_.sent(m);
    switch (m % 4) {
      case 0: world_.send(payload(m), to, tag); return;  // moved
      case 1: world_.send(text_of(payload(m)), to, tag); return;
      case 2: world_.send(std::span<const std::byte>(out(m)), to, tag); break;
      default: world_.send(out(m), to, tag); break;
    }
    sent(m);
  }

  pure::request start_send(int m) {
    const auto& [from, to, tag, bytes] = p_.sent(m);
    switch (m % 4) {
      case 0: return world_.isend(payload(m), to, tag);  // moved
      case 1: return world_.isend(text_of(payload(m)), to, tag);  // kept by the request
      case 2: return world_.isend(std::span<const std::byte>(out(m)), to, tag);
      default: return world_.isend(out(m), to, tag);
    }
  }

  std::span<std::byte> room(int r) { return std::span(in(r)).first(p_.posted(r).capacity); }

  void receive_now(int r) {
    const auto& [rank, source, tag, capacity] = p_.posted(r);
    const bool has_status = source < 0 || tag < 0;  // recv<T> returns the data only
    if (has_status || r % 3 == 0) {
      received(r, world_.recv_into(room(r), source, tag));
    } else if (r % 3 == 1) {
      const buffer got = world_.recv<buffer>(source, tag);
      note(r, source, tag, got.size(), got);
    } else {
      const std::string got = world_.recv<std::string>(source, tag);
      note(r, source, tag, got.size(), std::as_bytes(std::span(got)));
    }
  }

  using rank_runner::received;
  void received(int r, const pure::status& got) { received(r, got.source(), got.tag(), got.bytes()); }

  void ended(int operation, const pure::status& got) {
    if (operation == nothing) return;
    if (is_send(operation)) {
      sent(index_of(operation));
    } else {
      received(index_of(operation), got);
    }
  }

  void complete(const step& s) override {
    std::vector<pure::request> all;
    for (const int operation : s.operations) {
      all.push_back(operation == nothing ? pure::request() : std::move(requests_[operation]));
    }
    const auto end = [&](std::size_t i) { ended(s.operations[i], all[i].wait()); };
    const auto end_all = [&] {
      for (std::size_t i = 0; i < all.size(); ++i) end(i);
    };
    const auto is_pending = [&] { return std::any_of(all.begin(), all.end(), [](const auto& r) { return !r.is_complete(); }); };
    switch (s.how) {
      case completion::wait: end_all(); break;
      case completion::wait_all: {
        const std::vector<pure::status> statuses = pure::wait_all(all);
        for (std::size_t i = 0; i < all.size(); ++i) ended(s.operations[i], statuses[i]);
        break;
      }
      case completion::wait_any:
        while (const auto found = pure::wait_any(all)) end(*found);
        break;
      case completion::wait_some:
        while (is_pending()) {
          for (const std::size_t i : pure::wait_some(all)) end(i);
        }
        break;
      case completion::test:
        for (pure::request& each : all) {
          while (!each.test()) {
          }
        }
        end_all();
        break;
      case completion::test_all:
        while (!pure::test_all(all)) {
        }
        end_all();
        break;
      case completion::test_any:
        while (is_pending()) {
          if (const auto found = pure::test_any(all)) end(*found);
        }
        break;
      case completion::test_some:
        while (is_pending()) {
          for (const std::size_t i : pure::test_some(all)) end(i);
        }
        break;
    }
  }

  pure::comm world_;
  std::map<int, pure::request> requests_;
};

/// The outcomes, by receive. Throws what pure::run throws.
inline std::vector<outcome> run_on_pure(const program& p, door through) {
  rank_runner::shared run(p);
  pure::run(p.ranks(), [&](pure::comm world) {
    if (through == door::pure_h) {
      pure_h_runner(run).run(world.rank());
    } else {
      pure_hpp_runner(world, run).run(world.rank());
    }
  });
  return std::move(run.outcomes);
}

}  // namespace oracle
