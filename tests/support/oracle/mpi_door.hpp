// The point-to-point calls of a real MPI, for c_runner.hpp. One object a process and program.
//
// MPI_BYTE at both ends: the types of a message must be the same. What MPI 4.0 has added (MPI_Isendrecv) is made of
// older calls where the MPI is older. Tags are numbered from the largest that the MPI allows downward, for not all
// allow as large ones as Pure.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "support/oracle/program.hpp"

namespace oracle {

/// Where this MPI breaks the standard, found by trial: such faults, once known and said, must not hide others.
struct mpi_faults {
  bool null_status = false;       // of MPI_Irecv from MPI_PROC_NULL (MPICH before 4.2: its issue 6805)
  bool isendrecv_status = false;  // of MPI_Isendrecv: says nothing of the message (MPICH 4.0.2)
  bool cancelled_sends = false;   // MPI_Cancel of a send through shared memory may crash (MPICH 5.0.2)

  static mpi_faults find() {
    mpi_faults found;
    MPI_Status got{};
    MPI_Request request;
    MPI_Irecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request);
    MPI_Wait(&request, &got);
    found.null_status = got.MPI_SOURCE != MPI_PROC_NULL || got.MPI_TAG != MPI_ANY_TAG;
#if MPI_VERSION >= 4
    char out = 'x', in = 0;
    int bytes = 0;
    MPI_Isendrecv(&out, 1, MPI_BYTE, 0, 3, &in, 1, MPI_BYTE, 0, 3, MPI_COMM_SELF, &request);
    MPI_Wait(&request, &got);
    MPI_Get_count(&got, MPI_BYTE, &bytes);
    found.isendrecv_status = got.MPI_SOURCE != 0 || got.MPI_TAG != 3 || bytes != 1;
#endif
#ifdef MPICH_NUMVERSION  // it cannot be tried
    found.cancelled_sends = MPICH_NUMVERSION >= 50'000'000;
#endif
    return found;
  }
};

class mpi_door {
 public:
  using request = MPI_Request;
  using message_handle = MPI_Message;
  using status = MPI_Status;
  using buffer = std::vector<std::byte>;

