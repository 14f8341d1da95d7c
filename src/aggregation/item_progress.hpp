// What moves the items of a rank on: in its calls, in its waits, and where it has to wait itself, for credit, for room
// under the memory cap, or for the network.
//
// What always holds: only what is not a handler waits. Where items are moved that the rank has accepted before, nobody
// can be told that there is no memory: the job ends. Own thread of the rank only.
#pragma once

#include <cstddef>
#include <new>

#include "aggregation/aggregation_part.hpp"
#include "aggregation/call_checks.hpp"
#include "aggregation/item_receiver.hpp"
#include "aggregation/item_sender.hpp"
#include "aggregation/rank_stage.hpp"
#include "aggregation/send_follow_up.hpp"
#include "base/call.hpp"
#include "runtime/wait.hpp"
#include "runtime/wait_reason.hpp"

namespace pure::core {

class item_progress final : public send_follow_up {
 public:
  item_progress(aggregation_part& part, rank_stage& stage, const call_checks& checks, item_sender& sender,
                item_receiver& receiver, const channel_list& channels) noexcept;

  /// Handles what has come, and pushes what is due. True if anything moved. Throws std::bad_alloc.
  bool move_on(const call& by);
  /// Pushes all that waits in open buffers and own packets. True if there was something. Throws std::bad_alloc: what
  /// has not left still waits. Only what is for that rank: with `dest`.
  bool push_all(const call& by);
  void push_all(const call& by, int dest);

  // ---- for the rank's waits. Without memory for it the job ends ----

  /// What other ranks wait for, and what is due.
  bool advance();
  /// And what waits in open buffers: nobody would push it while the rank sleeps.
  bool before_sleep();

  // ---- for its channels ----

  void has_pushed(const call& by, int dest) override;
  void has_opened(const call& by) override;

  /// Runs act(), of whose failure nobody can be told, for what it has begun has to go on: without memory the job ends.
  template <class Act>
  decltype(auto) or_end_job(const call& by, Act act) {
    try {
      return act();
    } catch (const std::bad_alloc&) {
      end_without_memory(by);
    }
  }

 private:
  bool push_due(const call& by);
  [[nodiscard]] bool has_room_for_another();
  void make_room_for_another(const call& by);
  void make_room(const call& by, int dest);
  void wait_for_network(const call& by, int next);
  template <class Condition>
  void wait(const call& by, const wait_kind& what, int peer, Condition condition,
            while_waiting meanwhile = while_waiting::advance_services);
  [[noreturn]] void end_without_memory(const call& by);

  aggregation_part& part_;
  rank_stage& stage_;
  const call_checks& checks_;
  item_sender& sender_;
  item_receiver& receiver_;
  const channel_list& channels_;
  int skipped_at_cap_ = 0;  // calls of move_on() in a row that have handled nothing, for handlers may send more
};

}  // namespace pure::core
