// Runs one rank of a program through pure.hpp.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pure/pure.hpp>

#include "support/oracle/rank_runner.hpp"

namespace oracle {

class pure_hpp_runner final : public rank_runner {
 public:
  pure_hpp_runner(pure::comm world, shared& run)
      : rank_runner(run),
        world_(world),
        reversed_(p_.has_second_communicator() ? world.split(0, -world.rank()) : world),
        buffer_(world.send_buffer()) {}
  void end() {
    buffer_.flush();
    sends_.all.clear();
    receives_.all.clear();
    if (p_.has_second_communicator()) reversed_.free();
  }

 private:
  using text = std::basic_string<std::byte>;  // another container of the same elements: PURE_CHECK compares types
  static text text_of(const buffer& from) { return {from.begin(), from.end()}; }

  [[nodiscard]] const pure::comm& on(int comm) const noexcept { return comm == 0 ? world_ : reversed_; }

  void flush() override { buffer_.flush(); }

  void take_out(int r) override {
    const receive& what = p_.posted(r);
    held_.emplace(r, on(what.comm).mprobe(rank_in(what.comm, what.source), what.tag));
  }
  void receive_taken(int r) override {
    receive_held(r, held_.at(r));
    held_.erase(r);
  }

  // ---- sends ----

  void send(int m) override {
    const message& what = p_.sent(m);
    const pure::comm& comm = on(what.comm);
    const int to = rank_in(what.comm, what.to);
    switch (what.how) {
      case sending::standard: return send_plainly(m);
      case sending::synchronous: comm.ssend(out(m), to, what.tag); break;
      case sending::buffered: comm.bsend(out(m), to, what.tag); break;
      case sending::ready: comm.rsend(out(m), to, what.tag); break;
      case sending::persistent:
      case sending::persistent_synchronous: {
        start_send(m);
        return complete_persistent(operation_of_message(m), m % 2 == 0);
      }
      case sending::cancelled_first: {
        pure::request request = comm.issend(out(m), to, what.tag);
        if (cancel_soon(request, m).is_cancelled()) {
          sent(m);  // the buffer is ours again
          return send_plainly(m);
        }
        break;
      }
    }
    sent(m);
  }

  /// `looks`: how many times it is looked at before.
  static pure::status cancel_soon(pure::request& request, int looks) {
    for (int i = 0; i < looks % 4; ++i) {
      if (request.peek()) break;
    }
    request.cancel();
    return request.wait();
  }

  void send_plainly(int m) {
    const message& what = p_.sent(m);
    const pure::comm& comm = on(what.comm);
    const int to = rank_in(what.comm, what.to);
    switch (m % 4) {
      case 0: comm.send(payload(m), to, what.tag); break;  // moved
      case 1: comm.send(text_of(payload(m)), to, what.tag); break;
      case 2: comm.send(std::span<const std::byte>(out(m)), to, what.tag); break;
      default: comm.send(out(m), to, what.tag); break;
    }
    sent(m);
  }

  void start_send(int m) override {
    const message& what = p_.sent(m);
    const pure::comm& comm = on(what.comm);
    const int to = rank_in(what.comm, what.to);
    pure::request& request = requests_[operation_of_message(m)];
    switch (what.how) {
      case sending::synchronous: request = comm.issend(out(m), to, what.tag); return;
      case sending::buffered:
      case sending::ready:  // there are no requests for these
        if (what.how == sending::buffered) comm.bsend(out(m), to, what.tag);
        if (what.how == sending::ready) comm.rsend(out(m), to, what.tag);
        return sent(m);
      case sending::persistent:
      case sending::persistent_synchronous: {
        auto& taken = persistent_send(sends_, m, [&](const buffer& data) {
          return what.is_synchronous() ? comm.ssend_init(data, to, what.tag) : comm.send_init(data, to, what.tag);
        });
        active_[operation_of_message(m)] = &taken;
        taken.request.start();
        return;
      }
      default: break;
    }
    switch (m % 4) {
      case 0: request = comm.isend(payload(m), to, what.tag); return;           // moved
      case 1: request = comm.isend(text_of(payload(m)), to, what.tag); return;  // kept by the request
      case 2: request = comm.isend(std::span<const std::byte>(out(m)), to, what.tag); return;
      default: request = comm.isend(out(m), to, what.tag); return;
    }
  }

  // ---- receives ----

  [[nodiscard]] probe_result found_by(int comm, const pure::status& said) const {
    return {rank_in(comm, said.source()), said.tag(), said.bytes()};
  }
  void received_as(int r, const pure::status& got) {
    received(r, rank_in(p_.posted(r).comm, got.source()), got.tag(), got.bytes());
  }

  void receive_plainly(int r) {
    const receive& what = p_.posted(r);
    const pure::comm& comm = on(what.comm);
    const int source = rank_in(what.comm, what.source);
    const bool has_status = what.source < 0 || what.tag < 0;  // recv<T> returns the data only
    if (has_status || r % 3 == 0) return received_as(r, comm.recv_into(room(r), source, what.tag));
    begin(r);
    if (r % 3 == 1) {
      const auto got = comm.recv<buffer>(source, what.tag);
      note(r, what.source, what.tag, got.size(), got);
    } else {
      const auto got = comm.recv<text>(source, what.tag);
      note(r, what.source, what.tag, got.size(), std::as_bytes(std::span(got)));
    }
  }

