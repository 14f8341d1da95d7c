#include "purerun/mpirun_habits.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "base/printable_text.hpp"
#include "base/text.hpp"
#include "purerun/options.hpp"

namespace purerun {
namespace {

using pure::core::printable_word;

struct habit {
  std::string_view names;  ///< as they are typed, with spaces between
  std::string_view instead;
};

// Of Open MPI's mpirun (prterun), MPICH's and Intel MPI's mpiexec.hydra, and what srun shares with them.
constexpr habit habits[] = {
    {"-c --n", "write -n N."},
    {"--bind-to -bind-to --bind-to-core --bind-to-socket -bind-to-core -bind-to-socket -binding -bycore -bysocket",
     "each rank's own thread is bound to a core anyway, and threads that it makes to its share of the cores; --map-by says to which (core, numa, socket, file:PATH), and --map-by none "
     "binds nothing. --report-bindings shows it."},
    {"-map-by", "write --map-by WHAT."},
    {"--rank-by -rank-by --ranking",
     "ranks are numbered as --map-by deals them out; a file (--map-by file:PATH) can "
     "have any order, and --placement gives ranks to processes."},
    {"-x -env -genv -envlist -genvlist -envall -genvall -envnone -genvnone --export",
     "programs get the environment that purerun has: write NAME=VALUE before it (NAME=VALUE purerun ...). On other "
     "machines Open MPI hands out PURE_* and LD_LIBRARY_PATH only; --mpiexec-args \"-x NAME\" adds others."},
    {"-f -machinefile --machinefile -hostfile --default-hostfile", "write --hostfile FILE."},
    {"-H -host --host -hosts", "write --hosts LIST, as in a,b or a:2,b:2."},
    {"-ppn -perhost -npernode --npernode -pernode --pernode --ntasks-per-node",
     "write --ppn K: that many processes on each machine. -n counts ranks, of which a process has several."},
    {"-npersocket --npersocket -persocket",
     "--map-by socket deals the ranks out to the sockets; --ppn numa starts a process for each NUMA node."},
    {"-wd --wd -wdir --wdir -cwd --chdir", "start purerun there: (cd DIRECTORY && purerun ...)."},
    {"-path --path --preload-binary", "write the program with its path; on other machines it must have the same one."},
    {"--oversubscribe -oversubscribe --nooversubscribe -nooversubscribe --overload-allowed",
     "leave it out: more ranks than cores may be asked for, and share them."},
    {"--use-hwthread-cpus -use-hwthread-cpus",
     "leave it out: more ranks than cores go to the second hardware threads; --map-by file:PATH can name any."},
    {"--cpus-per-proc -cpus-per-proc -cpus-per-rank --cpus-per-task", "write --cpus-per-rank K."},
    {"--allow-run-as-root -allow-run-as-root", "leave it out: root may."},
    {"-report-bindings -print-rank-map", "write --report-bindings."},
    {"--tag-output -tag-output -l -prepend-rank -prepend-pattern --output-filename -outfile-pattern --timestamp-output",
     "the ranks of a process share its output; a program can print pure_rank(). What processes print, the launcher of "
     "an MPI can mark: --mpiexec-args \"OPTIONS\"."},
    {"-mca --mca -gmca --gmca --prtemca --pmixmca --tune --am -launcher -bootstrap -rmk",
     "that is for the launcher of an MPI, if there are several processes: --mpiexec-args \"OPTIONS\"."},
    {"-iface", "write --network-interface NAME."},
    {"-nolocal --nolocal", "name the machines with --hosts or --hostfile."},
    {"-configfile --app", "several programs in one job are not possible: all ranks run the same one."},
};

constexpr std::string_view several_programs =
    "several programs in one job, with : between them, are not possible: all ranks run the same one, and may do "
    "different things by their ranks.";

bool is_one_of(std::string_view name, std::string_view names) {
  const auto all = pure::core::split(names, ' ');
  return std::find(all.begin(), all.end(), name) != all.end();
}

// -n4 and --ranks=4 have their values with them.
bool takes_next_word(const CLI::App& app, const std::string& word) {
  const CLI::Option* const option = app.get_option_no_throw(word);
  return option != nullptr && option->get_items_expected_max() != 0;
}

// What the options of launchers that are taken under their names do here.
enum class taken_as { nothing, told, binding, variable, pair, host, folder };
struct taken_option {
  std::string_view names;
  int values;
  taken_as as;
};
constexpr taken_option taken[] = {
    {"--oversubscribe -oversubscribe --nooversubscribe -nooversubscribe --overload-allowed --allow-run-as-root "
     "-allow-run-as-root --use-hwthread-cpus -use-hwthread-cpus -envall -genvall --bind-to-core -bind-to-core -q -quiet "
     "--quiet",
     0, taken_as::nothing},
    {"--bind-to-socket -bind-to-socket --tag-output -tag-output -l -prepend-rank --timestamp-output -print-rank-map", 0,
     taken_as::told},
    {"--rank-by -rank-by --tune -tune --am -launcher -bootstrap -rmk -iface", 1, taken_as::told},
    {"--mca -mca --gmca -gmca --prtemca --pmixmca", 2, taken_as::told},
    {"-wd --wd -wdir --wdir", 1, taken_as::folder},
    {"--bind-to -bind-to", 1, taken_as::binding},
    {"-x", 1, taken_as::variable},
    {"-env -genv", 2, taken_as::pair},
    {"-H -host --host -hosts", 1, taken_as::host},
};

bool is_this_machine(std::string_view host) {
  host = host.substr(0, host.find(':'));
  char own[256] = "";
  if (gethostname(own, sizeof own - 1) != 0) own[0] = '\0';
  return host == "localhost" || host == "127.0.0.1" || (!host.empty() && host == own);
}

// Takes the option of words[at], if it is one of those; false: it is none. Its values are words that follow, or one
// behind
// "=".
bool take(std::span<const char* const> words, std::size_t& at, std::vector<std::string>& own,
          std::vector<std::string>& notes) {
  const std::string_view word = words[at];
  const std::string_view name = word.substr(0, word.find('='));
  const auto* const found = std::find_if(std::begin(taken), std::end(taken),
                                         [&](const taken_option& each) { return is_one_of(name, each.names); });
  if (found == std::end(taken)) return false;
  std::vector<std::string> values;
  if (name != word) values.emplace_back(word.substr(name.size() + 1));
  std::size_t last = at;
  while (values.size() < static_cast<std::size_t>(found->values)) {
    if (++last >= words.size()) throw usage_error(fmt::format("{} needs a value.", printable_word(std::string(name))));
    values.emplace_back(words[last]);
  }
  switch (found->as) {
    case taken_as::nothing: break;
    case taken_as::told:
      notes.push_back(fmt::format("note: {} is for the launcher of another MPI: it changes nothing here.",
                                  printable_word(std::string(name))));
      break;
    case taken_as::folder:
      if (chdir(values[0].c_str()) != 0)
        throw usage_error(fmt::format("{} {}: there is no such folder.", printable_word(std::string(name)),
                                      printable_word(values[0])));
      break;
    case taken_as::binding:
      if (values[0] == "none") {
        own.insert(own.end(), {"--map-by", "none"});
      } else if (values[0] != "core") {
        notes.push_back(
            fmt::format("note: {} {}: each rank is bound to its share of the cores; --map-by says otherwise.",
                        printable_word(std::string(name)), printable_word(values[0])));
      }
      break;
    case taken_as::variable:
      if (const auto equals = values[0].find('='); equals != std::string::npos)
        setenv(values[0].substr(0, equals).c_str(), values[0].substr(equals + 1).c_str(), 1);  // NOLINT: one thread
      break;
    case taken_as::pair: setenv(values[0].c_str(), values[1].c_str(), 1); break;  // NOLINT: one thread
    case taken_as::host:
      for (const std::string_view each : pure::core::split(values[0], ',')) {
        if (!is_this_machine(each)) return false;  // purerun's --hosts is for them
      }
      break;
  }
  at = last;
  return true;
}

// "./a : -n 2 ./b": a colon by itself, followed by an option for a number.
void refuse_several_programs(std::span<const char* const> words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == std::string_view(":") && is_one_of(words[i + 1], "-n -np --np -c --n")) {
      throw usage_error(std::string(several_programs));
    }
  }
}

}  // namespace

