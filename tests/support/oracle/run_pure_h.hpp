// Runs one rank of a program through pure.h.
#pragma once

#include <pure.h>

#include <algorithm>
#include <map>
#include <vector>

#include "support/oracle/rank_runner.hpp"

namespace oracle {

class pure_h_runner final : public rank_runner {
 public:
  explicit pure_h_runner(shared& run) : rank_runner(run) {
    pure_buffer_attach(PURE_BUFFER_AUTOMATIC, 0);
    if (p_.has_second_communicator()) pure_comm_split(PURE_COMM_WORLD, 0, -pure_rank(), &reversed_);
  }
  /// At the end of a run that has not failed.
  void end() {
    void* automatic = nullptr;
    std::int64_t size = 0;
    pure_buffer_detach(&automatic, &size);
    for (auto* const requests : {&sends_, &receives_}) {
      for (auto& [key, alike] : requests->all) {
        for (persistent<pure_request>& each : alike) pure_request_free(&each.request);
      }
    }
    if (p_.has_second_communicator()) pure_comm_free(&reversed_);
  }

 private:
  // One type at both ends: PURE_CHECK compares them, and a receive's capacity says nothing of the message's size.
  static pure_datatype type_of(std::size_t) { return PURE_BYTE; }
  static std::int64_t count_of(std::size_t bytes) { return static_cast<std::int64_t>(bytes); }

  [[nodiscard]] pure_comm on(int comm) const noexcept { return comm == 0 ? PURE_COMM_WORLD : reversed_; }

  /// call(buf, count, type, dest, tag, comm, more...) for a message.
  template <class Call, class... More>
  void with(const message& what, const buffer& data, Call call, More... more) {
    call(data.data(), count_of(what.bytes), type_of(what.bytes), rank_in(what.comm, what.to), what.tag, on(what.comm),
         more..., pure_call_site());
  }
  /// call(buf, count, type, source, tag, comm, more...) for a receive.
  template <class Call, class... More>
  void with(const receive& what, buffer& data, Call call, More... more) {
    call(data.data(), count_of(what.capacity), type_of(what.capacity), rank_in(what.comm, what.source), what.tag,
         on(what.comm), more..., pure_call_site());
  }

  void flush() override { pure_buffer_flush(); }

  void perform(const step& s) override {
    switch (s.what) {
      case step::kind::send: return send(s.sends);
      case step::kind::recv: return receive_now(s.receives);
      case step::kind::sendrecv: return send_and_receive(s.sends, s.receives);
      case step::kind::isend: return start_send(s.sends);
      case step::kind::irecv: return start_receive(s.receives);
      case step::kind::mprobe: {
        held& h = held_[s.receives];
        const receive& r = p_.posted(s.receives);
        pure_mprobe(rank_in(r.comm, r.source), r.tag, on(r.comm), &h.message, &h.there);
        return;
      }
      case step::kind::mrecv: {
        held& h = held_[s.receives];
        return receive_held(s.receives, h.message, h.there, s.receives % 2 == 0);
      }
      default: return;
    }
  }

  // ---- sends ----

  void send(int m) {
    const message& what = p_.sent(m);
    switch (what.how) {
      case sending::standard: with(what, out(m), pure_send_msg); break;
      case sending::synchronous: with(what, out(m), pure_ssend_msg); break;
      case sending::buffered: with(what, out(m), pure_bsend_msg); break;
      case sending::ready: with(what, out(m), pure_rsend_msg); break;
      case sending::persistent:
      case sending::persistent_synchronous: {
        start_send(m);
        pure_request& request = requests_[operation_of_message(m)];
        pure_status status;
        pure_wait(&request, &status);
        return ended(operation_of_message(m), status);
      }
      case sending::cancelled_first: {
        pure_request request;
        with(what, out(m), pure_issend_msg, &request);
        if (cancel_soon(request, m)) {
          sent(m);  // the buffer is ours again
          with(what, out(m), pure_send_msg);
        }
        break;
      }
    }
    sent(m);
  }

