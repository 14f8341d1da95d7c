// Users, groups, hosts, services, ...: results in memory of the rank, and a place in their lists for each rank; and the
// hash table of hsearch. libc's functions that take the memory from the caller do the work.
//
// Any thread, as in libc: two threads of a rank share a result. The place of the functions that end in _r and go
// through a list (getpwent_r) is the process's: they are not replaced.
#include <cerrno>
#include <cstdio>
#include <new>

#include "libc/database_state.hpp"
#include "libc/hidden_state.hpp"
#include "libc/replacements.hpp"

namespace pure::core {

namespace {

constexpr std::size_t first_size = 1024;

/// At least that large; false: there is no memory, which errno says.
bool enlarge(std::unique_ptr<char[]>& memory, std::size_t& size, std::size_t wanted) noexcept {
  memory.reset(new (std::nothrow) char[wanted]);
  size = memory == nullptr ? 0 : wanted;
  if (memory == nullptr) errno = ENOMEM;
  return memory != nullptr;
}

/// What look(record, memory, size, result) finds; its code is ERANGE if the memory is too small.
template <class Record, class Look>
Record* found(found_record<Record>& place, Look look) {
  const std::scoped_lock held(place.lock);
  if (place.memory == nullptr && !enlarge(place.memory, place.size, first_size)) return nullptr;
  Record* result = nullptr;
  while (look(&place.record, place.memory.get(), place.size, &result) == ERANGE)
    if (!enlarge(place.memory, place.size, 2 * place.size)) return nullptr;
  return result;
}

/// By a function of libc's that takes `keys` first.
template <class Record, class Function, class... Keys>
Record* found_by(found_record<Record> database_state::*place, Function function, Keys... keys) {
  return found(hidden_state_here().databases.*place, [&](auto... others) { return function(keys..., others...); });
}

/// By one that tells its errors as h_errno: ERANGE is one of the memory only with NETDB_INTERNAL.
template <class Record, class Function, class... Keys>
Record* found_on_network(found_record<Record> database_state::*place, Function function, Keys... keys) {
  int error = 0;
  const auto look = [&](auto... others) {
    const int code = function(keys..., others..., &error);
    return code == ERANGE && error != NETDB_INTERNAL ? 0 : code;
  };
  Record* const result = found(hidden_state_here().databases.*place, look);
  if (error != 0) h_errno = error;
  return result;
}

passwd* rank_getpwnam(const char* name) { return found_by(&database_state::passwd_by_name, getpwnam_r, name); }
passwd* rank_getpwuid(uid_t user) { return found_by(&database_state::passwd_by_id, getpwuid_r, user); }
passwd* rank_fgetpwent(FILE* file) { return found_by(&database_state::passwd_in_file, fgetpwent_r, file); }
::group* rank_getgrnam(const char* name) { return found_by(&database_state::group_by_name, getgrnam_r, name); }
::group* rank_getgrgid(gid_t number) { return found_by(&database_state::group_by_id, getgrgid_r, number); }
::group* rank_fgetgrent(FILE* file) { return found_by(&database_state::group_in_file, fgetgrent_r, file); }
spwd* rank_getspnam(const char* name) { return found_by(&database_state::shadow_by_name, getspnam_r, name); }
spwd* rank_fgetspent(FILE* file) { return found_by(&database_state::shadow_in_file, fgetspent_r, file); }
spwd* rank_sgetspent(const char* text) { return found_by(&database_state::shadow_in_text, sgetspent_r, text); }
sgrp* rank_getsgnam(const char* name) { return found_by(&database_state::group_shadow_by_name, getsgnam_r, name); }
sgrp* rank_fgetsgent(FILE* file) { return found_by(&database_state::group_shadow_in_file, fgetsgent_r, file); }
sgrp* rank_sgetsgent(const char* text) { return found_by(&database_state::group_shadow_in_text, sgetsgent_r, text); }

hostent* rank_gethostbyname(const char* name) {
  return found_on_network(&database_state::host_by_name, gethostbyname_r, name);
}
hostent* rank_gethostbyname2(const char* name, int family) {
  return found_on_network(&database_state::host_by_name_of_family, gethostbyname2_r, name, family);
}
hostent* rank_gethostbyaddr(const void* address, socklen_t size, int family) {
  return found_on_network(&database_state::host_by_address, gethostbyaddr_r, address, size, family);
}
netent* rank_getnetbyname(const char* name) {
  return found_on_network(&database_state::network_by_name, getnetbyname_r, name);
}
netent* rank_getnetbyaddr(std::uint32_t network, int family) {
  return found_on_network(&database_state::network_by_address, getnetbyaddr_r, network, family);
}
protoent* rank_getprotobyname(const char* name) {
  return found_by(&database_state::protocol_by_name, getprotobyname_r, name);
}
protoent* rank_getprotobynumber(int number) {
  return found_by(&database_state::protocol_by_number, getprotobynumber_r, number);
}
servent* rank_getservbyname(const char* name, const char* protocol) {
  return found_by(&database_state::service_by_name, getservbyname_r, name, protocol);
}
servent* rank_getservbyport(int port, const char* protocol) {
  return found_by(&database_state::service_by_port, getservbyport_r, port, protocol);
}
rpcent* rank_getrpcbyname(const char* name) { return found_by(&database_state::program_by_name, getrpcbyname_r, name); }
rpcent* rank_getrpcbynumber(int number) {
  return found_by(&database_state::program_by_number, getrpcbynumber_r, number);
}
aliasent* rank_getaliasbyname(const char* name) {
  return found_by(&database_state::alias_by_name, getaliasbyname_r, name);
}

/// As long as libc's; a longer line is cut.
mntent* rank_getmntent(FILE* file) {
  found_record<mntent>& place = hidden_state_here().databases.mount;
  const std::scoped_lock held(place.lock);
  if (place.memory == nullptr && !enlarge(place.memory, place.size, 4096)) return nullptr;
  return getmntent_r(file, &place.record, place.memory.get(), static_cast<int>(place.size));
}

// ---- lists -------------------------------------------------------------------------------------------------------

/// A database that can be gone through: where the rank is in it, and libc's functions.
template <auto Member, auto Rewind, auto Next, auto End>
struct database {
  static auto& list() { return hidden_state_here().databases.*Member; }
  using entry = typename std::remove_reference_t<decltype(list().entries)>::value_type;
  using record = decltype(entry::record);

