// The point-to-point calls of pure.h, for c_runner.hpp. One object a rank.
#pragma once

#include <pure.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/oracle/program.hpp"

namespace oracle {

class pure_h_door {
 public:
  using request = pure_request;
  using message_handle = pure_message;
  using status = pure_status;
  using buffer = std::vector<std::byte>;

  /// `world`: of the program's ranks.
  explicit pure_h_door(const program& p, pure_comm world = PURE_COMM_WORLD)
      : ranks_(p.ranks()), has_second_(p.has_second_communicator()), world_(world) {
    pure_buffer_attach(PURE_BUFFER_AUTOMATIC, 0);
    int rank = 0;
    pure_comm_rank(world_, &rank);
    if (has_second_) pure_comm_split(world_, 0, -rank, &reversed_);
  }
  void end() {
    void* automatic = nullptr;
    std::int64_t size = 0;
    pure_buffer_detach(&automatic, &size);
    if (has_second_) pure_comm_free(&reversed_);
  }

  static request null_request() noexcept { return PURE_REQUEST_NULL; }
  static message_handle null_message() noexcept { return PURE_MESSAGE_NULL; }
  [[nodiscard]] int source(const status& of, int comm) const noexcept { return rank_in(comm, of.source); }
  [[nodiscard]] static int tag(const status& of) noexcept { return of.tag; }
  [[nodiscard]] static std::size_t bytes(const status& of) noexcept { return static_cast<std::size_t>(of.bytes); }

  static void flush() { pure_buffer_flush(); }
  static void request_free(request& r) { pure_request_free(&r); }

  // ---- sends ----

  void send(sending how, const message& m, const buffer& data) {
    switch (how) {
      case sending::synchronous: return with(m, data, pure_ssend_msg);
      case sending::buffered: return with(m, data, pure_bsend_msg);
      case sending::ready: return with(m, data, pure_rsend_msg);
      default: return with(m, data, pure_send_msg);
    }
  }
  void isend(sending how, const message& m, const buffer& data, request& made) {
    switch (how) {
      case sending::synchronous: return with(m, data, pure_issend_msg, &made);
      case sending::buffered: return with(m, data, pure_ibsend_msg, &made);
      case sending::ready: return with(m, data, pure_irsend_msg, &made);
      default: return with(m, data, pure_isend_msg, &made);
    }
  }
  void send_init(const message& m, const buffer& data, request& made) {
    with(m, data, m.is_synchronous() ? pure_ssend_init : pure_send_init, &made);
  }
  static void start(request& r) { pure_start(&r); }

  // ---- receives and probes ----

  void recv(buffer& in, std::size_t room, int source, int tag, int comm, status& got) {
    pure_recv_msg(in.data(), count_of(room), type_of(room), rank_in(comm, source), tag, on(comm), &got);
  }
  void irecv(buffer& in, std::size_t room, int source, int tag, int comm, request& made) {
    pure_irecv_msg(in.data(), count_of(room), type_of(room), rank_in(comm, source), tag, on(comm), &made);
  }
  void recv_init(buffer& in, std::size_t room, int source, int tag, int comm, request& made) {
    pure_recv_init(in.data(), count_of(room), type_of(room), rank_in(comm, source), tag, on(comm), &made);
  }
  void probe(int source, int tag, int comm, status& there) { pure_probe(rank_in(comm, source), tag, on(comm), &there); }
  bool iprobe(int source, int tag, int comm, status& there) {
    int flag = 0;
    pure_iprobe(rank_in(comm, source), tag, on(comm), &flag, &there);
    return flag != 0;
  }
  void mprobe(int source, int tag, int comm, message_handle& found, status& there) {
    pure_mprobe(rank_in(comm, source), tag, on(comm), &found, &there);
  }
  bool improbe(int source, int tag, int comm, message_handle& found, status& there) {
    int flag = 0;
    pure_improbe(rank_in(comm, source), tag, on(comm), &flag, &found, &there);
    return flag != 0;
  }
  static void mrecv(buffer& in, std::size_t room, message_handle& from, status& got) {
    pure_mrecv_msg(in.data(), count_of(room), type_of(room), &from, &got);
  }
  static void imrecv(buffer& in, std::size_t room, message_handle& from, request& made) {
    pure_imrecv_msg(in.data(), count_of(room), type_of(room), &from, &made);
  }

