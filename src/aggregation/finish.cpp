// Modelled by tests/model/termination.pml.
#include "aggregation/finish.hpp"

#include <fmt/core.h>

#include <utility>

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

phase_finish::phase_finish(aggregation_part& part, int index, rank_stage& stage, const call_checks& checks,
                           const item_sender& sender, item_receiver& receiver, const arrival_queues& queues,
                           item_progress& progress, const channel_list& channels) noexcept
    : part_(part),
      published_(part.counts().of(static_cast<std::size_t>(index))),
      stage_(stage),
      checks_(checks),
      sender_(sender),
      receiver_(receiver),
      queues_(queues),
      progress_(progress),
      channels_(channels) {}

/// What a quiet rank waits for: something to handle, or the end of the phase.
class phase_finish::quiet_wait {
 public:
  quiet_wait(phase_finish& of, wait_reason& why, wait_subject& about) noexcept
      : of_(of), phase_(of.stage_.phase()), why_(why), about_(about) {}

  bool operator()() {
    if (has_ended()) return true;
    of_.part_.poll_transport();
    of_.receiver_.accept_arrivals();
    if (has_ended() || has_items_of_phase() || of_.part_.phases().first_gone(phase_) != nullptr) return true;
    of_.part_.phases().look_for_end(phase_, of_.first_active_);
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
    return of_.part_.phases().has_ended(phase_) && of_.part_.outgoing().ask_whether_all_is_sent();
  }
  [[nodiscard]] bool has_items_of_phase() const noexcept {
    return of_.queues_.has_some_of(phase_) || of_.queues_.has_early_of(phase_);  // run() says what is wrong with these
  }

  /// For reports: nobody but a rank that has not called finish can end this.
  void say_why() const noexcept {
    about_.number = of_.part_.counts().under_way();
    const part_member* const missing = of_.part_.phases().first_missing(phase_);
    why_.waiting_for = missing == nullptr ? end_of_phase : finish_by;
    why_.peer = missing == nullptr ? wait_reason::nobody : missing->number;
    why_.only_peer = missing != nullptr;
  }

  phase_finish& of_;
  const std::uint64_t phase_;
  wait_reason& why_;
  wait_subject& about_;
};

/// All ranks make the same channels, in the phase in which they first use them.
void phase_finish::require_all_channels(const call& by) const {
  const std::size_t all = part_.channels().size();
  if (channels_.size() >= all) return;
  const channel_record& missing = part_.channels().at(channels_.size());
  checks_.throw_wrong(by, errc::mismatch,
                      fmt::format("it has made {} of the {}: channel {} of rank {}, of {} ({} bytes){}{}, is missing",
                                  channels_.size(), counted(all, "channel"), channels_.size(), missing.by, missing.type,
                                  missing.item_bytes, missing.site.empty() ? "" : ", made at ", missing.site));
}

void phase_finish::require_nobody_gone(const call& by) const {
  if (const part_member* const gone = part_.phases().first_gone(stage_.phase())) {
    checks_.throw_wrong(
        by, errc::state,
        fmt::format("rank {} has ended its part of the aggregation, and will not call finish: all ranks make "
                    "the same calls",
                    gone->rank));
  }
}

void phase_finish::enter(const call& by) {
  checks_.require_open(by, "finish");
  require_all_channels(by);
  require_nobody_gone(by);
  stage_.begin_finish();
  published_.publish_in_finish(stage_.phase());
}

void phase_finish::look_for_long_finish(long_finish& lasts) {
  const std::uint64_t handled = receiver_.handled();
  part_phases& phases = part_.phases();
  const bool is_long = lasts.look(handled, [&] { return phases.first_missing(stage_.phase()) == nullptr; });
  if (!is_long || !phases.is_first_to_note_long_finish()) return;
  say([&] {
    return fmt::format(
        "pure: note: all ranks here have been in finish of aggregation \"{}\" for {} s, and handle items: {} by rank {} "
        "since. If it never ends, handlers send for ever; the job goes on\n",
        printable_word(*checks_.name()), lasts.limit_s(), lasts.handled_since(handled), checks_.owner().number());
  });
}

/// Everything that this rank can do: handle, work, and push what these have sent.
void phase_finish::do_all(const call& by, bool (*work)(void* context), void* context, bool may_have_work,
                          long_finish& lasts) {
  for (bool has_more = true; has_more;) {
    has_more = progress_.or_end_job(by, [&] { return progress_.move_on(by); });
    look_for_long_finish(lasts);
    may_have_work = (receiver_.take_has_handled() || may_have_work) && work != nullptr;
    if (may_have_work) {
      may_have_work = work(context);  // its waits may handle items, too
      has_more = true;
    }
    if (!has_more) has_more = progress_.or_end_job(by, [&] { return progress_.push_all(by); });
  }
}

void phase_finish::run(const call& by, bool (*work)(void* context), void* context) {
  enter(by);
  on_exception fails([this] { stage_.fail(); });
  wait_subject about{.name = checks_.name()};
  wait_reason why{.what = by, .waiting_for = end_of_phase, .tag = wait_reason::no_tag, .subject = &about};
  long_finish lasts(checks_.owner().owner().values().hang_timeout_s, receiver_.handled());
  first_active_ = 0;
  while (true) {
    do_all(by, work, context, work != nullptr, lasts);
    if (queues_.has_early_of(stage_.phase())) require_all_channels(by);
    stage_.become_quiet();
    published_.publish_quiet(stage_.phase(), receiver_.handled());
    quiet_wait is_over(*this, why, about);
    progress_.or_end_job(by, [&] { wait_until(checks_.owner(), why, is_over); });
    stage_.become_active();
    if (part_.phases().has_ended(stage_.phase())) break;
    require_nobody_gone(by);
    published_.publish_active();
  }
  fails.disarm();
  stage_.end_finish();
  sure_of_ = sender_.sent();
}

}  // namespace pure::core
