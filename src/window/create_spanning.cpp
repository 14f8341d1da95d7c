// Making windows whose ranks are in several processes.
//
// In each process the rank with the lowest number, its leader, makes what its ranks share. Memory that the window
// allocates lies in a segment of each process, or, where it is in one piece, of the process of rank 0; the leaders of a
// machine pass their segments to each other. Everybody then makes its own part's pages present. Whatever has gone wrong
// anywhere is told to all at the end, and thrown by all.
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pure/error.hpp>

#include "base/cache_line.hpp"
#include "base/say.hpp"
#include "base/text.hpp"
#include "machine/memory_domain.hpp"
#include "window/box_choice.hpp"
#include "window/box_pool.hpp"
#include "window/segment_plan.hpp"
#include "window/window_creation.hpp"
#include "window/window_table.hpp"

namespace pure::core {

using namespace window_creation;

namespace {

class spanning_maker {
 public:
  spanning_maker(communicator& on, const call& by, const window_wish& wanted)
      : on_(on),
        by_(by),
        wanted_(wanted),
        running_(on.owner().owner()),
        others_(*running_.others()),
        allocates_(wanted.flavor == window_flavor::allocate || wanted.flavor == window_flavor::shared),
        is_in_one_piece_(allocates_ && wanted.options.is_contiguous),
        // PURE_CHECK looks at messages; what is complete without an epoch's end cannot wait for it.
        may_have_boxes_(wanted.flavor == window_flavor::create && wanted.needs_epochs && !running_.values().check),
        leader_(first_rank_of(others_.process())),
        is_leader_(leader_ == on.rank()) {}

  window& make() {
    offer();
    throw_problem(on_, by_, wanted_, all_);
    require_common_memory();
    group_ = all_[static_cast<std::size_t>(leader_)].group;
    if (is_leader_) {
      static_cast<void>(own_group_.release());  // the ranks' from now on
      name_group();
      if (has_segments()) make_segment();
    }
    if (has_segments()) pass_segments();
    if (is_leader_) find_parts();
    wait_for_all_ranks(on_, by_);
    take_own_part();
    const bool is_shared = agree();
    if (is_leader_ && boxes_.has()) boxes_.keep(*group_->spanning(), is_shared);
    if (is_leader_ && !group_->refused().empty() && on_.rank() == 0) say_refused(*group_);
    window& made = window_table::of(on_.owner()).add(on_, *group_, wanted_.needs_epochs);
    if (boxes_.has() && is_shared) made.posted().use_boxes();
    return made;
  }

 private:
  [[nodiscard]] int process_of(int rank) const { return others_.placement().process_of(on_.number_of(rank)); }
  [[nodiscard]] int first_rank_of(int process) const {
    int rank = 0;
    while (process_of(rank) != process) ++rank;
    return rank;
  }
  [[nodiscard]] const window_offer& offer_of_process(int process) const {
    return all_[static_cast<std::size_t>(first_rank_of(process))];
  }
  /// Whether this process can map what that one makes, which holds for both or for neither.
  [[nodiscard]] bool shares_memory_with(int process) const {
    const std::uint64_t domain = offer_of_process(others_.process()).domain;
    return domain != 0 && domain == offer_of_process(process).domain;
  }
  [[nodiscard]] bool makes_segment(int process) const { return !is_in_one_piece_ || process == process_of(0); }
  [[nodiscard]] bool has_segments() const noexcept { return allocates_ || boxes_.makes(); }
  void fail(const segment_problem& why) {
    if (!problem_.is_there()) problem_ = why;
  }

