// What a rank has found in the databases of users, groups, hosts, ... last, where it is in their lists, and its hash
// table (database_replacements.cpp).
#pragma once

#include <aliases.h>
#include <grp.h>
#include <gshadow.h>
#include <mntent.h>
#include <netdb.h>
#include <pwd.h>
#include <search.h>
#include <shadow.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace pure::core {

/// The result of one function, with the texts that it points to. As in libc, the lock does not protect the result from
/// the next call.
template <class Record>
struct found_record {
  std::mutex lock;
  Record record{};
  std::unique_ptr<char[]> memory;
  std::size_t size = 0;
};

/// All of a database, for one that goes through it: libc has one place in it for the process.
template <class Record>
struct record_list {
  struct entry {
    Record record{};
    std::unique_ptr<char[]> memory;
  };
  std::mutex lock;
  std::vector<entry> entries;
  std::size_t next = 0;
  bool is_read = false;  // else the next call reads it; until then what was found before stays as it is
};

struct database_state {
  found_record<passwd> passwd_by_name, passwd_by_id, passwd_in_file;
  // ::group: Pure has a class of that name.
  found_record<::group> group_by_name, group_by_id, group_in_file;
  found_record<spwd> shadow_by_name, shadow_in_file, shadow_in_text;
  found_record<sgrp> group_shadow_by_name, group_shadow_in_file, group_shadow_in_text;
  found_record<hostent> host_by_name, host_by_name_of_family, host_by_address;
  found_record<netent> network_by_name, network_by_address;
  found_record<protoent> protocol_by_name, protocol_by_number;
  found_record<servent> service_by_name, service_by_port;
  found_record<rpcent> program_by_name, program_by_number;
  found_record<aliasent> alias_by_name;
  found_record<mntent> mount;

  record_list<passwd> passwds;
  record_list<::group> groups;
  record_list<spwd> shadows;
  record_list<sgrp> group_shadows;
  record_list<hostent> hosts;
  record_list<netent> networks;
  record_list<protoent> protocols;
  record_list<servent> services;
  record_list<rpcent> programs;
  record_list<aliasent> aliases;

  hsearch_data table{};  // of hsearch, which libc does not guard
};

}  // namespace pure::core
