// The end of a phase of an aggregation, as one of its ranks waits for it, and the end of the aggregation.
// Modelled by tests/model/termination.pml.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "aggregation/aggregation.hpp"
#include "aggregation/aggregation_table.hpp"
#include "aggregation/long_finish.hpp"
#include "aggregation/wait_kinds.hpp"
#include "base/printable_text.hpp"
#include "base/say.hpp"
#include "base/text.hpp"
#include "runtime/job.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

namespace {

/// The stages of a finish that an exception leaves.
template <class Act>
class on_exception {
 public:
  explicit on_exception(Act act) : act_(std::move(act)) {}
  on_exception(const on_exception&) = delete;
  on_exception& operator=(const on_exception&) = delete;
  ~on_exception() {
    if (is_armed_) act_();
  }
  void disarm() noexcept { is_armed_ = false; }

 private:
  Act act_;
  bool is_armed_ = true;
};

}  // namespace

/// What a quiet rank waits for: something to handle, or the end of the phase.
class aggregation::quiet_wait {
 public:
  quiet_wait(aggregation& of, wait_reason& why, wait_subject& about) noexcept : of_(of), why_(why), about_(about) {}

  bool operator()() {
    if (has_ended()) return true;
    of_.part_.poll_transport();
    of_.accept_arrivals();
    if (has_ended() || has_items_of_phase() || of_.part_.phases().first_gone(of_.phase_) != nullptr) return true;
    of_.part_.phases().look_for_end(of_.phase_, of_.first_active_);
    return has_ended();
  }
  bool operator()(last_look) {
    if ((*this)()) return true;
    // Own items of pp wait until all ranks here are quiet: that makes the fewest packets. Others wait for what is
    // passed on.
    of_.part_.shared().push(of_.part_.layout().options().scheme == item_scheme::pp);
    say_why();
    return false;
  }

 private:
  [[nodiscard]] bool has_ended() const noexcept {
    return of_.part_.phases().has_ended(of_.phase_) && of_.part_.outgoing().has_sent_all_or_tells();
  }
  [[nodiscard]] bool has_items_of_phase() const noexcept {
    for (const buffer_queue* const each : {&of_.urgent_, &of_.arrived_}) {
      if (!each->empty() && each->front()->phase <= of_.phase_) return true;
    }
    return of_.has_early_of_phase();  // finish says what is wrong
  }

  /// For reports: nobody but a rank that has not called finish can end this.
  void say_why() const noexcept {
    about_.number = of_.part_.counts().under_way();
    const part_member* const missing = of_.part_.phases().first_missing(of_.phase_);
    why_.waiting_for = missing == nullptr ? end_of_phase : finish_by;
    why_.peer = missing == nullptr ? wait_reason::nobody : missing->number;
    why_.only_peer = missing != nullptr;
  }

  aggregation& of_;
  wait_reason& why_;
  wait_subject& about_;
};

/// All ranks make the same channels, in the phase in which they first use them.
void aggregation::require_all_channels(const call& by) const {
  const std::size_t all = part_.channels().size();
  if (channels_.size() >= all) return;
  const channel_record& missing = part_.channels().at(channels_.size());
  throw_wrong(by, errc::mismatch,
              fmt::format("it has made {} of the {}: channel {} of rank {}, of {} ({} bytes){}{}, is missing",
                          channels_.size(), counted(all, "channel"), channels_.size(), missing.by, missing.type,
                          missing.item_bytes, missing.site.empty() ? "" : ", made at ", missing.site));
}

/// Of a channel that this rank has not made. (Ranks that have left finish may make one, and send items of the next
/// phase to those that do not know yet that it has begun.)
bool aggregation::has_early_of_phase() const noexcept {
  for (const item_buffer* each = early_.front(); each != nullptr; each = each->next) {
    if (each->phase <= phase_) return true;
  }
  return false;
}

void aggregation::require_nobody_gone(const call& by) const {
  if (const part_member* const gone = part_.phases().first_gone(phase_)) {
    throw_wrong(by, errc::state,
                fmt::format("rank {} has ended its part of the aggregation, and will not call finish: all ranks make "
                            "the same calls",
                            gone->rank));
  }
}

void aggregation::enter_finish(const call& by) {
  require_open(by, "finish");
  require_all_channels(by);
  require_nobody_gone(by);
  stage_ = stage::finishing;
  counts().publish_in_finish(phase_);
}