  void offer() {
    window_offer own{.options = wanted_.options.identity(),
                     .bytes = wanted_.bytes,
                     .flavor = wanted_.flavor,
                     .is_refused = wanted_.wrong.has_value()};
    own.unit = static_cast<std::size_t>(wanted_.unit);
    if (may_have_boxes_)
      boxes_.offer(window_table::of(on_.owner()).of_all_processes().boxes().of(on_.shared().members()), own);
    if (on_.rank() == 0) own.number = next_number();
    try {
      if (!allocates_) memory_ = part_memory::control_for(wanted_.bytes);
      if (is_leader_) {
        own_group_ = new_group(on_, wanted_, 0);  // numbered by name_group()
        own.group = own_group_.get();
      }
    } catch (const std::bad_alloc&) {
      own.problem = errc::no_memory;
    }
    if ((allocates_ || may_have_boxes_) && running_.values().window_transport == "auto") own.domain = memory_domain();
    if (is_leader_ && own.domain != 0 && !own.has_pool) {
      fail(exchange_.open());
      own.contact = exchange_.own();
    }
    all_ = gather_all(on_, by_, own);
    for (int rank = 0; rank < on_.size(); ++rank) {
      const int process = process_of(rank);
      if (std::find(processes_.begin(), processes_.end(), process) == processes_.end()) processes_.push_back(process);
    }
    std::sort(processes_.begin(), processes_.end());
    boxes_.choose(all_);
  }

  /// In all ranks alike.
  void require_common_memory() const {
    if (wanted_.flavor != window_flavor::shared && !is_in_one_piece_) return;
    for (const window_offer& each : all_) {
      if (each.domain == all_[0].domain && each.domain != 0) continue;
      throw_wrong_wish(
          on_, by_, errc::rma_shared,
          fmt::format("{} lies in memory that all ranks map, but not all of them are on one machine (and "
                      "of one user, in one network namespace, without PURE_WINDOW_TRANSPORT=messages): "
                      "split the communicator first, by type PURE_COMM_TYPE_MACHINE (pure::split_by::machine), which "
                      "makes communicators of ranks that can",
                      wanted_.flavor == window_flavor::shared ? "a shared window" : "a contiguous window"));
    }
  }

  void name_group() {
    auto part = std::make_unique<window_group::spanning_part>();
    part->windows = &window_table::of(on_.owner()).of_all_processes();
    part->key = {static_cast<std::uint32_t>(process_of(0)), all_[0].number};
    part->segments.resize(static_cast<std::size_t>(others_.placement().processes()));
    for (const int each : processes_) {
      if (each == others_.process()) continue;
      part->processes.push_back(each);
      if ((allocates_ || boxes_.has()) && shares_memory_with(each)) part->mapping.push_back(each);
    }
    for (int rank = 0; rank < on_.size(); ++rank) {
      if (process_of(rank) == others_.process()) part->here.push_back(&running_.at(on_.number_of(rank)));
    }
    const auto here = static_cast<int>(part->here.size());
    const std::string& wished = wanted_.options.name;
    group_->span(std::move(part), here, all_[0].number,
                 wished.empty() ? fmt::format("{} of {}", all_[0].number, on_.name()) : wished);
    if (wanted_.options.pages != page_kind::normal) group_->set_refused("its memory is shared by several processes");
  }

  // ---- segments ----

  /// The ranks whose parts lie in that of a process.
  [[nodiscard]] std::vector<int> ranks_in_segment(int process) const {
    std::vector<int> ranks;
    for (int rank = 0; rank < on_.size(); ++rank) {
      if (is_in_one_piece_ || process_of(rank) == process) ranks.push_back(rank);
    }
    return ranks;
  }
  [[nodiscard]] std::size_t bytes_in_segment(int rank) const {
    return allocates_ ? all_[static_cast<std::size_t>(rank)].bytes : box_pool::bytes_for(on_.size());
  }
  [[nodiscard]] segment_plan plan_of(int process) const {
    std::vector<std::size_t> bytes;
    for (const int rank : ranks_in_segment(process)) bytes.push_back(bytes_in_segment(rank));
    return {bytes, allocates_ ? wanted_.options.alignment : pair_bytes, is_in_one_piece_};
  }
  [[nodiscard]] std::unique_ptr<shared_segment>& segment_of(int process) const {
    return group_->spanning()->segments[static_cast<std::size_t>(process)];
  }

  void make_segment() {
    if (!makes_segment(others_.process()) || (!allocates_ && offer_of_process(others_.process()).domain == 0)) return;
    const segment_plan plan = plan_of(others_.process());
    auto made = std::make_unique<shared_segment>();
    if (plan.bytes() == 0) return fail({segment_problem::step::size, EFBIG});
    segment_problem why = made->make("pure window", plan.bytes(), plan.alignment());
    if (!why.is_there()) why = made->populate(0, allocates_ ? plan.prologue_bytes() : plan.bytes());
    if (why.is_there()) return fail(why);
    const std::vector<int> ranks = ranks_in_segment(others_.process());
    for (std::size_t i = 0; allocates_ && i < ranks.size(); ++i)
      target_control::make(made->data() + plan.at(i).control, bytes_in_segment(ranks[i]));
    segment_of(others_.process()) = std::move(made);
  }

