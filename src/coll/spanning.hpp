// Collectives on a communicator with ranks in several processes: combine inside each, between the processes, publish
// inside each (DESIGN D6).
//
// An operation is a list of steps, made when the call is made and done one after the other: a collective of the ranks
// of this process (spread.hpp), messages of this rank to ranks of other processes, a computation. Messages have the
// context of the communicator's collectives, and as their tag the number of the operation and of the round; all ranks
// number both alike. Reductions are combined in the order of the ranks: part by part where the parts are consecutive
// ranks, else from the operands of all.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <vector>

#include "coll/operation.hpp"

namespace pure::core {

struct spread;

class spanning_collective : public operation {
 public:
  spanning_collective(collective_member& on, const collective_arguments& what);
  spanning_collective(const spanning_collective&) = delete;
  spanning_collective& operator=(const spanning_collective&) = delete;
  ~spanning_collective();

  bool poll();

  /// Instead of any poll, at all ranks: nothing takes place, whatever each has planned. Only where calls are compared.
  void cancel() noexcept;

 private:
  static constexpr int most_local_steps = 3;  // of any plan

  class step;
  class local_step;
  class skipped_step;
  class message_step;
  template <class Do>
  class computation;

  void plan();
  void plan_barrier();
  void plan_broadcast(int root, void* data, std::size_t bytes);
  void plan_reduce();
  void plan_allreduce(void* result);
  void plan_reduce_scatter();
  void plan_fold_of_operands();
  void plan_reduce_of_operands();
  void plan_gather();
  void plan_scatter();
  void plan_allgather();
  void plan_alltoall();

  struct partial_results {  // of all parts
    std::byte* room;        // one after the other
    std::size_t bytes;      // of each
    int own;
    const std::byte* own_partial;  // there, or somewhere else

    [[nodiscard]] std::byte* room_for(int part) const noexcept { return room + static_cast<std::size_t>(part) * bytes; }
    [[nodiscard]] const std::byte* of(int part) const noexcept { return part == own ? own_partial : room_for(part); }
  };
  void exchange_whole(const partial_results& partials, void* result);
  void exchange_in_blocks(const partial_results& partials, void* result);

  void publish_inside(int root_index, void* data, std::size_t bytes);
  void bring_together(std::byte* all, const std::vector<std::size_t>& first);
  void reduce_inside(int root_index, void* result);
  const std::byte* own_partial(int root_index, std::byte* room, const void* result);
  void fold_partials(const partial_results& all, std::size_t skipped, void* result, std::size_t count) const;
  void fold_operands(const std::vector<const std::byte*>& operands) const;
  static std::size_t offset_in_order(const block_layout& blocks, int q) noexcept;

  /// Both ends of a message are of the same round.
  message_step& messages(unsigned round);
  template <class Do>
  void compute(Do what);
  template <class Step, class... Arguments>
  Step& add_step(Arguments&&... arguments);
  template <class Step, class... Arguments>
  void add_local_step(Arguments&&... arguments);
  void inside(const collective_arguments& what);
  std::byte* memory(std::size_t bytes);

  const spread& over_;
  // The steps, and what they need: those for a few processes fit, and are made without the heap
  // (D-plan-without-heap).
  alignas(std::max_align_t) std::array<std::byte, 2048> room_;
  std::pmr::monotonic_buffer_resource in_room_{room_.data(), room_.size()};
  std::vector<std::unique_ptr<std::byte[]>> memory_;  // what is larger
  struct destroyer {
    void operator()(step* one) const noexcept;
  };
  std::pmr::vector<std::unique_ptr<step, destroyer>> steps_{&in_room_};
  std::size_t next_ = 0;
  int local_steps_ = 0;
  bool has_started_ = false;
};

}  // namespace pure::core