  static record* next() noexcept {
    auto& here = list();
    const std::scoped_lock held(here.lock);
    if (!here.is_read) {
      here.entries.clear();
      here.next = 0;
      here.is_read = true;
      read(here.entries);
    }
    return here.next == here.entries.size() ? nullptr : &here.entries[here.next++].record;
  }

  static void begin_again() {
    {
      const std::scoped_lock held(list().lock);
      list().is_read = false;
    }
    const std::scoped_lock held(place_of_libc);
    rewind();
  }
  static void begin_again_open(int /*stay_open*/) { begin_again(); }

  static void end() {
    begin_again();
    const std::scoped_lock held(place_of_libc);
    End();
  }

 private:
  static void rewind() {
    if constexpr (requires { Rewind(1); })
      Rewind(1);
    else
      Rewind();
  }

  static int read_one(entry& one, std::size_t size, record*& result) {
    if constexpr (requires { Next(&one.record, one.memory.get(), size, &result); }) {
      return Next(&one.record, one.memory.get(), size, &result);
    } else {
      int error = 0;
      return Next(&one.record, one.memory.get(), size, &result, &error);
    }
  }

  static void read(std::vector<entry>& entries) {
    const std::scoped_lock held(place_of_libc);
    rewind();
    for (;;) {
      entry one;
      record* result = nullptr;
      std::size_t size = 0;
      if (!enlarge(one.memory, size, first_size)) break;
      int code = 0;
      while ((code = read_one(one, size, result)) == ERANGE)
        if (!enlarge(one.memory, size, 2 * size)) break;
      if (code != 0 || result == nullptr) break;
      entries.push_back(std::move(one));
    }
    End();
  }

