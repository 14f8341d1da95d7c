// The library side of pure::group and of what pure::comm does with communicators (pure/detail/communicators.hpp).
#include <pure/detail/communicators.hpp>
#include <pure/group.hpp>

#include <optional>
#include <utility>

#include "api/cpp/door.hpp"
#include "comm/create.hpp"
#include "comm/group.hpp"
#include "runtime/call_error.hpp"
#include "runtime/forked_child.hpp"

namespace pure::detail {

using core::call;
using core::communicator;

static_assert(static_cast<int>(comparison::ident) == static_cast<int>(core::comparison::ident));
static_assert(static_cast<int>(comparison::congruent) == static_cast<int>(core::comparison::congruent));
static_assert(static_cast<int>(comparison::similar) == static_cast<int>(core::comparison::similar));
static_assert(static_cast<int>(comparison::unequal) == static_cast<int>(core::comparison::unequal));
static_assert(undefined == core::undefined);

// ---- groups ---------------------------------------------------------------------------------------------------

numbers group_union(const numbers& a, const numbers& b) { return core::group_union(a, b); }
numbers group_intersection(const numbers& a, const numbers& b) { return core::group_intersection(a, b); }
numbers group_difference(const numbers& a, const numbers& b) { return core::group_difference(a, b); }

numbers group_incl(pure_call_site site, const numbers& of, const int* ranks, std::size_t count) {
  return core::group_incl({"incl", site}, of, {ranks, count});
}

numbers group_excl(pure_call_site site, const numbers& of, const int* ranks, std::size_t count) {
  return core::group_excl({"excl", site}, of, {ranks, count});
}

int group_rank(pure_call_site site, const numbers& of) {
  const core::rank_context* const rank = core::self();
  if (rank == nullptr) {
    core::throw_wrong_call({"group::rank", site}, errc::state,
                           core::is_forked_from_worker() ? core::forked_child_text()
                                                         : "called outside a rank, which alone has a rank in a group");
  }
  return core::rank_in(of, rank->number());
}

int group_translate(pure_call_site site, const numbers& from, int rank, const numbers& to) {
  return core::translate({"translate", site}, from, rank, to);
}

int group_compare(const numbers& a, const numbers& b) {
  return static_cast<int>(core::compare(std::span(a), std::span(b)));
}

// ---- communicators --------------------------------------------------------------------------------------------

communicator& duplicate(communicator& on, pure_call_site site) {
  const call by{"dup", site};
  check_owner(on, by);
  return core::duplicate(on, by);
}

communicator* split(communicator& on, pure_call_site site, const int* color, int key) {
  const call by{"split", site};
  check_owner(on, by);
  return core::split(on, by, color == nullptr ? std::nullopt : std::optional(*color), key);
}

communicator* split_type(communicator& on, pure_call_site site, int type, std::string_view name, std::string* found,
                         int key) {
  const call by{"split_type", site};
  check_owner(on, by);
  core::split_wish wanted{static_cast<core::split_kind>(type)};
  if (wanted.kind == core::split_kind::hw_guided) wanted.hardware = name;
  if (wanted.kind == core::split_kind::resource_guided) wanted.process_set = name;
  return core::split(on, by, wanted, key, found);
}

communicator* create(communicator& on, pure_call_site site, const numbers& members) {
  const call by{"create", site};
  check_owner(on, by);
  return core::create(on, by, members);
}

communicator& create_group(communicator& on, pure_call_site site, const numbers& members, int tag) {
  const call by{"create_group", site};
  check_owner(on, by);
  return core::create_group(on, by, members, tag);
}

void free_communicator(communicator& on, pure_call_site site) {
  const call by{"free", site};
  check_owner(on, by);
  core::free(on, by);
}

int compare_communicators(communicator& a, communicator& b, pure_call_site site) {
  const call by{"compare", site};
  check_owner(a, by);
  check_owner(b, by);
  return static_cast<int>(core::compare(a, b));
}

numbers members_of(communicator& on, pure_call_site site) {
  check_owner(on, {"group", site});
  return on.shared().members();
}

const std::string& name_of(communicator& on, pure_call_site site) {
  check_owner(on, {"name", site});
  return on.name();
}

void rename(communicator& on, pure_call_site site, std::string name) {
  check_owner(on, {"set_name", site});
  on.rename(std::move(name));
}

}  // namespace pure::detail
