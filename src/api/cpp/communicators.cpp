// The library side of pure::group and of what pure::comm does with communicators (pure/detail/communicators.hpp).
#include <pure/detail/communicators.hpp>
#include <pure/group.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <string>

#include "api/cpp/door.hpp"
#include "comm/create.hpp"
#include "comm/group.hpp"
#include "comm/mpi_name.hpp"
#include "runtime/call_error.hpp"
#include "runtime/forked_child.hpp"
#include "task/calling_rank.hpp"

namespace pure::detail {

using core::call;
using core::communicator;

static_assert(static_cast<int>(comparison::ident) == static_cast<int>(core::comparison::ident));
static_assert(static_cast<int>(comparison::congruent) == static_cast<int>(core::comparison::congruent));
static_assert(static_cast<int>(comparison::similar) == static_cast<int>(core::comparison::similar));
static_assert(static_cast<int>(comparison::unequal) == static_cast<int>(core::comparison::unequal));
static_assert(undefined == core::undefined);

// ---- groups ---------------------------------------------------------------------------------------------------

namespace {

std::span<const int> as_span(const number_list& all) noexcept { return {all.first, all.count}; }

void give_numbers(const core::group& from, int* made, std::size_t* count) noexcept {
  std::copy(from.begin(), from.end(), made);
  *count = from.size();
}

}  // namespace

failure* pure_cxx_group_union(number_list a, number_list b, int* made, std::size_t* count) {
  return at_boundary([&] { give_numbers(core::group_union(as_span(a), as_span(b)), made, count); });
}

failure* pure_cxx_group_intersection(number_list a, number_list b, int* made, std::size_t* count) {
  return at_boundary([&] { give_numbers(core::group_intersection(as_span(a), as_span(b)), made, count); });
}

failure* pure_cxx_group_difference(number_list a, number_list b, int* made, std::size_t* count) {
  return at_boundary([&] { give_numbers(core::group_difference(as_span(a), as_span(b)), made, count); });
}

failure* pure_cxx_group_incl(pure_call_site site, number_list of, number_list ranks, int* made, std::size_t* count) {
  return at_boundary([&] { give_numbers(core::group_incl({"incl", site}, as_span(of), as_span(ranks)), made, count); });
}

failure* pure_cxx_group_excl(pure_call_site site, number_list of, number_list ranks, int* made, std::size_t* count) {
  return at_boundary([&] { give_numbers(core::group_excl({"excl", site}, as_span(of), as_span(ranks)), made, count); });
}

failure* pure_cxx_group_rank(pure_call_site site, number_list of, int* rank) {
  return at_boundary([&] {
    const core::rank_context* const caller = core::self();
    if (caller == nullptr) {
      core::throw_wrong_call({"group::rank", site}, errc::state,
                             core::is_forked_from_worker()
                                 ? core::forked_child_text()
                                 : "called outside a rank, which alone has a rank in a group");
    }
    *rank = core::rank_in(as_span(of), caller->number());
  });
}

failure* pure_cxx_group_translate(pure_call_site site, number_list from, int rank, number_list to, int* translated) {
  return at_boundary([&] { *translated = core::translate({"translate", site}, as_span(from), rank, as_span(to)); });
}

failure* pure_cxx_group_compare(number_list a, number_list b, int* result) {
  return at_boundary([&] { *result = static_cast<int>(core::compare(as_span(a), as_span(b))); });
}

// ---- communicators --------------------------------------------------------------------------------------------

namespace {

void give_text(const std::string& from, given_text* to) {
  to->first = static_cast<char*>(std::malloc(from.size() + 1));
  if (to->first == nullptr) throw std::bad_alloc();
  to->length = from.size();
  std::memcpy(to->first, from.c_str(), from.size() + 1);
}

}  // namespace

failure* pure_cxx_duplicate(communicator* on, pure_call_site site, communicator** made) {
  return on_communicator(on, "dup", site,
                         [&](communicator& own, const call& by) { *made = &core::duplicate(own, by); });
}

failure* pure_cxx_split(communicator* on, pure_call_site site, const int* color, int key, communicator** made) {
  return on_communicator(on, "split", site, [&](communicator& own, const call& by) {
    *made = core::split(own, by, color == nullptr ? std::nullopt : std::optional(*color), key);
  });
}

failure* pure_cxx_split_type(communicator* on, pure_call_site site, int type, const char* name, std::size_t name_length,
                             given_text* found, int key, communicator** made) {
  return on_communicator(on, "split_type", site, [&](communicator& own, const call& by) {
    core::split_wish wanted{static_cast<core::split_kind>(type)};
    if (wanted.kind == core::split_kind::hw_guided) wanted.hardware.emplace(name, name_length);
    if (wanted.kind == core::split_kind::resource_guided) wanted.process_set.emplace(name, name_length);
    std::string hardware;
    *made = core::split(own, by, wanted, key, &hardware);
    if (found != nullptr && !hardware.empty()) give_text(hardware, found);
  });
}

failure* pure_cxx_create(communicator* on, pure_call_site site, number_list members, communicator** made) {
  return on_communicator(on, "create", site, [&](communicator& own, const call& by) {
    *made = core::create(own, by, {members.first, members.first + members.count});
  });
}

failure* pure_cxx_create_group(communicator* on, pure_call_site site, number_list members, int tag,
                               communicator** made) {
  return on_communicator(on, "create_group", site, [&](communicator& own, const call& by) {
    *made = &core::create_group(own, by, {members.first, members.first + members.count}, tag);
  });
}

failure* pure_cxx_free_communicator(communicator* on, pure_call_site site) {
  return on_communicator(on, "free", site, [&](communicator& own, const call& by) { core::free(own, by); });
}

failure* pure_cxx_compare_communicators(communicator* a, communicator* b, pure_call_site site, int* result) {
  return on_communicator(a, "compare", site, [&](communicator& own, const call& by) {
    check_owner(*b, by);
    *result = static_cast<int>(core::compare(own, *b));
  });
}

failure* pure_cxx_members_of(communicator* on, pure_call_site site, int* members) {
  return on_communicator(on, "group", site, [&](communicator& own, const call&) {
    const auto& all = own.shared().members();
    std::copy(all.begin(), all.end(), members);
  });
}

failure* pure_cxx_name_of(communicator* on, pure_call_site site, const char** name, std::size_t* length) {
  return on_communicator(on, "name", site, [&](communicator& own, const call&) {
    *name = own.name().data();
    *length = own.name().size();
  });
}

failure* pure_cxx_rename(communicator* on, pure_call_site site, const char* name, std::size_t length) {
  return on_communicator(on, "set_name", site,
                         [&](communicator& own, const call&) { own.rename(std::string(name, length)); });
}

failure* pure_cxx_comm_from_mpi(pure_call_site site, MPI_ABI_Comm* mpi, communicator** found) {
  return at_boundary([&] {
    const call by{"comm", site};
    const auto name = reinterpret_cast<std::uintptr_t>(mpi);
    *found = core::communicator_table::of(core::rank_of(by)).find(core::handle_of_mpi_comm(name));
    if (*found != nullptr) return;
    core::throw_wrong_call(by, errc::comm,
                           name == core::mpi_comm_null ? "the MPI_Comm is MPI_COMM_NULL"
                                                       : "the MPI_Comm was freed already, or is no communicator");
  });
}

failure* pure_cxx_comm_to_mpi(communicator* on, pure_call_site site, MPI_ABI_Comm** mpi) {
  return on_communicator(on, "comm", site, [&](communicator& own, const call&) {
    *mpi = reinterpret_cast<MPI_ABI_Comm*>(core::mpi_comm_of_handle(own.handle()));  // NOLINT: a name
  });
}

}  // namespace pure::detail
