// pure.h, communicators (pure/communicators.h): translates handles, forwards to comm/create.hpp.
#include <pure.h>

#include <optional>
#include <string>

#include "api/c/door.hpp"
#include "api/c/group.hpp"
#include "comm/create.hpp"
#include "comm/mpi_name.hpp"
#include "comm/refusal.hpp"
#include "objects/known_info.hpp"
#include "objects/topology_call.hpp"

using pure::errc;
using namespace pure::core;

static_assert(static_cast<int>(split_kind::machine) == PURE_COMM_TYPE_MACHINE);
static_assert(static_cast<int>(split_kind::process) == PURE_COMM_TYPE_PROCESS);
static_assert(static_cast<int>(split_kind::numa) == PURE_COMM_TYPE_NUMA);
static_assert(static_cast<int>(split_kind::core) == PURE_COMM_TYPE_CORE);
static_assert(static_cast<int>(split_kind::l3) == PURE_COMM_TYPE_L3);
static_assert(static_cast<int>(split_kind::package) == PURE_COMM_TYPE_SOCKET);
static_assert(static_cast<int>(split_kind::hw_guided) == PURE_COMM_TYPE_HW_GUIDED);
static_assert(static_cast<int>(split_kind::hw_unguided) == PURE_COMM_TYPE_HW_UNGUIDED);
static_assert(static_cast<int>(split_kind::resource_guided) == PURE_COMM_TYPE_RESOURCE_GUIDED);

namespace {

void give(const communicator* made, pure_comm* result) noexcept {
  *result = made == nullptr ? PURE_COMM_NULL : static_cast<pure_comm>(made->handle());
}

/// Refuses a null pointer to the result, on all ranks.
void require_of_all(communicator& from, const call& by, const pure_comm* made) {
  checked_creation(from, by, [&] { require(from, by, made, "made"); });
}

}  // namespace

int pure_comm_dup(pure_comm comm, pure_comm* made, pure_call_site site) {
  return c_call(site, comm, [&](communicator& from, const call& by) {
    require_of_all(from, by, made);
    communicator& copy = duplicate(from, by);
    copy_topology(from, copy.handle());
    give(&copy, made);
  });
}

int pure_comm_split(pure_comm comm, int color, int key, pure_comm* made, pure_call_site site) {
  return c_call(site, comm, [&](communicator& from, const call& by) {
    require_of_all(from, by, made);
    give(split(from, by, color == PURE_UNDEFINED ? std::nullopt : std::optional(color), key), made);
  });
}

int pure_comm_split_type(pure_comm comm, int split_type, int key, pure_comm* made, pure_call_site site) {
  return c_call(site, comm, [&](communicator& from, const call& by) {
    require_of_all(from, by, made);
    give(split(from, by, {static_cast<split_kind>(split_type)}, key), made);
  });
}

int pure_comm_split_type(pure_comm comm, int split_type, int key, pure_info info, pure_comm* made,
                         pure_call_site site) {
  return c_call(site, comm, [&](communicator& from, const call& by) {
    require_of_all(from, by, made);
    info_object* const keys = info == PURE_INFO_NULL ? nullptr
                                                     : checked_creation(from, by, [&] { return &info_of(by, info); });
    split_wish wanted{static_cast<split_kind>(split_type)};
    if (keys != nullptr) read_split_keys(*keys, wanted);
    std::string found;
    communicator* const own = split(from, by, wanted, key, &found);
    if (keys != nullptr && own != nullptr) note_split_result(*keys, wanted.kind, found);
    give(own, made);
  });
}

int pure_comm_create(pure_comm comm, pure_group group, pure_comm* made, pure_call_site site) {
  return c_call(site, comm, [&](communicator& from, const call& by) {
    require_of_all(from, by, made);
    give(create(from, by, *checked_creation(from, by, [&] { return &group_of(by, group); })), made);
  });
}

int pure_comm_create_group(pure_comm comm, pure_group group, int tag, pure_comm* made, pure_call_site site) {
  return c_call(site, comm, [&](communicator& from, const call& by) {
    const pure::core::group& members = group_of(by, group);
    check_group_creation(from, by, members, tag);
    checked_for_all([&] { require(from, by, made, "made"); },
                    [&](const pure::Error& why) { refuse_group_creation(from, by, members, tag, why); });
    give(&create_group(from, by, members, tag), made);
  });
}

int pure_comm_free(pure_comm* comm, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    require_pointer(by, comm, "comm");
    communicator& unused = communicator_of(by, *comm);
    const std::uint64_t name = unused.handle();
    const rank_context& owner = unused.owner();
    free(unused, by);
    forget_topology(owner, name);
    *comm = PURE_COMM_NULL;
  });
}

int pure_comm_compare(pure_comm a, pure_comm b, int* result, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    communicator& left = communicator_of(by, a);
    const communicator& right = communicator_of(by, b);
    require(left, by, result, "result");
    *result = static_cast<int>(compare(left, right));
  });
}

int pure_comm_set_name(pure_comm comm, const char* name, pure_call_site site) {
  return c_call(site, comm, [&](communicator& named, const call& by) {
    require(named, by, name, "name");
    named.rename(name);
  });
}

int pure_comm_get_name(pure_comm comm, const char** name, pure_call_site site) {
  return c_call(site, comm, [&](const communicator& named, const call& by) {
    require(named, by, name, "name");
    *name = named.name().c_str();
  });
}

int pure_comm_group(pure_comm comm, pure_group* group, pure_call_site site) {
  return c_call(site, comm, [&](const communicator& of, const call& by) {
    require(of, by, group, "group");
    give_group(by, of.shared().members(), group);
  });
}

int pure_comm_from_mpi(MPI_ABI_Comm* mpi, pure_comm* comm, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const auto name = reinterpret_cast<std::uintptr_t>(mpi);
    const auto handle = static_cast<pure_comm>(handle_of_mpi_comm(name));
    if (name != mpi_comm_null) communicator_of(by, handle);
    require_pointer(by, comm, "comm");
    *comm = handle;
  });
}

int pure_comm_to_mpi(pure_comm comm, MPI_ABI_Comm** mpi, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    if (comm != PURE_COMM_NULL) communicator_of(by, comm);
    require_pointer(by, mpi, "mpi");
    *mpi = reinterpret_cast<MPI_ABI_Comm*>(mpi_comm_of_handle(comm));  // NOLINT: a name
  });
}