void aggregation::leave_finish() noexcept {
  stage_ = stage::open;
  sent_at_finish_ = sent_;
  ++phase_;
  ++stats_.phases;
}

void aggregation::look_for_long_finish(long_finish& lasts) {
  const bool is_long = lasts.look(handled_, [this] { return part_.phases().first_missing(phase_) == nullptr; });
  if (!is_long || !part_.phases().is_first_to_note_long_finish()) return;
  say([&] {
    return fmt::format(
        "pure: note: all ranks here have been in finish of aggregation \"{}\" for {} s, and handle items: {} by rank {} "
        "since. If it never ends, handlers send for ever; the job goes on\n",
        printable_word(name()), lasts.limit_s(), lasts.handled_since(handled_), owner_.number());
  });
}

void aggregation::finish(const call& by, bool (*work)(void* context), void* context) {
  enter_finish(by);
  on_exception fails([this] { stage_ = stage::failed; });
  wait_subject about{.name = name_};
  wait_reason why{.what = by, .waiting_for = end_of_phase, .tag = wait_reason::no_tag, .subject = &about};
  bool may_have_work = work != nullptr;
  long_finish lasts(owner_.owner().values().hang_timeout_s, handled_);
  first_active_ = 0;
  do {
    // Everything that this rank can do: handle, work, and push what these have sent.
    for (bool has_more = true; has_more;) {
      has_more = or_end_job(by, [&] { return move_on(by); });
      look_for_long_finish(lasts);
      may_have_work = (std::exchange(has_handled_, false) || may_have_work) && work != nullptr;
      if (may_have_work) {
        may_have_work = work(context);  // its waits may handle items, too
        has_more = true;
      }
      if (!has_more) has_more = or_end_job(by, [&] { return push_all(by); });
    }
    if (has_early_of_phase()) require_all_channels(by);
    stage_ = stage::quiet;
    counts().publish_quiet(phase_, handled_);
    quiet_wait is_over(*this, why, about);
    or_end_job(by, [&] { wait_until(owner_, why, is_over); });
    stage_ = stage::finishing;
    if (part_.phases().has_ended(phase_)) break;
    require_nobody_gone(by);
    counts().publish_active();
    may_have_work = work != nullptr;
  } while (true);
  fails.disarm();
  leave_finish();
}

bool aggregation::progress(const call& by) {
  require_sender(by);
  return !is_in_handler() && or_end_job(by, [&] { return move_on(by); });
}

// ---- the end of the aggregation -------------------------------------------------------------------------------------

std::string aggregation::close() noexcept {
  if (stage_ == stage::closed || stage_ == stage::failed) return {};
  std::uint64_t unsent = 0;
  for (const auto& channel : channels_) unsent += channel->waiting();
  accept_arrivals();
  const std::uint64_t unsure = sent_ - sent_at_finish_;
  const bool has_arrivals = !arrived_.empty() || !urgent_.empty() || !early_.empty();
  stage_ = stage::closed;
  end_main();
  if (unsent + unsure == 0 && !has_arrivals) {
    table_.note_open_accounts(*this);
    return {};
  }
  std::string text = fmt::format("rank {} of aggregation \"{}\": it ends without finish behind the last items: ", rank_,
                                 name());
  if (unsent + unsure > 0) text += fmt::format("{} of this rank may not be handled", counted(unsent + unsure, "item"));
  if (has_arrivals) text += unsent + unsure > 0 ? ", and some for it are not" : "items for this rank are not handled";
  return text + ". Every rank calls finish before the aggregation ends";
}

void aggregation::end_main() noexcept {
  if (stage_ != stage::failed) stage_ = stage::closed;
  activity* const log = owner_.log();
  if (log == nullptr || std::exchange(is_reported_, true)) return;
  item_totals totals;
  totals.sent = stats_.sent;
  totals.handled = stats_.handled;
  totals.buffers = stats_.buffers;
  totals.room = stats_.room;
  totals.urgent = stats_.urgent;
  totals.over_credit = stats_.over_credit;
  totals.peak_bytes = stats_.peak_bytes;
  for (std::size_t i = 0; i < stats_.latency.size(); ++i) totals.latency[i] = stats_.latency[i];
  log->add_items(totals);
}

}  // namespace pure::core
