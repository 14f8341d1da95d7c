// Process 0's part in the search for ranks that wait for ever in several processes: it brings together what they tell,
// asks whether it is true, and reports it, once for the job (DESIGN D12).
//
// *Suspects* are all ranks, if all workers of all processes sleep; else those that only each other, or ranks that have
// returned, could free (wait_graph.hpp). What the processes have told is of different moments, and messages may be on
// their way, so a search asks three times, each time all processes that have suspects:
//
//   count    Is every suspect still in the same sleep, and is nothing that it has left waiting to be sent? How many
//            packets have you sent to each of the others?
//   settle   Have so many packets arrived from each? Is every suspect still in the same sleep, and nothing that has
//            come waiting to be handed to it, and no bytes that it has asked for missing?
//   again    Half a second later: still?
//
// Why this is exact. All have told of their suspects before process 0 asks, and all find them in the same sleeps when
// they count: at the moment of asking, all of them slept. So what any suspect has ever sent was sent before, and is
// among the packets that were counted; when all these have been handed over and a suspect has not been woken, none of
// them was for it. Nobody else can free a suspect, and a suspect that does not wake sends nothing. Three things move
// without a rank, and each is known to a process that is asked: an answer to a cancelled send, and bytes that have been
// asked for, keep the suspect's process from being settled; bytes that nobody has asked for may still go into memory
// of the network, whereupon their sender is free. They go the way of the packets that are counted, before them, and
// between the second question and the third every network has been moved on for half a second. Whoever has been woken
// since sleeps in another sleep, if at all. (tests/model/hang_coordinator.pml)
//
// With foreign threads in any process a hang is a warning, as in one process. The thread of hang_watch only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hang/control_messages.hpp"
#include "hang/stack_text.hpp"
#include "hang/warning_pace.hpp"

namespace pure::core {

class job;

class hang_coordinator {
 public:
  static constexpr std::int64_t between_answers_ns = 500'000'000;

  explicit hang_coordinator(job& watched);

  /// A control message that is process 0's business.
  void hear(int from, hang_message what, byte_unpacker& said);

  /// Twice a second: begins a search, if there is reason to.
  void look();

  /// Takes the step whose time has come.
  void move_on();

  /// A search is under way: whoever waits should not wait for long.
  [[nodiscard]] bool is_busy() const noexcept { return step_ != step::idle; }

 private:
  enum class step { idle, counting, settling, resting, asking_again, collecting };

  struct process_state {
    bool all_sleep = false;
    bool has_suspects = false;
    bool has_answered = false;  // what was asked last
  };

  void hear_states(int from, byte_unpacker& said);
  void hear_counted(int from, byte_unpacker& said);
  [[nodiscard]] std::vector<sleeper> find_suspects(bool& are_all) const;
  void begin(std::vector<sleeper> suspects, bool are_all);
  void ask_to_count();
  void ask_to_settle();
  void ask_again();
  void ask(int process, byte_packer message, bool is_asked);
  [[nodiscard]] bool all_have_answered() const noexcept;
  void conclude();
  void report();
  [[nodiscard]] std::string missing_stacks() const;
  [[nodiscard]] bool is_time_to_warn();
  [[nodiscard]] bool is_time_to_end() const;

  job& job_;
  const int processes_count_;
  kept_texts texts_;
  std::vector<rank_state> ranks_;  // as they were told
  std::vector<process_state> processes_;

  // --- the search ---
  step step_ = step::idle;
  std::uint32_t number_ = 0;
  std::vector<sleeper> suspects_;
  bool are_all_ = false;
  std::int64_t began_ns_ = 0;
  int foreign_ = 0;
  bool ends_job_ = false;            // what is reported, and is no warning
  std::vector<std::uint64_t> sent_;  // from each to each, by sender
  std::int64_t collecting_since_ns_ = 0;
  std::vector<stack_lines> stacks_;
  warning_pace warnings_;
};

}  // namespace pure::core
