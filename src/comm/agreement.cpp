#include "comm/agreement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <utility>

#include "comm/communicator_table.hpp"
#include "comm/group.hpp"
#include "comm/point_to_point.hpp"
#include "comm/refusal.hpp"
#include "comm/wait_kinds.hpp"
#include "runtime/job.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

// ---- the leader's decision --------------------------------------------------------------------------------------

namespace {

std::vector<answer> refuse(std::span<const wish> wishes, errc error, std::size_t first, std::size_t second) {
  answer to_all;
  to_all.error = error;
  to_all.first = static_cast<int>(first);
  to_all.second = static_cast<int>(second);
  to_all.first_operation = wishes[first].operation;
  to_all.second_operation = wishes[second].operation;
  return std::vector<answer>(wishes.size(), to_all);
}

/// The participants that get something, each communicator's together and in its order.
std::vector<std::size_t> ordered(std::span<const wish> wishes) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    if (wishes[i].color != wish::nothing) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(wishes[a].color, wishes[a].key) < std::pair(wishes[b].color, wishes[b].key);
  });
  return order;
}

/// The first member, other than the first of all, that has not passed the same group; the first of all if they have,
/// but are not all of it; or none.
std::optional<std::size_t> dissenter(std::span<const wish> wishes, std::span<const std::size_t> members) {
  const wish& first = wishes[members.front()];
  for (const std::size_t each : members) {
    const bool same = wishes[each].group_hash == first.group_hash && wishes[each].group_size == first.group_size;
    if (!same) return each;
  }
  if (first.group_size != 0 && static_cast<std::size_t>(first.group_size) != members.size()) return members.front();
  return std::nullopt;
}

/// The first of those that split by type, other than `first`, which do so by something else; or none.
std::optional<std::size_t> other_form(std::span<const wish> wishes, std::size_t first) {
  for (std::size_t i = first + 1; i < wishes.size(); ++i) {
    if (wishes[i].form != 0 && wishes[i].form != wishes[first].form) return i;
  }
  return std::nullopt;
}

std::int64_t color_at(const wish& of, int level) noexcept {
  if (level < 0 || of.color == wish::nothing) return wish::nothing;
  return on_machine(of.color, of.places[static_cast<std::size_t>(level)]);
}

}  // namespace

int level_that_splits(std::span<const wish> wishes) {
  int best = -1;
  std::pair<std::size_t, std::size_t> least;  // ranks left out, parts
  for (int level = 0; level < static_cast<int>(hardware_kinds); ++level) {
    std::set<std::int64_t> parts;
    std::size_t left_out = 0;
    for (const wish& each : wishes) {
      if (each.form == 0) continue;
      if (const std::int64_t color = color_at(each, level); color != wish::nothing) {
        parts.insert(color);
      } else {
        ++left_out;
      }
    }
    const bool is_strict = parts.size() > 1 || (parts.size() == 1 && left_out > 0);
    if (is_strict && (best < 0 || std::pair(left_out, parts.size()) < least)) {
      best = level;
      least = {left_out, parts.size()};
    }
  }
  return best;
}

std::vector<answer> decide(communicator_registry& registry, std::span<const wish> told, std::span<const int> numbers) {
  std::vector<wish> wishes(told.begin(), told.end());
  for (std::size_t i = 1; i < wishes.size(); ++i) {
    if (wishes[i].kind != wishes[0].kind) return refuse(wishes, errc::mismatch, 0, i);
  }
  int level = -1;
  const auto first = std::find_if(wishes.begin(), wishes.end(), [](const wish& each) { return each.form != 0; });
  if (first != wishes.end()) {
    const auto index = static_cast<std::size_t>(first - wishes.begin());
    if (const auto other = other_form(wishes, index)) return refuse(wishes, errc::mismatch, index, *other);
    if (first->leader_chooses) {
      level = level_that_splits(wishes);
      for (wish& each : wishes) each.color = each.form == 0 ? wish::nothing : color_at(each, level);
    }
  }
  const std::vector<std::size_t> order = ordered(wishes);
  std::vector<std::span<const std::size_t>> parts;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && wishes[order[end]].color == wishes[order[begin]].color) ++end;
    parts.emplace_back(order.data() + begin, end - begin);
    if (const auto other = dissenter(wishes, parts.back())) return refuse(wishes, errc::group, order[begin], *other);
  }
  std::vector<answer> answers(wishes.size());
  for (const auto& part : parts) {
    std::vector<int> members;
    members.reserve(part.size());
    for (const std::size_t each : part) members.push_back(numbers[each]);
    communicator_group& made = registry.make(std::move(members));
    for (std::size_t rank = 0; rank < part.size(); ++rank) {
      answers[part[rank]].made = &made;
      answers[part[rank]].rank = static_cast<int>(rank);
      answers[part[rank]].level = level;
    }
  }
  return answers;
}

