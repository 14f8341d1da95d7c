// Runs one rank of a program through an interface like MPI's for C: pure.h, or a real MPI.
//
// A door has the calls, in the door's own types:
//   request, message_handle, status, null_request, null_message
//   send, isend, send_init (by mode, for a message and its bytes), recv, irecv, recv_init, sendrecv, ...
// Its ranks, tags and sizes are those of the program. See pure_h_door.hpp and mpi_door.hpp.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "support/oracle/rank_runner.hpp"

namespace oracle {

template <class Door>
class c_runner final : public rank_runner {
 public:
  c_runner(shared& run, Door& door) : rank_runner(run), door_(door) {}

  /// At the end of a run that has not failed.
  void end() {
    for (auto* const requests : {&sends_, &receives_}) {
      for (auto& [key, alike] : requests->all) {
        for (persistent<request>& each : alike) door_.request_free(each.request);
      }
    }
    door_.end();
  }

 private:
  using request = typename Door::request;
  using message_handle = typename Door::message_handle;
  using status = typename Door::status;

  void flush() override { door_.flush(); }

  void take_out(int r) override {
    held& h = held_[r];
    const receive& what = p_.posted(r);
    door_.mprobe(what.source, what.tag, what.comm, h.message, h.there);
  }
  void receive_taken(int r) override {
    held& h = held_[r];
    receive_held(r, h.message, h.there, r % 2 == 0);
  }

  // ---- sends ----

  void send(int m) override {
    const message& what = p_.sent(m);
    switch (what.how) {
      case sending::persistent:
      case sending::persistent_synchronous: {
        start_send(m);
        status ignored;
        door_.wait(requests_[operation_of_message(m)], ignored);
        return ended(operation_of_message(m), ignored);
      }
      case sending::cancelled_first: {
        request sending;
        door_.isend(sending::synchronous, what, out(m), sending);
        if (cancel_soon(sending, m)) {
          sent(m);  // the buffer is ours again
          door_.send(sending::standard, what, out(m));
        }
        break;
      }
      default: door_.send(what.how, what, out(m)); break;
    }
    sent(m);
  }

  /// Whether it was cancelled; the request is over. `looks`: how many times it is looked at before.
  bool cancel_soon(request& started, int looks) {
    for (int i = 0; i < looks % 4; ++i) door_.get_status(started);
    door_.cancel(started);
    status ended;
    door_.wait(started, ended);
    return door_.test_cancelled(ended);
  }

  void start_send(int m) override {
    const message& what = p_.sent(m);
    request& started = requests_[operation_of_message(m)];
    switch (what.how) {
      case sending::persistent:
      case sending::persistent_synchronous: {
        persistent<request>& taken = persistent_send(sends_, m, [&](const buffer& data) {
          request made;
          door_.send_init(what, data, made);
          return made;
        });
        started = taken.request;
        active_[operation_of_message(m)] = &taken;
        door_.start(started);
        break;
      }
      case sending::cancelled_first: door_.isend(sending::standard, what, out(m), started); break;
      default: door_.isend(what.how, what, out(m), started); break;
    }
  }

  // ---- receives ----

  [[nodiscard]] probe_result said_by(int comm, const status& said) const {
    return {door_.source(said, comm), door_.tag(said), door_.bytes(said)};
  }
  void received_as(int r, const status& got) {
    received(r, door_.source(got, p_.posted(r).comm), door_.tag(got), door_.bytes(got));
  }

  void receive_plainly(int r) {
    const receive& what = p_.posted(r);
    status got;
    door_.recv(in(r), what.capacity, what.source, what.tag, what.comm, got);
    received_as(r, got);
  }

  void receive_probed(int r, const status& there) {
    const receive& what = p_.posted(r);
    const probe_result first = said_by(what.comm, there);
    status again, got;
    const bool is_there = door_.iprobe(first.source, first.tag, what.comm, again);
    door_.recv(in(r), what.capacity, first.source, first.tag, what.comm, got);
    received_as(r, got);
    compare_with_probe(r, first);
    if (!may_be_cancelled(first) && (!is_there || said_by(what.comm, again) != first)) {
      complain(r, "was probed, and a second probe did not find it");
    }
  }

  void receive_held(int r, message_handle& message, const status& there, bool at_once) {
    const receive& what = p_.posted(r);
    buffer& data = in(r);
    status got;
    if (at_once) {
      door_.mrecv(data, what.capacity, message, got);
    } else {
      request started;
      door_.imrecv(data, what.capacity, message, started);
      door_.wait(started, got);
    }
    received_as(r, got);
    compare_with_probe(r, said_by(what.comm, there));
    if (message != Door::null_message()) complain(r, "has left its message");
  }