  /// Collective. In rounds, so that no socket has too much to keep; what has been sent before the end of a round is
  /// there after it.
  void pass_segments() {
    std::size_t most_members = 1;
    for (const int each : processes_) {
      const std::uint64_t domain = offer_of_process(each).domain;
      const auto same = std::count_if(processes_.begin(), processes_.end(),
                                      [&](int other) { return offer_of_process(other).domain == domain; });
      if (domain != 0) most_members = std::max(most_members, static_cast<std::size_t>(same));
    }
    std::vector<int> members;
    for (const int each : processes_) {
      if (shares_memory_with(each)) members.push_back(each);
    }
    const auto own = static_cast<std::size_t>(std::find(members.begin(), members.end(), others_.process()) -
                                              members.begin());
    for (std::size_t first = 1; first < most_members; first += descriptor_exchange::most_at_once) {
      const std::size_t behind = std::min(first + descriptor_exchange::most_at_once, members.size());
      for (std::size_t i = first; is_leader_ && i < behind; ++i) send_to(members[(own + i) % members.size()]);
      wait_for_all_ranks(on_, by_);
      for (std::size_t i = first; is_leader_ && i < behind; ++i) {
        if (makes_segment(members[(own + members.size() - i) % members.size()])) receive_one();
      }
    }
  }
  /// Once in a process: it changes nothing of the job.
  void say_who_else_has_sent() const noexcept {
    static std::atomic_flag has_said = ATOMIC_FLAG_INIT;
    if (exchange_.strangers() == 0 || has_said.test_and_set(std::memory_order_relaxed)) return;
    say("pure: {}: process {} has dropped {} that other programs have sent it (the last one: of user {}), where the "
        "processes of the job pass on the memory of windows\n",
        by_.operation, others_.process(), counted(static_cast<std::uint64_t>(exchange_.strangers()), "datagram"),
        exchange_.last_stranger());
  }
  void send_to(int process) {
    const std::unique_ptr<shared_segment>& own = segment_of(others_.process());
    if (own == nullptr) return;
    const segment_problem why = exchange_.send(offer_of_process(process).contact, others_.process(), own->descriptor());
    if (why.is_there()) fail(why);
  }
  void receive_one() {
    int from = -1;
    owned_descriptor passed;
    if (const segment_problem why = exchange_.receive(from, passed); why.is_there()) return fail(why);
    if (std::find(processes_.begin(), processes_.end(), from) == processes_.end() || segment_of(from) != nullptr)
      return fail({segment_problem::step::pass, EPROTO});
    const segment_plan plan = plan_of(from);
    auto mapped = std::make_unique<shared_segment>();
    if (const segment_problem why = mapped->map(std::move(passed), plan.bytes(), plan.alignment()); why.is_there())
      return fail(why);
    segment_of(from) = std::move(mapped);
  }

  // ---- parts ----

  void find_parts() {
    for (int rank = 0; rank < on_.size(); ++rank) {
      window_group::target& its = group_->at(rank);
      const window_offer& wish = all_[static_cast<std::size_t>(rank)];
      its.bytes = wish.bytes;
      its.unit = wish.unit;
      if (process_of(rank) == others_.process()) its.owner = &running_.at(on_.number_of(rank));
    }
    if (!boxes_.take()) fail({segment_problem::step::make, EAGAIN});
    for (const int process : processes_) {
      const shared_segment* const mapped = boxes_.segment(*group_->spanning(), process);
      if (mapped == nullptr) continue;
      const segment_plan plan = plan_of(process);
      const std::vector<int> ranks = ranks_in_segment(process);
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        window_group::target& its = group_->at(ranks[i]);
        if (!allocates_) {
          std::byte* const box = boxes_.at(mapped->data() + plan.at(i).data, on_.size());
          its.box = process == others_.process() ? &epoch_box::make(box, on_.size()) : &epoch_box::at(box);
          continue;
        }
        its.base = mapped->data() + plan.at(i).data;
        its.control = reinterpret_cast<target_control*>(mapped->data() + plan.at(i).control);
      }
    }
    group_->spanning()->windows->add(*group_);
    const bool takes_messages = !group_->is_addressable() || group_->observer() != nullptr;
    if (!takes_messages || running_.values().async_progress == "off" || running_.values().async_progress == "0" ||
        (allocates_ && !allocates_is_complete()))
      return;
    try {
      running_.make_progress();
    } catch (const Error&) {
      fail({segment_problem::step::connect, EAGAIN});
    }
  }
  /// Otherwise nobody will use the window.
  [[nodiscard]] bool allocates_is_complete() const { return !problem_.is_there(); }