  // ---- both ----

  void sendrecv(const message& m, const buffer& out, const receive& r, buffer& in, status& got) {
    pure_sendrecv_msg(out.data(), count_of(m.bytes), type_of(m.bytes), rank_in(m.comm, m.to), m.tag, in.data(),
                      count_of(r.capacity), type_of(r.capacity), rank_in(r.comm, r.source), r.tag, on(m.comm), &got);
  }
  void isendrecv_and_wait(const message& m, const buffer& out, const receive& r, buffer& in, status& got) {
    request made;
    pure_isendrecv_msg(out.data(), count_of(m.bytes), type_of(m.bytes), rank_in(m.comm, m.to), m.tag, in.data(),
                       count_of(r.capacity), type_of(r.capacity), rank_in(r.comm, r.source), r.tag, on(m.comm), &made);
    pure_wait(&made, &got);
  }
  void sendrecv_replace(const message& m, buffer& both, const receive& r, status& got) {
    pure_sendrecv_replace_msg(both.data(), count_of(m.bytes), type_of(m.bytes), rank_in(m.comm, m.to), m.tag,
                              rank_in(r.comm, r.source), r.tag, on(m.comm), &got);
  }

  // ---- completion ----

  static void wait(request& r, status& got) { pure_wait(&r, &got); }
  static bool test(request& r, status& got) {
    int flag = 0;
    pure_test(&r, &flag, &got);
    return flag != 0;
  }
  static void waitall(std::vector<request>& all, std::vector<status>& got) {
    pure_waitall(size_of(all), all.data(), got.data());
  }
  static bool testall(std::vector<request>& all, std::vector<status>& got) {
    int flag = 0;
    pure_testall(size_of(all), all.data(), &flag, got.data());
    return flag != 0;
  }
  static int waitany(std::vector<request>& all, status& got) {
    int index = 0;
    pure_waitany(size_of(all), all.data(), &index, &got);
    return index;
  }
  static bool testany(std::vector<request>& all, int& index, status& got) {
    int flag = 0;
    pure_testany(size_of(all), all.data(), &index, &flag, &got);
    return flag != 0;
  }
  static int waitsome(std::vector<request>& all, std::vector<int>& indices, std::vector<status>& got) {
    int found = 0;
    pure_waitsome(size_of(all), all.data(), &found, indices.data(), got.data());
    return found;
  }
  static int testsome(std::vector<request>& all, std::vector<int>& indices, std::vector<status>& got) {
    int found = 0;
    pure_testsome(size_of(all), all.data(), &found, indices.data(), got.data());
    return found;
  }
  static void cancel(request& r) { pure_cancel(&r); }
  static bool test_cancelled(const status& of) {
    int flag = 0;
    pure_test_cancelled(&of, &flag);
    return flag != 0;
  }
  static void get_status(request r) {
    int flag = 0;
    pure_request_get_status(r, &flag);
  }

 private:
  // One type at both ends: PURE_CHECK compares them, and a receive's capacity says nothing of the message's size.
  static pure_datatype type_of(std::size_t) { return PURE_BYTE; }
  static std::int64_t count_of(std::size_t bytes) { return static_cast<std::int64_t>(bytes); }
  static int size_of(const std::vector<request>& all) noexcept { return static_cast<int>(all.size()); }

  [[nodiscard]] pure_comm on(int comm) const noexcept { return comm == 0 ? world_ : reversed_; }
  /// A rank of the world in a communicator, and back.
  [[nodiscard]] int rank_in(int comm, int rank) const noexcept {
    return comm == 0 || rank < 0 ? rank : ranks_ - 1 - rank;
  }

  /// call(buf, count, type, dest, tag, comm, more...) for a message.
  template <class Call, class... More>
  void with(const message& m, const buffer& data, Call call, More... more) {
    call(data.data(), count_of(m.bytes), type_of(m.bytes), rank_in(m.comm, m.to), m.tag, on(m.comm), more...,
         pure_call_site());
  }

  int ranks_;
  bool has_second_;
  pure_comm world_;
  pure_comm reversed_ = PURE_COMM_NULL;
};

}  // namespace oracle