// ---- the messages -----------------------------------------------------------------------------------------------

namespace {

/// One rank's end of the messages of an agreement.
struct line {
  communicator& from;
  const call& by;
  traffic context;
  int tag;
  int tag_to_report;
  const wait_kind& waits_for;

  void send(int to, const void* data, std::size_t bytes) const {
    const envelope who{from.shared().context(context), from.rank(), tag};
    message_sender& sender = from.sender();
    if (sender.try_send_now(to, who, data, bytes)) return;
    send_op op;
    op.data = data;
    op.bytes = bytes;
    op.who = who;
    op.to = to;
    sender.start(op);
    wait_until(from.owner(), {by, waits_for, to, tag_to_report, true}, [&] { return sender.test(op); });
  }

  void receive(int source, void* data, std::size_t bytes) const {
    receive_op op({data, bytes, nullptr}, from.shared().context(context), source, tag);
    message_receiver& receiver = from.receiver();
    receiver.start(op);
    wait_until(from.owner(), {by, waits_for, source, tag_to_report, true}, [&] { return receiver.test(op); });
  }
};

/// Before any answer is sent, for then members may free what was made: turns the answers to ranks of other processes
/// into what these need to make it, too. Returns the members, by the makers to whom they are sent.
std::map<int, std::vector<int>> describe_elsewhere(communicator_registry& registry, const other_processes* others,
                                                   std::span<answer> answers, std::span<const int> participants) {
  std::map<int, std::vector<int>> members;
  std::map<std::pair<communicator_group*, int>, int> makers;  // by communicator and process
  std::set<communicator_group*> of_others;
  for (std::size_t i = 0; others != nullptr && i < answers.size(); ++i) {
    answer& each = answers[i];
    const int to = participants[i];
    if (others->is_here(to) || each.made == nullptr) continue;
    const communicator_group& made = *each.made;
    const auto [maker, is_first] = makers.try_emplace({each.made, others->placement().process_of(to)}, to);
    if (is_first) members.emplace(to, made.members());
    if (made.is_of_others()) of_others.insert(each.made);
    each.made = nullptr;
    each.maker = maker->second;
    each.first_context = made.context(traffic::user);
    each.size = made.size();
  }
  for (communicator_group* const each : of_others) registry.leave_to_others(*each);
  return members;
}

/// One rank's end of an agreement: what it says, and what it hears.
struct taking_part {
  wish own;
  refusal why;  // of this rank; after the answer, of the one that is refused
  answer got;
};

/// The answers that decide() has for ranks of which none is refused; if it fails, all are, because of the leader.
std::vector<answer> decide_or_refuse(const line& to_others, std::span<const wish> wishes,
                                     std::span<const int> participants, refusal& why) {
  try {
    return decide(communicator_table::of(to_others.from.owner()).registry(), wishes, participants);
  } catch (const Error& error) {
    why = refusal(bad_argument(to_others.from, to_others.by, error.code(), error.what()), to_others.by);
  } catch (const std::bad_alloc&) {
    why = refusal(bad_argument(to_others.from, to_others.by, errc::no_memory, "there is no memory for a communicator"),
                  to_others.by);
  }
  answer none;
  none.is_refused = true;
  return std::vector<answer>(wishes.size(), none);
}

void lead(const line& to_others, std::span<const int> participants, taking_part& mine) {
  std::vector<wish> wishes(participants.size());
  wishes[0] = mine.own;
  answer none;
  none.is_refused = mine.own.is_refused;
  for (std::size_t i = 1; i < wishes.size(); ++i) {
    to_others.receive(participants[i], &wishes[i], sizeof(wish));
    if (!wishes[i].is_refused) continue;
    refusal its;
    to_others.receive(participants[i], &its, sizeof its);
    if (none.is_refused) continue;
    none.is_refused = true;
    none.first = static_cast<int>(i);
    mine.why = its;
  }
  std::vector<answer> answers = none.is_refused ? std::vector<answer>(wishes.size(), none)
                                                : decide_or_refuse(to_others, wishes, participants, mine.why);
  communicator_registry& registry = communicator_table::of(to_others.from.owner()).registry();
  const auto members = describe_elsewhere(registry, to_others.from.owner().owner().others(), answers, participants);
  for (std::size_t i = 1; i < wishes.size(); ++i) {
    to_others.send(participants[i], &answers[i], sizeof(answer));
    if (answers[i].is_refused) to_others.send(participants[i], &mine.why, sizeof mine.why);
    if (const auto to_maker = members.find(participants[i]); to_maker != members.end()) {
      to_others.send(participants[i], to_maker->second.data(), to_maker->second.size() * sizeof(int));
    }
  }
  mine.got = answers[0];
}

/// After the leader's answer: the object, if it is another process that has made the communicator.
void make_here(const line& to_others, int leader, answer& got) {
  if (got.maker < 0) return;
  communicator& from = to_others.from;
  if (got.maker != from.owner().number()) {
    to_others.receive(got.maker, &got.made, sizeof got.made);
    return;
  }
  std::vector<int> members(static_cast<std::size_t>(got.size));
  to_others.receive(leader, members.data(), members.size() * sizeof(int));
  got.made = &communicator_table::of(from.owner()).registry().make_also(got.first_context, members);
  for (const int each : members) {
    const bool is_other = each != got.maker && from.owner().owner().is_here(each);
    if (is_other) to_others.send(each, &got.made, sizeof got.made);
  }
}

void follow(const line& to_leader, int leader, taking_part& mine) {
  to_leader.send(leader, &mine.own, sizeof mine.own);
  if (mine.own.is_refused) to_leader.send(leader, &mine.why, sizeof mine.why);
  to_leader.receive(leader, &mine.got, sizeof mine.got);
  if (mine.got.is_refused) to_leader.receive(leader, &mine.why, sizeof mine.why);
  make_here(to_leader, leader, mine.got);
}

void take_part(communicator& from, const call& by, traffic context, int tag, std::span<const int> participants,
               taking_part& mine) {
  const wait_kind& waits_for = mine.own.is_refused ? call_to_be_told_by : same_call_by;
  const line to_others{from,     by, context, tag, context == traffic::group_creation ? tag : wait_reason::no_tag,
                       waits_for};
  const int leader = participants.empty() ? from.number_of(0) : participants.front();
  if (leader != from.owner().number()) return follow(to_others, leader, mine);
  if (participants.empty()) return lead(to_others, from.shared().members(), mine);
  lead(to_others, participants, mine);
}

[[noreturn]] void throw_no_agreement(const communicator& from, const call& by, const answer& got, const refusal& why,
                                     std::span<const int> participants) {
  // Participants are counted in the order of the list; the program knows ranks of `from`.
  const auto rank_of = [&](int index) {
    return participants.empty() ? index
                                : rank_in(from.shared().members(), participants[static_cast<std::size_t>(index)]);
  };
  const int first = rank_of(got.first), second = rank_of(got.second);
  if (got.is_refused) throw why.error_elsewhere(from, by, first);
  if (got.error == errc::mismatch) {
    throw_bad_argument(
        from, by, errc::mismatch,
        fmt::format("rank {} has called {} where rank {} has called {}: all ranks of a communicator call "
                    "the same operations in the same order",
                    first, got.first_operation.text(), second, got.second_operation.text()));
  }
  throw_bad_argument(
      from, by, errc::group,
      first == second ? fmt::format("not all members of the group that rank {} has passed have passed it: the groups "
                                    "of all ranks must be the same, or have no rank in common",
                                    first)
                      : fmt::format("ranks {} and {} have passed different groups: the members of a group all pass "
                                    "it, in the same order",
                                    first, second));
}

}  // namespace

answer agree(communicator& from, const call& by, traffic context, int tag, std::span<const int> participants,
             const wish& own) {
  taking_part mine{.own = own, .why = {}, .got = {}};
  take_part(from, by, context, tag, participants, mine);
  if (mine.got.is_refused || mine.got.error != errc::success)
    throw_no_agreement(from, by, mine.got, mine.why, participants);
  return mine.got;
}

void refuse(communicator& from, const call& by, traffic context, int tag, std::span<const int> participants,
            const Error& why) {
  taking_part mine{.own = {}, .why = refusal(why, by), .got = {}};
  mine.own.operation = by.operation;
  mine.own.is_refused = true;
  take_part(from, by, context, tag, participants, mine);
}

}  // namespace pure::core