  void take_own_part() {
    window_group::target& mine = group_->at(on_.rank());
    if (!allocates_) {
      mine.base = wanted_.flavor == window_flavor::create ? static_cast<std::byte*>(wanted_.memory) : nullptr;
      mine.control = memory_.control();
      mine.memory = std::move(memory_);
      return;
    }
    const int process = is_in_one_piece_ ? process_of(0) : others_.process();
    const std::unique_ptr<shared_segment>& its = segment_of(process);
    if (its == nullptr) return;  // somebody says why
    const segment_plan plan = plan_of(process);
    const std::vector<int> ranks = ranks_in_segment(process);
    const segment_plan::part& part = plan.at(
        static_cast<std::size_t>(std::find(ranks.begin(), ranks.end(), on_.rank()) - ranks.begin()));
    if (const segment_problem why = its->populate(part.first_page, part.bytes_of_pages); why.is_there())
      return fail(why);
    const std::size_t end = std::min(part.first_page + part.bytes_of_pages, part.data + wanted_.bytes);
    if (end > part.first_page) touch_pages(its->data() + part.first_page, end - part.first_page);
  }

  /// Collective. Whether the ranks share what processes can share here; else, if it is memory of the window, throws.
  bool agree() {
    const std::vector<segment_problem> problems = gather_all(on_, by_, problem_);
    const auto* first = &problems[0];  // the earliest step: what comes later may be its consequence
    for (const segment_problem& each : problems) {
      if (each.is_there() && (!first->is_there() || each.what < first->what)) first = &each;
    }
    if (is_leader_) {
      say_who_else_has_sent();
      for (const auto& each : group_->spanning()->segments) {
        if (each != nullptr) each->close_descriptor();
      }
    }
    if (!first->is_there() || !allocates_) return !first->is_there();
    if (is_leader_) {
      group_->spanning()->windows->drop(*group_);
      delete group_;
    }
    const auto rank = static_cast<int>(first - problems.data());
    throw_wrong_wish(
        on_, by_, errc::no_memory,
        fmt::format("there is no memory, for processes to share, for the {}{}: {}",
                    first->what == segment_problem::step::populate ? parts_text({&rank, 1})
                                                                   : parts_text(ranks_in_segment(process_of(rank))),
                    in_window(wanted_.options.name), first->text()));
  }
  /// "2 GB of ranks 2, 3".
  [[nodiscard]] std::string parts_text(std::span<const int> ranks) const {
    std::size_t bytes = 0;
    for (const int each : ranks) bytes += all_[static_cast<std::size_t>(each)].bytes;
    return fmt::format("{} of rank{} {}", rounded_bytes(bytes), ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "));
  }

  communicator& on_;
  const call& by_;
  const window_wish& wanted_;
  job& running_;
  other_processes& others_;
  const bool allocates_;
  const bool is_in_one_piece_;
  const bool may_have_boxes_;  // for epochs of post
  const int leader_;
  const bool is_leader_;
  box_choice boxes_;
  std::vector<window_offer> all_;  // by rank
  std::vector<int> processes_;     // of the window
  part_memory memory_;             // of windows over other memory
  std::unique_ptr<window_group> own_group_;
  window_group* group_ = nullptr;
  descriptor_exchange exchange_;
  segment_problem problem_;
};

}  // namespace

window& make_spanning_window(communicator& on, const call& by, const window_wish& wanted) {
  return spanning_maker(on, by, wanted).make();
}

}  // namespace pure::core