  void receive_probed(int r, const pure::status& there) {
    const receive& what = p_.posted(r);
    const pure::comm& comm = on(what.comm);
    const std::optional<pure::status> again = comm.iprobe(there.source(), there.tag());
    received_as(r, comm.recv_into(room(r), there.source(), there.tag()));
    compare_with_probe(r, found_by(what.comm, there));
    const probe_result first = found_by(what.comm, there);
    if (!may_be_cancelled(first) && (!again || found_by(what.comm, *again) != first)) {
      complain(r, "was probed, and a second probe did not find it");
    }
  }

  void receive_held(int r, pure::message& held) {
    const receive& what = p_.posted(r);
    const pure::status there = held.status();
    if (r % 2 == 0) {
      received_as(r, held.recv_into(room(r)));
    } else {
      begin(r);
      const auto got = held.recv<buffer>();
      note(r, rank_in(what.comm, there.source()), there.tag(), got.size(), got);
    }
    compare_with_probe(r, found_by(what.comm, there));
  }

  void receive_now(int r) override {
    const receive& what = p_.posted(r);
    const pure::comm& comm = on(what.comm);
    const int source = rank_in(what.comm, what.source);
    switch (what.how) {
      case receiving::plain: return receive_plainly(r);
      case receiving::persistent: start_receive(r); return complete_persistent(operation_of_receive(r), false);
      case receiving::probed: return receive_probed(r, comm.probe(source, what.tag));
      case receiving::iprobed: {
        std::optional<pure::status> there;
        while (!there) there = comm.iprobe(source, what.tag);
        return receive_probed(r, *there);
      }
      case receiving::matched: {
        pure::message held = comm.mprobe(source, what.tag);
        return receive_held(r, held);
      }
      case receiving::imatched: {
        std::optional<pure::message> held;
        while (!held) held = comm.improbe(source, what.tag);
        return receive_held(r, *held);
      }
      case receiving::cancelled_first: {
        pure::request request = comm.irecv_into(room(r), source, what.tag);
        const pure::status got = cancel_soon(request, r);
        return got.is_cancelled() ? receive_plainly(r) : received_as(r, got);
      }
    }
  }

  void start_receive(int r) override {
    const receive& what = p_.posted(r);
    const pure::comm& comm = on(what.comm);
    const int source = rank_in(what.comm, what.source);
    if (what.how != receiving::persistent) {
      requests_[operation_of_receive(r)] = comm.irecv_into(room(r), source, what.tag);
      return;
    }
    auto& taken = persistent_receive(receives_, r,
                                     [&](buffer& data) { return comm.recv_init(data, source, what.tag); });
    active_[operation_of_receive(r)] = &taken;
    taken.request.start();
  }

  // ---- both ----

  void send_and_receive(int m, int r) override {
    const message& sends = p_.sent(m);
    const receive& receives = p_.posted(r);
    const pure::comm& comm = on(sends.comm);
    const int dest = rank_in(sends.comm, sends.to), source = rank_in(receives.comm, receives.source);
    if (sends.tag != receives.tag || sends.comm != receives.comm) {  // the typed forms have one tag for both
      pure::request started = on(receives.comm).irecv_into(room(r), source, receives.tag);
      send(m);
      return received_as(r, started.wait());
    }
    pure::status got;
    if (m % 3 == 0 && receives.capacity <= sends.bytes) {
      buffer& both = out(m);
      buffer& place = in(r);
      got = comm.sendrecv_replace(both, dest, source, sends.tag);
      std::copy_n(both.begin(), got.bytes(), place.begin());
    } else if (m % 3 == 1) {
      got = comm.isendrecv(out(m), dest, room(r), source, sends.tag).wait();
    } else {
      got = comm.sendrecv(out(m), dest, room(r), source, sends.tag);
    }
    sent(m);
    received_as(r, got);
  }

  // ---- completion ----

  void ended(int operation, const pure::status& got) {
    if (operation == nothing) return;
    if (is_send(operation)) {
      sent(index_of(operation));
    } else {
      received_as(index_of(operation), got);
    }
  }

  void complete_persistent(int operation, bool by_test) {
    const auto found = active_.find(operation);
    auto& by = *found->second;
    const int index = index_of(operation);
    if (is_send(operation)) {
      while (by_test && !by.request.test()) {
      }
      by.request.wait();
      sent(index, by);
    } else {
      const pure::status got = by.request.wait();  // test() would not say what came
      received(index, rank_in(p_.posted(index).comm, got.source()), got.tag(), got.bytes(), by);
    }
    active_.erase(found);
  }

  void complete(const step& s) override {
    std::vector<int> operations = s.operations;
    for (int& operation : operations) {
      if (active_.contains(operation))
        complete_persistent(std::exchange(operation, nothing), s.how >= completion::test);
    }
    std::vector<pure::request> all;
    for (const int operation : operations) {
      all.push_back(operation == nothing ? pure::request() : std::move(requests_[operation]));
    }
    const auto end = [&](std::size_t i) { ended(operations[i], all[i].wait()); };
    const auto end_all = [&] {
      for (std::size_t i = 0; i < all.size(); ++i) end(i);
    };
    const auto is_pending = [&] {
      return std::any_of(all.begin(), all.end(), [](const auto& r) { return !r.is_complete(); });
    };
    switch (s.how) {
      case completion::wait: end_all(); break;
      case completion::wait_all: {
        const std::vector<pure::status> statuses = pure::wait_all(all);
        for (std::size_t i = 0; i < all.size(); ++i) ended(operations[i], statuses[i]);
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

  pure::comm world_, reversed_;
  pure::send_buffer buffer_;
  std::map<int, pure::request> requests_;  // by operation
  std::map<int, pure::message> held_;      // by receive
  pool<pure::persistent_request> sends_, receives_;
  std::map<int, persistent<pure::persistent_request>*> active_;  // by operation
};

}  // namespace oracle
