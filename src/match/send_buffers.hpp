// The send buffers of one rank: its own, and those that only the messages of one communicator use (MPI 4.1, 3.6). Own
// thread of the rank only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/call.hpp"
#include "match/match_engine.hpp"
#include "match/pending_operation.hpp"
#include "match/send_buffer.hpp"

namespace pure::core {

class send_buffers {
 public:
  explicit send_buffers(match_engine& engine) noexcept : engine_(engine), of_rank_(engine.sender()) {}

  [[nodiscard]] send_buffer& of_rank() noexcept { return of_rank_; }
  /// The buffer of a communicator, by its context, which uses it once it is attached. It lives as long as the rank:
  /// what it has kept goes even when it is detached, and the communicator freed.
  [[nodiscard]] send_buffer& of_communicator(std::uint32_t context);
  /// The buffer of a communicator if there was one ever; null otherwise.
  [[nodiscard]] send_buffer* find(std::uint32_t context) noexcept;

  /// Sends from the buffer that is the message's. Throws buffer if it does not fit.
  void send(const call& by, int to, const envelope& who, const void* data, std::size_t bytes);

  /// Blocks until all that `which` keeps has been sent.
  void flush(const call& by, send_buffer& which);
  /// An operation that is complete when all that `which` keeps now has been sent.
  [[nodiscard]] static std::unique_ptr<pending_operation> pending_flush(send_buffer& which);

  /// Moves on what is kept; true if anything has gone.
  bool advance();
  /// The contexts of the messages that are kept.
  void add_contexts(std::vector<std::uint32_t>& to) const;

 private:
  match_engine& engine_;
  send_buffer of_rank_;
  std::vector<std::pair<std::uint32_t, std::unique_ptr<send_buffer>>> of_communicators_;
};

}  // namespace pure::core