  static inline std::mutex place_of_libc;
};

using passwds = database<&database_state::passwds, setpwent, getpwent_r, endpwent>;
using groups = database<&database_state::groups, setgrent, getgrent_r, endgrent>;
using shadows = database<&database_state::shadows, setspent, getspent_r, endspent>;
using group_shadows = database<&database_state::group_shadows, setsgent, getsgent_r, endsgent>;
using hosts = database<&database_state::hosts, sethostent, gethostent_r, endhostent>;
using networks = database<&database_state::networks, setnetent, getnetent_r, endnetent>;
using protocols = database<&database_state::protocols, setprotoent, getprotoent_r, endprotoent>;
using services = database<&database_state::services, setservent, getservent_r, endservent>;
using programs = database<&database_state::programs, setrpcent, getrpcent_r, endrpcent>;
using aliases = database<&database_state::aliases, setaliasent, getaliasent_r, endaliasent>;

// ---- the hash table ----------------------------------------------------------------------------------------------

int rank_hcreate(std::size_t size) { return hcreate_r(size, &hidden_state_here().databases.table); }

ENTRY* rank_hsearch(ENTRY item, ACTION action) {
  ENTRY* result = nullptr;
  hsearch_r(item, action, &result, &hidden_state_here().databases.table);
  return result;
}

void rank_hdestroy() { hdestroy_r(&hidden_state_here().databases.table); }

}  // namespace

std::span<const replacement> database_replacements() noexcept {
  static const replacement table[] = {
      replaced_by("getpwnam", rank_getpwnam),
      replaced_by("getpwuid", rank_getpwuid),
      replaced_by("fgetpwent", rank_fgetpwent),
      replaced_by("getgrnam", rank_getgrnam),
      replaced_by("getgrgid", rank_getgrgid),
      replaced_by("fgetgrent", rank_fgetgrent),
      replaced_by("getspnam", rank_getspnam),
      replaced_by("fgetspent", rank_fgetspent),
      replaced_by("sgetspent", rank_sgetspent),
      replaced_by("getsgnam", rank_getsgnam),
      replaced_by("fgetsgent", rank_fgetsgent),
      replaced_by("sgetsgent", rank_sgetsgent),
      replaced_by("gethostbyname", rank_gethostbyname),
      replaced_by("gethostbyname2", rank_gethostbyname2),
      replaced_by("gethostbyaddr", rank_gethostbyaddr),
      replaced_by("getnetbyname", rank_getnetbyname),
      replaced_by("getnetbyaddr", rank_getnetbyaddr),
      replaced_by("getprotobyname", rank_getprotobyname),
      replaced_by("getprotobynumber", rank_getprotobynumber),
      replaced_by("getservbyname", rank_getservbyname),
      replaced_by("getservbyport", rank_getservbyport),
      replaced_by("getrpcbyname", rank_getrpcbyname),
      replaced_by("getrpcbynumber", rank_getrpcbynumber),
      replaced_by("getaliasbyname", rank_getaliasbyname),
      replaced_by("getmntent", rank_getmntent),
      replaced_by("getpwent", passwds::next),
      replaced_by("setpwent", passwds::begin_again),
      replaced_by("endpwent", passwds::end),
      replaced_by("getgrent", groups::next),
      replaced_by("setgrent", groups::begin_again),
      replaced_by("endgrent", groups::end),
      replaced_by("getspent", shadows::next),
      replaced_by("setspent", shadows::begin_again),
      replaced_by("endspent", shadows::end),
      replaced_by("getsgent", group_shadows::next),
      replaced_by("setsgent", group_shadows::begin_again),
      replaced_by("endsgent", group_shadows::end),
      replaced_by("gethostent", hosts::next),
      replaced_by("sethostent", hosts::begin_again_open),
      replaced_by("endhostent", hosts::end),
      replaced_by("getnetent", networks::next),
      replaced_by("setnetent", networks::begin_again_open),
      replaced_by("endnetent", networks::end),
      replaced_by("getprotoent", protocols::next),
      replaced_by("setprotoent", protocols::begin_again_open),
      replaced_by("endprotoent", protocols::end),
      replaced_by("getservent", services::next),
      replaced_by("setservent", services::begin_again_open),
      replaced_by("endservent", services::end),
      replaced_by("getrpcent", programs::next),
      replaced_by("setrpcent", programs::begin_again_open),
      replaced_by("endrpcent", programs::end),
      replaced_by("getaliasent", aliases::next),
      replaced_by("setaliasent", aliases::begin_again),
      replaced_by("endaliasent", aliases::end),
      replaced_by("hcreate", rank_hcreate),
      replaced_by("hsearch", rank_hsearch),
      replaced_by("hdestroy", rank_hdestroy),
  };
  return table;
}

}  // namespace pure::core