bool is_called_mpiexec(std::string_view name) {
  name = name.substr(name.rfind('/') + 1);
  return name.starts_with("mpiexec") || name.starts_with("mpirun");
}

std::vector<std::string> without_habits(const CLI::App& app, std::span<const char* const> words, bool is_mpiexec,
                                        std::vector<std::string>& notes) {
  std::vector<std::string> own;
  std::size_t i = 0;
  for (; i < words.size(); ++i) {
    const std::string word = words[i];
    if (word == "--" || !word.starts_with('-')) break;
    const std::string name = word.substr(0, word.find('='));
    if (name == "-np" || name == "--np") {
      own.push_back("-n");
      if (name != word) own.back() += word.substr(name.size() + 1);
    } else if (is_mpiexec && take(words, i, own, notes)) {
      continue;
    } else if (app.get_option_no_throw(name) != nullptr) {
      own.push_back(word);
    } else {
      for (const habit& each : habits) {
        if (!is_one_of(name, each.names)) continue;
        throw usage_error(fmt::format("{} is not an option of purerun: {}", printable_word(name), each.instead));
      }
      own.push_back(word);
      continue;
    }
    if (takes_next_word(app, own.back()) && i + 1 < words.size()) own.emplace_back(words[++i]);
  }
  if (i < words.size() && words[i] != std::string_view("--")) refuse_several_programs(words.subspan(i));
  own.insert(own.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  return own;
}

void refuse_foreign_mapping(std::string_view map_by) {
  constexpr habit mappings[] = {
      {"ppr",
       "-n is the number of ranks, and core, numa or socket deals them out; --ppn is the number of processes of a "
       "machine."},
      {"slot", "each rank has its share of the cores: core is that, and the default. PE=K is --cpus-per-rank K."},
      {"hwthread pu",
       "ranks go to the second hardware threads when all cores have one (core); file:PATH can name any."},
      {"l1cache l2cache l3cache", "numa or socket comes nearest; file:PATH can say anything."},
      {"seq rankfile rank_file dist pe-list ppn board",
       "write file:PATH, a file with a line 'RANK CPU-LIST' for each "
       "rank."},
      {"core numa node socket package",
       "modifiers behind a colon are not known. Ranks may outnumber cores anyway; PE=K is --cpus-per-rank K."}};
  const std::string_view word = map_by.substr(0, map_by.find(':'));
  const bool is_own = word == map_by && is_one_of(word, "core numa node socket");
  if (is_own || word == "file" || map_by.find('/') != std::string_view::npos) return;
  for (const habit& each : mappings) {
    if (!is_one_of(word, each.names)) continue;
    throw usage_error(fmt::format("--map-by {}: {}", printable_word(map_by),
                                  word == "package" && word == map_by ? "write socket." : each.instead));
  }
}

}  // namespace purerun
