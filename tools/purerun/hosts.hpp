// Which machines a job runs on, and how many processes each gets.
//
// Pure functions, except that read_hostfile reads its file, and text_of_unknown_hosts asks for addresses. They throw
// usage_error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace purerun {

struct host {
  std::string name;
  int processes = 0;  ///< 0: nobody has said how many
};

/// "a,b:2,c"
std::vector<host> parse_hosts(std::string_view list);

/// A line for each machine, as MPICH ("name:2"), Open MPI ("name slots=2") or nobody in particular ("name") writes it;
/// # starts a comment.
std::vector<host> read_hostfile(const std::string& path);

/// What was asked for with -N and --ppn.
struct process_counts {
  std::optional<int> in_all;
  std::optional<int> per_host;
};

/// The same machines with their numbers of processes, at least one each; machines that get none are left out.
std::vector<host> share_out(std::vector<host> hosts, const process_counts& asked);

/// "a:2,b:2", for the launchers.
std::string hosts_text(const std::vector<host>& hosts);

/// A warning that names the machines without an address; empty if there is none. Launchers say much of such a machine,
/// and not always its name, or wait for ever. It is no error: ssh may know the machine by a name of its own.
std::string text_of_unknown_hosts(const std::vector<host>& hosts);

}  // namespace purerun
