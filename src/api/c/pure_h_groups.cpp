// pure.h, groups (pure/communicators.h): translates handles, forwards to comm/group.hpp.
#include <pure.h>

#include <utility>

#include "api/c/door.hpp"
#include "api/c/group.hpp"
#include "comm/group.hpp"

using pure::errc;
using namespace pure::core;

static_assert(static_cast<int>(comparison::ident) == PURE_IDENT);
static_assert(static_cast<int>(comparison::congruent) == PURE_CONGRUENT);
static_assert(static_cast<int>(comparison::similar) == PURE_SIMILAR);
static_assert(static_cast<int>(comparison::unequal) == PURE_UNEQUAL);
static_assert(undefined == PURE_UNDEFINED && proc_null == PURE_PROC_NULL);

namespace {

using set_operation = group (*)(std::span<const int>, std::span<const int>);

int combine(const call& by, pure_group a, pure_group b, pure_group* made, set_operation operation) {
  return c_door(by.operation, [&] {
    require_pointer(by, made, "made");
    give_group(by, operation(group_of(by, a), group_of(by, b)), made);
  });
}

using selection = group (*)(const call&, std::span<const int>, std::span<const int>);

int pick(const call& by, pure_group from, int count, const int ranks[], pure_group* made, selection operation) {
  return c_door(by.operation, [&] {
    require_pointer(by, made, "made");
    const group& of = group_of(by, from);
    give_group(by, operation(by, of, array_of(by, count, ranks, "ranks")), made);
  });
}

int pick_ranges(const call& by, pure_group from, int count, const int ranges[][3], pure_group* made,
                selection operation) {
  return c_door(by.operation, [&] {
    require_pointer(by, made, "made");
    const group& of = group_of(by, from);
    const auto ranks = ranks_in_ranges(by, static_cast<int>(of.size()), array_of(by, count, ranges, "ranges"));
    give_group(by, operation(by, of, ranks), made);
  });
}

}  // namespace

int pure_group_size(pure_group group, int* size, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    require_pointer(by, size, "size");
    *size = static_cast<int>(group_of(by, group).size());
  });
}

int pure_group_rank(pure_group group, int* rank, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    require_pointer(by, rank, "rank");
    *rank = rank_in(group_of(by, group), rank_of(by).number());
  });
}

int pure_group_translate_ranks(pure_group group1, int count, const int ranks1[], pure_group group2, int ranks2[],
                               pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const auto &from = group_of(by, group1), &to = group_of(by, group2);
    const auto ranks = array_of(by, count, ranks1, "ranks1");
    if (count > 0) require_pointer(by, ranks2, "ranks2");
    for (std::size_t i = 0; i < ranks.size(); ++i) ranks2[i] = translate(by, from, ranks[i], to);
  });
}

int pure_group_compare(pure_group a, pure_group b, int* result, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    require_pointer(by, result, "result");
    *result = static_cast<int>(compare(group_of(by, a), group_of(by, b)));
  });
}

int pure_group_union(pure_group a, pure_group b, pure_group* made, pure_call_site site) {
  return combine({"pure_group_union", site}, a, b, made, group_union);
}

int pure_group_intersection(pure_group a, pure_group b, pure_group* made, pure_call_site site) {
  return combine({"pure_group_intersection", site}, a, b, made, group_intersection);
}

int pure_group_difference(pure_group a, pure_group b, pure_group* made, pure_call_site site) {
  return combine({"pure_group_difference", site}, a, b, made, group_difference);
}

int pure_group_incl(pure_group group, int count, const int ranks[], pure_group* made, pure_call_site site) {
  return pick({"pure_group_incl", site}, group, count, ranks, made, group_incl);
}

int pure_group_excl(pure_group group, int count, const int ranks[], pure_group* made, pure_call_site site) {
  return pick({"pure_group_excl", site}, group, count, ranks, made, group_excl);
}

int pure_group_range_incl(pure_group group, int count, const int ranges[][3], pure_group* made, pure_call_site site) {
  return pick_ranges({"pure_group_range_incl", site}, group, count, ranges, made, group_incl);
}

int pure_group_range_excl(pure_group group, int count, const int ranges[][3], pure_group* made, pure_call_site site) {
  return pick_ranges({"pure_group_range_excl", site}, group, count, ranges, made, group_excl);
}

int pure_group_free(pure_group* group, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    require_pointer(by, group, "group");
    group_of(by, *group);
    if (*group != PURE_GROUP_EMPTY) rank_objects::of(rank_of(by)).groups.free(static_cast<std::uint64_t>(*group));
    *group = PURE_GROUP_NULL;
  });
}
