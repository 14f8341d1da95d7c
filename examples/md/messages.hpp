// The message calls that this program needs, and nothing more: all that differs between its Pure and its MPI build.
//
// messages_pure.cpp and messages_mpi.cpp implement the first group; collectives.cpp builds the second group on the
// first, so that both builds exchange the same messages in the same order. One object per rank, used by that rank only;
// it lives from the start of main to its end.
#pragma once

#include <cstddef>
#include <span>

namespace md {

class messages {
 public:
  messages(int& argc, char**& argv);
  ~messages();
  messages(const messages&) = delete;
  messages& operator=(const messages&) = delete;

  // --- by the message-passing system ---
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] static double wtime_s();
  /// "Pure", "MPI" or "MPI + OpenMP".
  [[nodiscard]] static const char* system();

  /// No message may be longer, nor offer more room, than this (MPI-3 counts are ints).
  static constexpr std::size_t longest_bytes = 0x7fffffff;

  void send(std::span<const std::byte> data, int to, int tag);
  /// Returns the length of the message, which is at most in.size().
  std::size_t recv(std::span<std::byte> in, int from, int tag);
  /// Both at once. Returns the length of the message received, which is at most in.size().
  std::size_t sendrecv(std::span<const std::byte> out, int to, std::span<std::byte> in, int from, int tag);
  /// Ends every rank of the job.
  [[noreturn]] void abort(int code);

  // --- by messages ---
  /// Adds element by element over all ranks, in an order that depends only on size(); every rank gets the same bits.
  void sum(std::span<double> values);
  /// Rank 0's bytes, on every rank. All ranks pass the same length.
  void broadcast(std::span<std::byte> data);
  /// Returns when every rank has called it.
  void barrier();

 private:
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace md
