#include "comm/create.hpp"

#include <fmt/core.h>

#include <utility>

#include <pure/detail/hash.hpp>

#include "comm/adopt.hpp"
#include "comm/agreement.hpp"
#include "comm/communicator_table.hpp"
#include "comm/point_to_point.hpp"
#include "comm/refusal.hpp"

namespace pure::core {

namespace {

/// What tells two groups apart.
std::uint64_t hash_of(std::span<const int> members) noexcept {
  std::uint64_t hash = detail::hash_of_nothing;
  for (const int each : members) hash = detail::hash_with(hash, static_cast<std::uint32_t>(each));
  return hash;
}

wish wish_for_group(const call& by, creation kind, std::span<const int> members, int key) {
  wish own{.operation = by.operation, .kind = kind, .color = wish::nothing};
  if (key == undefined) return own;
  own.color = members.front();  // groups that share a rank, but are not the same, have members that do not agree
  own.key = key;
  own.group_size = static_cast<int>(members.size());
  own.group_hash = hash_of(members);
  return own;
}

void check_subset(const communicator& from, const call& by, std::span<const int> members) {
  const group strangers = group_difference(members, from.shared().members());
  if (strangers.empty()) return;
  throw_bad_argument(from, by, errc::group,
                     fmt::format("the group has rank {} of world, which the communicator has not: a group for it is a "
                                 "subset of its own",
                                 strangers.front()));
}

}  // namespace

void refuse_creation(communicator& from, const call& by, const Error& why) {
  refuse(from, by, traffic::creation, 0, {}, why);
}

void refuse_group_creation(communicator& from, const call& by, std::span<const int> members, int tag,
                           const Error& why) {
  refuse(from, by, traffic::group_creation, tag, members, why);
}

communicator& duplicate(communicator& from, const call& by) {
  const wish own{.operation = by.operation, .kind = creation::duplicate};
  return *adopt_made(from, agree(from, by, traffic::creation, 0, {}, own), "dup");
}

communicator* split(communicator& from, const call& by, std::optional<int> color, int key) {
  checked_for_all(
      [&] {
        if (!color || *color >= 0) return;
        throw_bad_argument(
            from, by, errc::argument,
            fmt::format("the color {} is negative: it is 0 or more, or undefined for no communicator", *color));
      },
      [&](const Error& why) { refuse_creation(from, by, why); });
  const wish own{.operation = by.operation,
                 .kind = creation::split,
                 .color = color ? std::int64_t{*color} : wish::nothing,
                 .key = key};
  return adopt_made(from, agree(from, by, traffic::creation, 0, {}, own), fmt::format("part {}", color.value_or(0)));
}

communicator* create(communicator& from, const call& by, std::span<const int> members) {
  checked_for_all([&] { check_subset(from, by, members); }, [&](const Error& why) { refuse_creation(from, by, why); });
  const wish own = wish_for_group(by, creation::create, members, rank_in(members, from.owner().number()));
  return adopt_made(from, agree(from, by, traffic::creation, 0, {}, own), "group");
}

void check_group_creation(const communicator& from, const call& by, std::span<const int> members, int tag) {
  if (tag < 0) p2p::throw_bad_tag(from, by, tag);
  check_subset(from, by, members);
  if (rank_in(members, from.owner().number()) == undefined)
    throw_bad_argument(from, by, errc::group, "the caller is not in the group: only its members make the call");
}

communicator& create_group(communicator& from, const call& by, std::span<const int> members, int tag) {
  check_group_creation(from, by, members, tag);
  const int rank = rank_in(members, from.owner().number());
  const wish own = wish_for_group(by, creation::create_group, members, rank);
  return *adopt_made(from, agree(from, by, traffic::group_creation, tag, members, own), "group");
}

comparison compare(const communicator& a, const communicator& b) {
  if (a.context() == b.context()) return comparison::ident;
  const comparison of_ranks = compare(a.shared().members(), b.shared().members());
  return of_ranks == comparison::ident ? comparison::congruent : of_ranks;
}

void free(communicator& unused, const call& by) {
  communicator_table& known = communicator_table::of(unused.owner());
  if (&unused == &known.world() || &unused == &known.self()) {
    throw_bad_argument(unused, by, errc::comm, "world and self live as long as the rank: they cannot be freed");
  }
  if (send_buffer* const own = unused.requests().buffers().find(unused.context())) own->detach();
  known.free(unused);
}

}  // namespace pure::core