  /// `world` has the ranks of the program, `reversed` the same in the opposite order.
  mpi_door(const program& p, int rank, MPI_Comm world, MPI_Comm reversed, const mpi_faults& faults)
      : ranks_(p.ranks()), world_(world), reversed_(reversed), faults_(faults) {
    for (const message& m : p.messages) tags_.push_back(m.tag);
    for (const receive& r : p.receives) {
      if (r.tag != oracle::any_tag) tags_.push_back(r.tag);
    }
    std::sort(tags_.begin(), tags_.end());
    tags_.erase(std::unique(tags_.begin(), tags_.end()), tags_.end());
    int* largest = nullptr;
    int flag = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&largest), &flag);
    first_tag_ = *largest - static_cast<int>(tags_.size()) + 1;

    std::size_t room = MPI_BSEND_OVERHEAD;
    for (const message& m : p.messages) {
      if (m.from == rank && m.how == sending::buffered)
        room += m.bytes + MPI_BSEND_OVERHEAD + alignof(std::max_align_t);
    }
    for_buffered_.resize(room);
    MPI_Buffer_attach(for_buffered_.data(), static_cast<int>(room));
  }
  void end() {
    void* given_back = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(static_cast<void*>(&given_back), &bytes);
  }

  static request null_request() noexcept { return MPI_REQUEST_NULL; }
  static message_handle null_message() noexcept { return MPI_MESSAGE_NULL; }
  [[nodiscard]] int source(const status& of, int comm) const noexcept {
    return of.MPI_SOURCE == MPI_PROC_NULL || is_faulty_null(of) ? proc_null : in_order(comm, of.MPI_SOURCE);
  }
  [[nodiscard]] int tag(const status& of) const noexcept {
    if (of.MPI_TAG == MPI_ANY_TAG || is_faulty_null(of)) return oracle::any_tag;
    const int place = of.MPI_TAG - first_tag_;
    const bool is_known = place >= 0 && place < static_cast<int>(tags_.size());
    return is_known ? tags_[static_cast<std::size_t>(place)] : -1000;  // which nobody asks for
  }
  [[nodiscard]] static std::size_t bytes(const status& of) noexcept {
    int count = 0;
    MPI_Get_count(&of, MPI_BYTE, &count);
    return static_cast<std::size_t>(count);
  }

  static void flush() {}  // a barrier of MPI moves everything on
  static void request_free(request& r) { MPI_Request_free(&r); }

  // ---- sends ----

  void send(sending how, const message& m, const buffer& data) const {
    const auto call = how == sending::synchronous ? MPI_Ssend
                      : how == sending::buffered  ? MPI_Bsend
                      : how == sending::ready     ? MPI_Rsend
                                                  : MPI_Send;
    call(data.data(), size_of(data), MPI_BYTE, rank_of(m.comm, m.to), tag_of(m.tag), on(m.comm));
  }
  void isend(sending how, const message& m, const buffer& data, request& made) const {
    const auto call = how == sending::synchronous ? MPI_Issend
                      : how == sending::buffered  ? MPI_Ibsend
                      : how == sending::ready     ? MPI_Irsend
                                                  : MPI_Isend;
    call(data.data(), size_of(data), MPI_BYTE, rank_of(m.comm, m.to), tag_of(m.tag), on(m.comm), &made);
  }
  void send_init(const message& m, const buffer& data, request& made) const {
    const auto call = m.is_synchronous() ? MPI_Ssend_init : MPI_Send_init;
    call(data.data(), size_of(data), MPI_BYTE, rank_of(m.comm, m.to), tag_of(m.tag), on(m.comm), &made);
  }
  static void start(request& r) { MPI_Start(&r); }

  // ---- receives and probes ----

  void recv(buffer& in, std::size_t room, int source, int tag, int comm, status& got) const {
    MPI_Recv(in.data(), static_cast<int>(room), MPI_BYTE, rank_of(comm, source), tag_of(tag), on(comm), &got);
  }
  void irecv(buffer& in, std::size_t room, int source, int tag, int comm, request& made) const {
    MPI_Irecv(in.data(), static_cast<int>(room), MPI_BYTE, rank_of(comm, source), tag_of(tag), on(comm), &made);
  }
  void recv_init(buffer& in, std::size_t room, int source, int tag, int comm, request& made) const {
    MPI_Recv_init(in.data(), static_cast<int>(room), MPI_BYTE, rank_of(comm, source), tag_of(tag), on(comm), &made);
  }
  void probe(int source, int tag, int comm, status& there) const {
    MPI_Probe(rank_of(comm, source), tag_of(tag), on(comm), &there);
  }
  bool iprobe(int source, int tag, int comm, status& there) const {
    int flag = 0;
    MPI_Iprobe(rank_of(comm, source), tag_of(tag), on(comm), &flag, &there);
    return flag != 0;
  }
  void mprobe(int source, int tag, int comm, message_handle& found, status& there) const {
    MPI_Mprobe(rank_of(comm, source), tag_of(tag), on(comm), &found, &there);
  }
  bool improbe(int source, int tag, int comm, message_handle& found, status& there) const {
    int flag = 0;
    MPI_Improbe(rank_of(comm, source), tag_of(tag), on(comm), &flag, &found, &there);
    return flag != 0;
  }
  static void mrecv(buffer& in, std::size_t room, message_handle& from, status& got) {
    MPI_Mrecv(in.data(), static_cast<int>(room), MPI_BYTE, &from, &got);
  }
  static void imrecv(buffer& in, std::size_t room, message_handle& from, request& made) {
    MPI_Imrecv(in.data(), static_cast<int>(room), MPI_BYTE, &from, &made);
  }

  // ---- both ----

  void sendrecv(const message& m, const buffer& out, const receive& r, buffer& in, status& got) const {
    MPI_Sendrecv(out.data(), size_of(out), MPI_BYTE, rank_of(m.comm, m.to), tag_of(m.tag), in.data(),
                 static_cast<int>(r.capacity), MPI_BYTE, rank_of(r.comm, r.source), tag_of(r.tag), on(m.comm), &got);
  }
  void isendrecv_and_wait(const message& m, const buffer& out, const receive& r, buffer& in, status& got) const {
#if MPI_VERSION >= 400
    request made;
    MPI_Isendrecv(out.data(), size_of(out), MPI_BYTE, rank_of(m.comm, m.to), tag_of(m.tag), in.data(),
                  static_cast<int>(r.capacity), MPI_BYTE, rank_of(r.comm, r.source), tag_of(r.tag), on(m.comm), &made);
    MPI_Wait(&made, &got);
#else
    irecv_and_isend(m, out, r, in, got);
#endif
  }
  void sendrecv_replace(const message& m, buffer& both, const receive& r, status& got) const {
    MPI_Sendrecv_replace(both.data(), size_of(both), MPI_BYTE, rank_of(m.comm, m.to), tag_of(m.tag),
                         rank_of(r.comm, r.source), tag_of(r.tag), on(m.comm), &got);
  }

  // ---- completion ----

  static void wait(request& r, status& got) { MPI_Wait(&r, &got); }
  static bool test(request& r, status& got) {
    int flag = 0;
    MPI_Test(&r, &flag, &got);
    return flag != 0;
  }
  static void waitall(std::vector<request>& all, std::vector<status>& got) {
    MPI_Waitall(size_of(all), all.data(), got.data());
  }
  static bool testall(std::vector<request>& all, std::vector<status>& got) {
    int flag = 0;
    MPI_Testall(size_of(all), all.data(), &flag, got.data());
    return flag != 0;
  }
  static int waitany(std::vector<request>& all, status& got) {
    int index = 0;
    MPI_Waitany(size_of(all), all.data(), &index, &got);
    return index;
  }
  static bool testany(std::vector<request>& all, int& index, status& got) {
    int flag = 0;
    MPI_Testany(size_of(all), all.data(), &index, &flag, &got);
    return flag != 0;
  }
  static int waitsome(std::vector<request>& all, std::vector<int>& indices, std::vector<status>& got) {
    int found = 0;
    MPI_Waitsome(size_of(all), all.data(), &found, indices.data(), got.data());
    return found;
  }
  static int testsome(std::vector<request>& all, std::vector<int>& indices, std::vector<status>& got) {
    int found = 0;
    MPI_Testsome(size_of(all), all.data(), &found, indices.data(), got.data());
    return found;
  }
  static void cancel(request& r) { MPI_Cancel(&r); }
  static bool test_cancelled(const status& of) {
    int flag = 0;
    MPI_Test_cancelled(&of, &flag);
    return flag != 0;
  }
  static void get_status(request r) {
    int flag = 0;
    MPI_Request_get_status(r, &flag, MPI_STATUS_IGNORE);
  }

 private:
  template <class Sequence>
  static int size_of(const Sequence& all) noexcept {
    return static_cast<int>(all.size());
  }
  [[nodiscard]] MPI_Comm on(int comm) const noexcept { return comm == 0 ? world_ : reversed_; }
  /// A rank of the world in a communicator, and back.
  [[nodiscard]] int in_order(int comm, int rank) const noexcept { return comm == 0 ? rank : ranks_ - 1 - rank; }
  [[nodiscard]] int rank_of(int comm, int rank) const noexcept {
    if (rank == oracle::any_source) return MPI_ANY_SOURCE;
    return rank == proc_null ? MPI_PROC_NULL : in_order(comm, rank);
  }
  [[nodiscard]] int tag_of(int tag) const noexcept {
    if (tag == oracle::any_tag) return MPI_ANY_TAG;
    const auto place = std::lower_bound(tags_.begin(), tags_.end(), tag);
    return first_tag_ + static_cast<int>(place - tags_.begin());
  }

  /// No message has tag 0.
  [[nodiscard]] bool is_faulty_null(const status& of) const noexcept { return faults_.null_status && of.MPI_TAG == 0; }

  void irecv_and_isend(const message& m, const buffer& out, const receive& r, buffer& in, status& got) const {
    std::vector<request> both(2);
    std::vector<status> statuses(2);
    irecv(in, r.capacity, r.source, r.tag, r.comm, both[0]);
    isend(sending::standard, m, out, both[1]);
    waitall(both, statuses);
    got = statuses[0];
  }

  int ranks_;
  MPI_Comm world_, reversed_;
  mpi_faults faults_;
  std::vector<int> tags_;  // ascending
  int first_tag_ = 0;
  std::vector<char> for_buffered_;
};

}  // namespace oracle
