// Modelled by tests/model/hang_coordinator.pml.
#include "hang/coordinator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/clock.hpp"
#include "base/say.hpp"
#include "hang/report.hpp"
#include "hang/wait_graph.hpp"
#include "runtime/job.hpp"

namespace pure::core {

namespace {

using doing = rank_state::doing;

// Of a process that answers: its threads have 1.5 s, and lines take long to read where others have the cores.
constexpr std::int64_t stacks_take_ns = 20'000'000'000;

std::size_t index(int number) noexcept { return static_cast<std::size_t>(number); }

}  // namespace

hang_coordinator::hang_coordinator(job& watched)
    : job_(watched),
      processes_count_(watched.others()->placement().processes()),
      ranks_(index(watched.size())),
      processes_(index(processes_count_)) {}

// ---- what the processes say -----------------------------------------------------------------------------------------

void hang_coordinator::hear(int from, hang_message what, byte_unpacker& said) {
  if (what == hang_message::states) return hear_states(from, said);
  if (said.number<std::uint32_t>() != number_) return;  // of a search that is over
  process_state& answering = processes_[index(from)];
  switch (what) {
    case hang_message::counted:
      if (step_ == step::counting) hear_counted(from, said);
      return;
    case hang_message::settled:
      if (step_ != step::settling && step_ != step::asking_again) return;
      answering.has_answered = true;
      if (!said.number<bool>()) step_ = step::idle;
      return;
    default:
      if (step_ != step::collecting) return;
      answering.has_answered = true;
      for (std::uint32_t left = said.count(); left > 0; --left) {
        const int rank = said.number<int>();
        stacks_.push_back({fmt::format("rank {}", rank), rank, std::string(said.text())});
      }
  }
}

void hang_coordinator::hear_states(int from, byte_unpacker& said) {
  processes_[index(from)].all_sleep = said.number<bool>();
  const std::int64_t now = now_ns();
  for (std::uint32_t left = said.count(); left > 0; --left) {
    const int rank = said.number<int>();
    ranks_[index(rank)] = rank_state_in(said, now, texts_);
  }
  look();
}

void hang_coordinator::hear_counted(int from, byte_unpacker& said) {
  if (!said.number<bool>()) {
    step_ = step::idle;
    return;
  }
  processes_[index(from)].has_answered = true;
  foreign_ += said.number<std::int32_t>();
  for (std::uint32_t left = said.count(); left > 0; --left) {
    const int to = said.number<int>();
    sent_[index(from) * index(processes_count_) + index(to)] = said.number<std::uint64_t>();
  }
}

// ---- the search -----------------------------------------------------------------------------------------------------

std::vector<sleeper> hang_coordinator::find_suspects(bool& are_all) const {
  are_all = std::all_of(processes_.begin(), processes_.end(), [](const process_state& p) { return p.all_sleep; }) &&
            std::any_of(ranks_.begin(), ranks_.end(), [](const rank_state& r) { return r.now == doing::waiting; });
  std::vector<sleeper> found;
  if (are_all) {
    for (int rank = 0; rank < job_.size(); ++rank) found.push_back({rank, ranks_[index(rank)].sleep});
  } else {
    for (const int rank : stuck_for_ever(ranks_)) found.push_back({rank, ranks_[index(rank)].sleep});
  }
  return found;
}

void hang_coordinator::look() {
  if (step_ == step::collecting) return;
  bool are_all = false;
  std::vector<sleeper> found = find_suspects(are_all);
  if (found.empty()) {
    step_ = step::idle;
  } else if (step_ == step::idle || found != suspects_) {
    begin(std::move(found), are_all);
  }
}

void hang_coordinator::begin(std::vector<sleeper> suspects, bool are_all) {
  suspects_ = std::move(suspects);
  are_all_ = are_all;
  began_ns_ = now_ns();
  foreign_ = 0;
  sent_.assign(index(processes_count_) * index(processes_count_), 0);
  for (process_state& each : processes_) each.has_suspects = false;
  for (const sleeper& each : suspects_) {
    processes_[index(job_.others()->placement().process_of(each.rank))].has_suspects = true;
  }
  ++number_;
  step_ = step::counting;
  ask_to_count();
}

/// All processes: any may have foreign threads.
void hang_coordinator::ask_to_count() {
  for (int process = 0; process < processes_count_; ++process) {
    std::vector<sleeper> there;
    for (const sleeper& each : suspects_) {
      if (job_.others()->placement().process_of(each.rank) == process) there.push_back(each);
    }
    byte_packer message;
    message.add(hang_message::count).add(number_);
    add(message, there);
    message.add(static_cast<std::uint32_t>(
        std::count_if(processes_.begin(), processes_.end(), [](const process_state& p) { return p.has_suspects; })));
    for (int other = 0; other < processes_count_; ++other) {
      if (processes_[index(other)].has_suspects) message.add(other);
    }
    ask(process, std::move(message), true);
  }
}

void hang_coordinator::ask_to_settle() {
  for (int process = 0; process < processes_count_; ++process) {
    byte_packer message;
    message.add(hang_message::settle).add(number_).add(static_cast<std::uint32_t>(processes_count_));
    for (std::size_t from = 0; from < processes_.size(); ++from) {
      message.add(sent_[from * processes_.size() + index(process)]);
    }
    ask(process, std::move(message), processes_[index(process)].has_suspects);
  }
}

void hang_coordinator::ask_again() {
  for (int process = 0; process < processes_count_; ++process) {
    byte_packer message;
    message.add(hang_message::again).add(number_);
    ask(process, std::move(message), processes_[index(process)].has_suspects);
  }
}

/// `is_asked`: false: this process has nothing to say.
void hang_coordinator::ask(int process, byte_packer message, bool is_asked) {
  processes_[index(process)].has_answered = !is_asked;
  if (is_asked) job_.others()->send_control_message(process, message.bytes());
}

bool hang_coordinator::all_have_answered() const noexcept {
  return std::all_of(processes_.begin(), processes_.end(), [](const process_state& p) { return p.has_answered; });
}

void hang_coordinator::move_on() {
  switch (step_) {
    case step::idle: return;
    case step::counting:
      if (!all_have_answered()) return;
      step_ = step::settling;
      return ask_to_settle();
    case step::settling:
      if (!all_have_answered()) return;
      step_ = step::resting;
      began_ns_ = now_ns();
      return;
    case step::resting:
      if (now_ns() - began_ns_ < between_answers_ns) return;
      step_ = step::asking_again;
      return ask_again();
    case step::asking_again:
      if (all_have_answered()) conclude();
      return;
    case step::collecting:
      if (all_have_answered() || now_ns() - collecting_since_ns_ > stacks_take_ns) report();
      return;
  }
}

// ---- the report -----------------------------------------------------------------------------------------------------

/// What was asked about is a hang.
void hang_coordinator::conclude() {
  ends_job_ = foreign_ == 0 || is_time_to_end();
  if (!ends_job_ && !is_time_to_warn()) {
    step_ = step::idle;  // and at the next look it is asked again: foreign threads come and go
    return;
  }
  step_ = step::collecting;
  collecting_since_ns_ = now_ns();
  stacks_.clear();
  for (int process = 0; process < processes_count_; ++process) {
    byte_packer message;
    message.add(hang_message::stacks).add(number_);
    ask(process, std::move(message), true);
  }
}

bool hang_coordinator::is_time_to_warn() {
  std::int64_t longest_ns = 0;
  const std::int64_t now = now_ns();
  for (const sleeper& each : suspects_) {
    const rank_state& state = ranks_[index(each.rank)];
    if (state.now == doing::waiting) longest_ns = std::max(longest_ns, now - state.wait.since_ns);
  }
  return warnings_.is_time(longest_ns, job_.values().hang_timeout_s);
}

/// Though there are foreign threads.
bool hang_coordinator::is_time_to_end() const {
  const int ends_s = job_.values().hang_ends_s;
  std::vector<int> stuck;
  for (const sleeper& each : suspects_) stuck.push_back(each.rank);
  return ends_s > 0 && common_wait_ns(ranks_, stuck) >= ends_s * warning_pace::second_ns;
}

void hang_coordinator::report() {
  step_ = step::idle;
  if (!ends_job_) {
    say([&] {
      return text_of_warning(text_of_foreign(foreign_, job_.values().hang_ends_s), warnings_.next_s()) +
             table_of_ranks(ranks_, stacks_) + missing_stacks();
    });
    return;
  }
  std::vector<int> stuck;
  for (const sleeper& each : suspects_) stuck.push_back(each.rank);
  std::string text = are_all_ ? report_of_deadlock(ranks_, stacks_) : report_of_stuck_ranks(ranks_, stuck, stacks_);
  if (const std::string missing = missing_stacks(); !missing.empty()) text += "\n" + missing;
  while (text.ends_with('\n')) text.pop_back();
  if (foreign_ > 0) text += text_of_end(foreign_, job_.values().hang_ends_s);
  job_.fail_by_deadlock(text);
}

std::string hang_coordinator::missing_stacks() const {
  std::string text;
  for (int process = 0; process < processes_count_; ++process) {
    if (processes_[index(process)].has_answered) continue;
    text += fmt::format("  stacks of the ranks of process {}: unknown (it did not answer)\n", process);
  }
  return text;
}

}  // namespace pure::core
