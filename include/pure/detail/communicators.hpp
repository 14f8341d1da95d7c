// The functions of libpure behind pure::group, and behind what pure::comm does with communicators. Not for programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <pure/call_site.hpp>
#include <pure/export.hpp>

namespace pure::core {
class communicator;
}

namespace pure::detail {

// Groups are the numbers of their ranks in the job; results of comparisons are pure_comparison of pure.h.
using numbers = std::vector<int>;
PURE_API numbers group_union(const numbers& a, const numbers& b);
PURE_API numbers group_intersection(const numbers& a, const numbers& b);
PURE_API numbers group_difference(const numbers& a, const numbers& b);
PURE_API numbers group_incl(pure_call_site site, const numbers& of, const int* ranks, std::size_t count);
PURE_API numbers group_excl(pure_call_site site, const numbers& of, const int* ranks, std::size_t count);
PURE_API int group_rank(pure_call_site site, const numbers& of);
PURE_API int group_translate(pure_call_site site, const numbers& from, int rank, const numbers& to);
PURE_API int group_compare(const numbers& a, const numbers& b);

inline constexpr int undefined = -32766;  // in place of a rank or color

// Null results: no communicator for this rank. A null color: none.
PURE_API core::communicator& duplicate(core::communicator& on, pure_call_site site);
PURE_API core::communicator* split(core::communicator& on, pure_call_site site, const int* color, int key);
/// `name`: of the hardware or process set of a guided type; `found`: null, or where the name of the hardware goes.
PURE_API core::communicator* split_type(core::communicator& on, pure_call_site site, int type, std::string_view name,
                                        std::string* found, int key);
PURE_API core::communicator* create(core::communicator& on, pure_call_site site, const numbers& members);
PURE_API core::communicator& create_group(core::communicator& on, pure_call_site site, const numbers& members, int tag);
PURE_API void free_communicator(core::communicator& on, pure_call_site site);
PURE_API int compare_communicators(core::communicator& a, core::communicator& b, pure_call_site site);
PURE_API numbers members_of(core::communicator& on, pure_call_site site);
PURE_API const std::string& name_of(core::communicator& on, pure_call_site site);
PURE_API void rename(core::communicator& on, pure_call_site site, std::string name);

}  // namespace pure::detail
