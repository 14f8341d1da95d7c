// What libc keeps for the process, and ranks would share. docs/libc_of_ranks.md has all of it.
#include <map>

#include "mpi2pure/port_passes.hpp"

namespace mpi2pure {

std::string remedy_for_library(const std::string& name) {
  static const std::map<std::string, const char*> remedies = [] {
    std::map<std::string, const char*> all;
    const auto add = [&](std::initializer_list<const char*> with, const char* remedy) {
      for (const char* one : with) all[one] = remedy;
    };
    add({"rand", "srand", "random", "srandom", "initstate", "setstate"},
        "take rand_r, or a generator of <random>, with a seed of the rank's own");
    add({"drand48", "lrand48", "mrand48", "srand48", "seed48", "lcong48"}, "take erand48, nrand48 or jrand48");
    add({"strtok"}, "take strtok_r");
    add({"getopt", "getopt_long", "getopt_long_only", "optarg", "optind", "opterr", "optopt"},
        "let one rank at a time read the options (a std::mutex around the loop, which begins with optind = 0)");
    add({"localtime", "gmtime"}, "take localtime_r or gmtime_r");
    add({"ctime", "asctime"}, "take ctime_r or asctime_r");
    add({"setlocale", "localeconv"}, "let all ranks want the same locale");
    add({"getpwnam", "getpwuid", "getgrnam", "getgrgid"}, "take the function with _r at its end");
    add({"gethostbyname", "gethostbyaddr", "getservbyname"}, "take getaddrinfo");
    add({"hsearch", "hcreate", "hdestroy"}, "take hsearch_r and its relatives");
    add({"lgamma", "lgammaf", "signgam"}, "take lgamma_r");
    add({"tmpnam", "ptsname", "ttyname", "getlogin", "ecvt", "fcvt"}, "take the function with _r at its end");
    add({"mbtowc", "wctomb", "mblen"}, "take mbrtowc, wcrtomb or mbrlen with a state of the rank's own");
    add({"chdir", "fchdir", "umask"}, "take whole paths: the process has one working directory, and one umask");
    add({"alarm", "setitimer"}, "the process has one timer: let one rank set it");
    return all;
  }();
  const auto found = remedies.find(name);
  return found == remedies.end() ? "" : found->second;
}

}  // namespace mpi2pure