  /// Whether it was cancelled; the request is over. `looks`: how many times it is looked at before.
  static bool cancel_soon(pure_request& request, int looks) {
    int flag = 0;
    for (int i = 0; i < looks % 4; ++i) pure_request_get_status(request, &flag);
    pure_cancel(&request);
    pure_status status;
    pure_wait(&request, &status);
    pure_test_cancelled(&status, &flag);
    return flag != 0;
  }

  void start_send(int m) {
    const message& what = p_.sent(m);
    pure_request& request = requests_[operation_of_message(m)];
    switch (what.how) {
      case sending::synchronous: with(what, out(m), pure_issend_msg, &request); break;
      case sending::buffered: with(what, out(m), pure_ibsend_msg, &request); break;
      case sending::ready: with(what, out(m), pure_irsend_msg, &request); break;
      case sending::persistent:
      case sending::persistent_synchronous: {
        persistent<pure_request>& taken = persistent_send(sends_, m, [&](const buffer& data) {
          pure_request made;
          with(what, data, what.is_synchronous() ? pure_ssend_init : pure_send_init, &made);
          return made;
        });
        request = taken.request;
        active_[operation_of_message(m)] = &taken;
        pure_start(&request);
        break;
      }
      default: with(what, out(m), pure_isend_msg, &request); break;
    }
  }

  // ---- receives ----

  [[nodiscard]] probe_result found_by(int comm, const pure_status& said) const {
    return {rank_in(comm, said.source), said.tag, static_cast<std::size_t>(said.bytes)};
  }
  void received_as(int r, const pure_status& status) {
    received(r, rank_in(p_.posted(r).comm, status.source), status.tag, static_cast<std::size_t>(status.bytes));
  }

  void receive_plainly(int r) {
    pure_status status;
    with(p_.posted(r), in(r), pure_recv_msg, &status);
    received_as(r, status);
  }

  void receive_probed(int r, const pure_status& there) {
    const receive& what = p_.posted(r);
    int flag = 0;
    pure_status again, status;
    pure_iprobe(there.source, there.tag, on(what.comm), &flag, &again);
    buffer& data = in(r);
    pure_recv_msg(data.data(), count_of(what.capacity), type_of(what.capacity), there.source, there.tag, on(what.comm),
                  &status);
    received_as(r, status);
    compare_with_probe(r, found_by(what.comm, there));
    const probe_result first = found_by(what.comm, there);
    if (!may_be_cancelled(first) && (flag == 0 || found_by(what.comm, again) != first)) {
      complain(r, "was probed, and a second probe did not find it");
    }
  }

  void receive_held(int r, pure_message& message, const pure_status& there, bool at_once) {
    const receive& what = p_.posted(r);
    buffer& data = in(r);
    pure_status status;
    if (at_once) {
      pure_mrecv_msg(data.data(), count_of(what.capacity), type_of(what.capacity), &message, &status);
    } else {
      pure_request request;
      pure_imrecv_msg(data.data(), count_of(what.capacity), type_of(what.capacity), &message, &request);
      pure_wait(&request, &status);
    }
    received_as(r, status);
    compare_with_probe(r, found_by(what.comm, there));
    if (message != PURE_MESSAGE_NULL) complain(r, "has left its message");
  }

  void receive_now(int r) {
    const receive& what = p_.posted(r);
    const int source = rank_in(what.comm, what.source);
    const pure_comm comm = on(what.comm);
    pure_status there;
    pure_message message = PURE_MESSAGE_NULL;
    int flag = 0;
    switch (what.how) {
      case receiving::plain: return receive_plainly(r);
      case receiving::persistent:
        start_receive(r);
        pure_wait(&requests_[operation_of_receive(r)], &there);
        return ended(operation_of_receive(r), there);
      case receiving::probed: pure_probe(source, what.tag, comm, &there); return receive_probed(r, there);
      case receiving::iprobed:
        while (flag == 0) pure_iprobe(source, what.tag, comm, &flag, &there);
        return receive_probed(r, there);
      case receiving::matched:
        pure_mprobe(source, what.tag, comm, &message, &there);
        return receive_held(r, message, there, true);
      case receiving::imatched:
        while (flag == 0) pure_improbe(source, what.tag, comm, &flag, &message, &there);
        return receive_held(r, message, there, false);
      case receiving::cancelled_first: {
        pure_request request;
        with(what, in(r), pure_irecv_msg, &request);
        for (int i = 0; i < r % 4; ++i) pure_request_get_status(request, &flag);
        pure_cancel(&request);
        pure_wait(&request, &there);
        return there.cancelled != 0 ? receive_plainly(r) : received_as(r, there);
      }
    }
  }