  void receive_now(int r) override {
    const receive& what = p_.posted(r);
    status there;
    message_handle message = Door::null_message();
    switch (what.how) {
      case receiving::plain: return receive_plainly(r);
      case receiving::persistent:
        start_receive(r);
        door_.wait(requests_[operation_of_receive(r)], there);
        return ended(operation_of_receive(r), there);
      case receiving::probed: door_.probe(what.source, what.tag, what.comm, there); return receive_probed(r, there);
      case receiving::iprobed:
        while (!door_.iprobe(what.source, what.tag, what.comm, there)) {
        }
        return receive_probed(r, there);
      case receiving::matched:
        door_.mprobe(what.source, what.tag, what.comm, message, there);
        return receive_held(r, message, there, true);
      case receiving::imatched:
        while (!door_.improbe(what.source, what.tag, what.comm, message, there)) {
        }
        return receive_held(r, message, there, false);
      case receiving::cancelled_first: {
        request started;
        door_.irecv(in(r), what.capacity, what.source, what.tag, what.comm, started);
        for (int i = 0; i < r % 4; ++i) door_.get_status(started);
        door_.cancel(started);
        door_.wait(started, there);
        return door_.test_cancelled(there) ? receive_plainly(r) : received_as(r, there);
      }
    }
  }

  void start_receive(int r) override {
    const receive& what = p_.posted(r);
    request& started = requests_[operation_of_receive(r)];
    if (what.how != receiving::persistent) {
      return door_.irecv(in(r), what.capacity, what.source, what.tag, what.comm, started);
    }
    persistent<request>& taken = persistent_receive(receives_, r, [&](buffer& data) {
      request made;
      door_.recv_init(data, data.size(), what.source, what.tag, what.comm, made);
      return made;
    });
    started = taken.request;
    active_[operation_of_receive(r)] = &taken;
    door_.start(started);
  }

  // ---- both ----

  void send_and_receive(int m, int r) override {
    const message& sends = p_.sent(m);
    const receive& receives = p_.posted(r);
    status got;
    if (sends.comm != receives.comm) {  // one call is on one communicator
      std::vector<request> requests(2);
      std::vector<status> statuses(2);
      door_.irecv(in(r), receives.capacity, receives.source, receives.tag, receives.comm, requests[0]);
      door_.isend(sending::standard, sends, out(m), requests[1]);
      door_.waitall(requests, statuses);
      got = statuses[0];
    } else if (m % 3 == 0 && receives.capacity <= sends.bytes) {
      buffer& both = out(m);
      buffer& place = in(r);
      door_.sendrecv_replace(sends, both, receives, got);
      std::copy_n(both.begin(), door_.bytes(got), place.begin());
    } else {
      const buffer& data = out(m);
      buffer& place = in(r);
      m % 3 == 1 ? door_.isendrecv_and_wait(sends, data, receives, place, got)
                 : door_.sendrecv(sends, data, receives, place, got);
    }
    sent(m);
    received_as(r, got);
  }

  // ---- completion ----

  void complete(const step& s) override {
    std::vector<request> all;
    for (const int operation : s.operations) {
      all.push_back(operation == nothing ? Door::null_request() : requests_[operation]);
    }
    std::vector<status> statuses(all.size());
    std::vector<int> indices(all.size());
    auto left = std::count_if(s.operations.begin(), s.operations.end(), [](int o) { return o != nothing; });
    int found = 0;
    const auto end = [&](int index, const status& of) {
      ended(s.operations[static_cast<std::size_t>(index)], of);
      --left;
    };
    const auto end_found = [&] {
      for (int i = 0; i < found; ++i) end(indices[static_cast<std::size_t>(i)], statuses[static_cast<std::size_t>(i)]);
    };
    const auto end_all = [&] {
      for (std::size_t i = 0; i < all.size(); ++i) end(static_cast<int>(i), statuses[i]);
    };
    switch (s.how) {
      case completion::wait:
        for (std::size_t i = 0; i < all.size(); ++i) door_.wait(all[i], statuses[i]);
        return end_all();
      case completion::wait_all: door_.waitall(all, statuses); return end_all();
      case completion::wait_any:
        while (left > 0) {
          found = door_.waitany(all, statuses[0]);
          end(found, statuses[0]);
        }
        return;
      case completion::wait_some:
        while (left > 0) {
          found = door_.waitsome(all, indices, statuses);
          end_found();
        }
        return;
      case completion::test:
        for (std::size_t i = 0; i < all.size(); ++i) {
          while (!door_.test(all[i], statuses[i])) {
          }
        }
        return end_all();
      case completion::test_all:
        while (!door_.testall(all, statuses)) {
        }
        return end_all();
      case completion::test_any:
        while (left > 0) {
          if (door_.testany(all, found, statuses[0])) end(found, statuses[0]);
        }
        return;
      case completion::test_some:
        while (left > 0) {
          found = door_.testsome(all, indices, statuses);
          end_found();
        }
        return;
    }
  }

  void ended(int operation, const status& of) {
    if (operation == nothing) return;
    const int index = index_of(operation);
    const auto by = active_.find(operation);
    if (is_send(operation)) {
      by == active_.end() ? sent(index) : sent(index, *by->second);
    } else if (by == active_.end()) {
      received_as(index, of);
    } else {
      received(index, door_.source(of, p_.posted(index).comm), door_.tag(of), door_.bytes(of), *by->second);
    }
    if (by != active_.end()) active_.erase(by);
  }

  struct held {  // what a matched probe has found
    message_handle message = Door::null_message();
    status there{};
  };

  Door& door_;
  std::map<int, request> requests_;  // by operation
  std::map<int, held> held_;         // by receive
  pool<request> sends_, receives_;
  std::map<int, persistent<request>*> active_;  // by operation
};

}  // namespace oracle
