// Groups (MPI 5.0, 7.3).
#include <algorithm>
#include <span>

#include "api/mpi/bodies.hpp"
#include "api/mpi/door.hpp"
#include "objects/rank_objects.hpp"

namespace pure::core::mpi {

namespace {

constexpr int comparison_values[] = {constants::ident, constants::congruent, constants::similar, constants::unequal};

std::span<const int> ranks_of(int n, const int ranks[]) noexcept { return {ranks, static_cast<std::size_t>(n)}; }

std::vector<int> ranks_in(const call& by, const group& of, int n, int ranges[][3]) {
  if (n > 0) check_pointer(by, ranges, constants::err_arg, "ranges");
  return ranks_in_ranges(by, static_cast<int>(of.size()),
                         std::span<const int[3]>(static_cast<const int(*)[3]>(ranges), static_cast<std::size_t>(n)));
}

}  // namespace

void bodies::Group_size(const call&, const group& group, int* size) { *size = static_cast<int>(group.size()); }

void bodies::Group_rank(const call& by, const group& group, int* rank) {
  *rank = rank_in(group, rank_here(by).number());
}

void bodies::Group_translate_ranks(const call& by, const group& group1, int n, const int ranks1[], const group& group2,
                                   int ranks2[]) {
  for (int i = 0; i < n; ++i) ranks2[i] = translate(by, group1, ranks1[i], group2);
}

void bodies::Group_compare(const call&, const group& group1, const group& group2, int* result) {
  *result = comparison_values[static_cast<int>(compare(group1, group2))];
}

void bodies::Group_union(const call& by, const group& group1, const group& group2, group_handle* newgroup) {
  give_group(by, group_union(group1, group2), newgroup);
}
void bodies::Group_intersection(const call& by, const group& group1, const group& group2, group_handle* newgroup) {
  give_group(by, group_intersection(group1, group2), newgroup);
}
void bodies::Group_difference(const call& by, const group& group1, const group& group2, group_handle* newgroup) {
  give_group(by, group_difference(group1, group2), newgroup);
}
void bodies::Group_incl(const call& by, const group& group, int n, const int ranks[], group_handle* newgroup) {
  give_group(by, group_incl(by, group, ranks_of(n, ranks)), newgroup);
}
void bodies::Group_excl(const call& by, const group& group, int n, const int ranks[], group_handle* newgroup) {
  give_group(by, group_excl(by, group, ranks_of(n, ranks)), newgroup);
}
void bodies::Group_range_incl(const call& by, const group& group, int n, int ranges[][3], group_handle* newgroup) {
  give_group(by, group_incl(by, group, ranks_in(by, group, n, ranges)), newgroup);
}
void bodies::Group_range_excl(const call& by, const group& group, int n, int ranges[][3], group_handle* newgroup) {
  give_group(by, group_excl(by, group, ranks_in(by, group, n, ranges)), newgroup);
}

void bodies::Group_free(const call& by, group_handle* group) {
  group_of(by, *group);
  if (*group != constants::group_empty) rank_objects::of(rank_here(by)).groups.free(core_handle(*group));
  *group = constants::group_null;
}

void bodies::Comm_group(const call& by, communicator& comm, group_handle* group) {
  give_group(by, comm.shared().members(), group);
}

}  // namespace pure::core::mpi