  void start_receive(int r) {
    const receive& what = p_.posted(r);
    pure_request& request = requests_[operation_of_receive(r)];
    if (what.how != receiving::persistent) return with(what, in(r), pure_irecv_msg, &request);
    persistent<pure_request>& taken = persistent_receive(receives_, r, [&](buffer& data) {
      pure_request made;
      pure_recv_init(data.data(), static_cast<std::int64_t>(data.size()), PURE_BYTE, rank_in(what.comm, what.source),
                     what.tag, on(what.comm), &made);
      return made;
    });
    request = taken.request;
    active_[operation_of_receive(r)] = &taken;
    pure_start(&request);
  }

  // ---- both ----

  void send_and_receive(int m, int r) {
    const message& sends = p_.sent(m);
    const receive& receives = p_.posted(r);
    const int dest = rank_in(sends.comm, sends.to), source = rank_in(receives.comm, receives.source);
    pure_status status;
    if (sends.comm != receives.comm) {  // one call is on one communicator
      pure_request requests[2];
      pure_status statuses[2];
      with(receives, in(r), pure_irecv_msg, &requests[0]);
      with(sends, out(m), pure_isend_msg, &requests[1]);
      pure_waitall(2, requests, statuses);
      status = statuses[0];
    } else if (m % 3 == 0 && receives.capacity <= sends.bytes) {
      buffer& both = out(m);
      buffer& place = in(r);
      pure_sendrecv_replace_msg(both.data(), count_of(sends.bytes), type_of(sends.bytes), dest, sends.tag, source,
                                receives.tag, on(sends.comm), &status);
      std::copy_n(both.begin(), status.bytes, place.begin());
    } else {
      const buffer& data = out(m);
      buffer& place = in(r);
      if (m % 3 == 1) {
        pure_request request;
        pure_isendrecv_msg(data.data(), count_of(sends.bytes), type_of(sends.bytes), dest, sends.tag, place.data(),
                           count_of(receives.capacity), type_of(receives.capacity), source, receives.tag,
                           on(sends.comm), &request);
        pure_wait(&request, &status);
      } else {
        pure_sendrecv_msg(data.data(), count_of(sends.bytes), type_of(sends.bytes), dest, sends.tag, place.data(),
                          count_of(receives.capacity), type_of(receives.capacity), source, receives.tag, on(sends.comm),
                          &status);
      }
    }
    sent(m);
    received_as(r, status);
  }

  // ---- completion ----

  void complete(const step& s) override {
    const auto count = static_cast<int>(s.operations.size());
    std::vector<pure_request> all;
    for (const int operation : s.operations) {
      all.push_back(operation == nothing ? PURE_REQUEST_NULL : requests_[operation]);
    }
    std::vector<pure_status> statuses(all.size());
    std::vector<int> indices(all.size());
    int left = static_cast<int>(
        std::count_if(s.operations.begin(), s.operations.end(), [](int o) { return o != nothing; }));
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
    const int index = index_of(operation);
    const auto by = active_.find(operation);
    if (is_send(operation)) {
      by == active_.end() ? sent(index) : sent(index, *by->second);
    } else if (by == active_.end()) {
      received_as(index, status);
    } else {
      received(index, rank_in(p_.posted(index).comm, status.source), status.tag, static_cast<std::size_t>(status.bytes),
               *by->second);
    }
    if (by != active_.end()) active_.erase(by);
  }

  struct held {  // what a matched probe has found
    pure_message message = PURE_MESSAGE_NULL;
    pure_status there;
  };

  pure_comm reversed_ = PURE_COMM_NULL;
  std::map<int, pure_request> requests_;  // by operation
  std::map<int, held> held_;              // by receive
  pool<pure_request> sends_, receives_;
  std::map<int, persistent<pure_request>*> active_;  // by operation
};

}  // namespace oracle
