// purerun: starts a program that is built with Pure, with settings for its ranks, and explains how it ended.
//
// The ranks are threads of the program; purerun only sets PURE_* variables, checks them, passes signals on, and waits.
// Several processes are started by an MPI's mpiexec, or by srun, which purerun runs instead of the program.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/core.h>

#include "base/environment.hpp"
#include "base/output.hpp"
#include "base/printable_text.hpp"
#include "base/settings.hpp"
#include "base/text.hpp"
#include "base/tracer.hpp"
#include "loader/dynamic_linker.hpp"
#include "net_shm/job_segment.hpp"
#include "network/process_launcher.hpp"
#include "purerun/child.hpp"
#include "purerun/filtered_stderr.hpp"
#include "purerun/hosts.hpp"
#include "purerun/launcher.hpp"
#include "purerun/options.hpp"
#include "purerun/own_name.hpp"
#include "purerun/own_processes.hpp"
#include "purerun/process_shares.hpp"
#include "purerun/program.hpp"
#include "purerun/session_folder.hpp"
#include "purerun/shared_globals.hpp"
#include "runtime/launcher_link.hpp"
#include "standard_output.hpp"

namespace {

using namespace purerun;

void say(std::string_view text) noexcept { pure::core::say_plain({"purerun: ", text, "\n"}); }

// What people should look for first, by signal.
std::string_view usual_cause(int signal) {
  switch (signal) {
    case SIGKILL: return ": often the kernel's out-of-memory killer, or a batch system's limit";
    case SIGSEGV:
    case SIGBUS: return ": it used memory that is not its own; run it in a debugger, or built with -fsanitize=address";
    case SIGABRT: return ": it ended itself with abort(), as after a failed assertion or an uncaught exception";
    case SIGFPE: return ": an integer division by zero, or a trapped floating-point error";
    case SIGILL: return ": an instruction that this processor does not have; was it built for another one?";
    case SIGXCPU: return ": it used more processor time than its limit (ulimit -t)";
    case SIGXFSZ: return ": a file became larger than its limit (ulimit -f)";
    default: return "";
  }
}

bool is_python(std::string_view program) {
  program.remove_prefix(program.rfind('/') + 1);
  return program.starts_with("python") || program.starts_with("pypy") || program.ends_with(".py");
}

// How what was started here has ended: the program, or a launcher.
int report_end(const std::string& started, const child_end& end) {
  if (end.was_killed) {
    say(fmt::format("{} was still there {} s after a second signal; purerun has killed it, and what it had started.",
                    started, seconds_after_second_signal));
    return signal_base + end.first_signal;
  }
  if (!WIFSIGNALED(end.wait_status)) return WEXITSTATUS(end.wait_status);
  const int number = WTERMSIG(end.wait_status);
  if (!end.signal_was_ours) {
    const char* const name = sigabbrev_np(number);  // null for real-time signals
    say(fmt::format("{} was killed by signal {}{}{}{}.", started, number,
                    name != nullptr ? fmt::format(" (SIG{})", name) : "", usual_cause(number),
                    WCOREDUMP(end.wait_status) ? "; core dumped" : ""));
  }
  return signal_base + number;
}

// The same, and whether the program was what purerun is for, unless it `needs_no_rank` of Pure's.
int report(const std::string& started, const std::string& program, const child_end& end,
           const pure::core::launcher_link& link, bool needs_no_rank) {
  if (end.was_overdue) {
    say(fmt::format("{} was still there {} s after the job had ended; purerun has ended it.", started,
                    overdue_seconds));
    return link.abort_status();
  }
  const int status = report_end(started, end);
  // What a launcher says of a job that has ended itself may be how it killed the rest: MPICH's, now and then, 9.
  if (started != program && link.abort_status() != 0 && (status == 0 || end.first_signal == 0))
    return link.abort_status();
  if (status == 0 && started != program && link.is_linked() && !link.has_ended()) {
    // A launcher that ends a job because of a signal, to purerun or to itself, may lose how its processes ended:
    // MPICH's Hydra in some of a hundred runs, Open MPI's mpiexec always for SIGQUIT.
    if (end.first_signal != 0) return signal_base + end.first_signal;
    say(fmt::format("{} ended with status 0 before the job had ended: somebody has cut it off.", started));
    return 1;
  }
  if (status != 0 || link.text().empty() || link.has_started() || (needs_no_rank && !is_python(program))) return status;
  if (link.is_linked()) {
    if (!needs_no_rank) say(fmt::format("note: {} ended without starting any rank.", program));
    return status;
  }
  if (is_python(program)) {
    say(fmt::format(
        "{}{} ran as an ordinary program and started no rank: it has used no MPI, or another one than Pure's.\n"
        "  mpi4py finds Pure's as it comes: packages by LD_LIBRARY_PATH, wheels by MPI4PY_LIBMPI, which purerun sets if\n"
        "  neither that nor MPI4PY_MPIABI is set. Whoever sets these otherwise gets another one.",
        needs_no_rank ? "note: " : "", program));
    return needs_no_rank ? status : not_linked;
  }
  say(fmt::format(
      "{} ran as an ordinary program and started no rank, because it is not built with Pure.\n"
      "  Build it with purecxx app.cpp -o app; with CMake: find_package(Pure CONFIG) and\n"
      "  target_link_libraries(APP Pure::pure); or with g++ -std=c++20 app.cpp $(pkg-config --cflags --libs pure).\n"
      "  The program includes <pure.h>, and then every rank runs main(), or calls pure::run from <pure/pure.hpp>.",
      program));
  return not_linked;
}

// Whether Pure, or the program itself, has said what a launcher's box says once more. Signals that nobody can catch, as
// those of the out-of-memory killer, nobody has spoken of.
bool is_explained(const end_box& box, const pure::core::launcher_link& link) {
  if (link.abort_status() != 0) return true;
  if (!link.has_started()) return false;
  const bool is_crash = box.signal == SIGSEGV || box.signal == SIGBUS || box.signal == SIGFPE || box.signal == SIGILL ||
                        box.signal == SIGABRT;
  return box.what == end_box::about::status || (box.what == end_box::about::signal && is_crash);
}

// A script ends with 128 and the number of the signal that has killed its program.
std::string text_of_signal_in(const job_end& end) {
  const char* const name = end.was_script ? sigabbrev_np(WEXITSTATUS(end.wait_status) - signal_base) : nullptr;
  return name != nullptr ? fmt::format(" (its program was killed by SIG{})", name) : "";
}

// How a job of processes that purerun has started itself has ended.
int report_job(const std::string& program, const options& asked, const job_end& end,
               const pure::core::launcher_link& link) {
  std::string which = fmt::format("process {} of {} ({})", end.process, asked.own_processes, program);
  if (!asked.ranks_of.empty())
    which += fmt::format(", which had {},", asked.ranks_of[static_cast<std::size_t>(end.process)]);
  const bool is_by_user = end.asked_by != 0;
  switch (end.why) {
    case job_end::cause::killed: break;
    case job_end::cause::failed:
      // The job's own failure has been explained by the process.
      if (link.abort_status() != 0 && !is_by_user) return link.abort_status();
      if (!is_by_user)
        say(fmt::format("{} ended with status {}{} while the others were still at work; purerun has ended them.", which,
                        WEXITSTATUS(end.wait_status), text_of_signal_in(end)));
      break;
    case job_end::cause::cut_off:
      if (is_by_user) return signal_base + end.asked_by;
      say(fmt::format("{} ended with status 0 before the job had ended; purerun has ended the others.", which));
      return 1;
    case job_end::cause::never_came:
      if (is_by_user) return signal_base + end.asked_by;
      say(fmt::format("{} ended without having started its ranks, for which the others waited; purerun has ended them.",
                      which));
      return WIFEXITED(end.wait_status) && WEXITSTATUS(end.wait_status) != 0 ? WEXITSTATUS(end.wait_status) : 1;
    case job_end::cause::lost:
      if (link.abort_status() != 0) return link.abort_status();
      if (is_by_user) return signal_base + end.asked_by;
      say(
          fmt::format("{} has lost its program, which ended before the job had, while what had started it went on: "
                      "somebody has killed it. purerun has ended the others.",
                      which));
      return 1;
    case job_end::cause::none: break;
  }
  child_end as_one;
  as_one.wait_status = end.wait_status;
  as_one.first_signal = end.first_signal;
  as_one.signal_was_ours = end.signal_was_ours;
  as_one.was_killed = end.was_killed;
  return report(end.why == job_end::cause::none ? program : which, program, as_one, link, asked.needs_no_rank);
}

// Where this purerun is itself started by one, that one hears what this one heard.
void pass_on(const pure::core::launcher_link& link) {
  const char* const outer = pure::core::environment_variable("PURE_LAUNCH_FD");
  if (outer == nullptr || !link.has_started() || pure::core::is_inside_other_job(pure::core::environment())) return;
  pure::core::settings values;
  values.launch_fd = outer;
  tell_launcher_started(values);
  if (link.has_ended()) tell_launcher_ended(values);
}

// As one would type it: the settings that are not in the environment already, and the command.
void print_command(const options& asked) {
  std::vector<std::string> words;
  for (const std::string& entry : asked.environment) {
    bool is_new = true;
    for (char** each = environ; *each != nullptr; ++each) is_new = is_new && entry != *each;
    if (is_new) words.push_back(entry);
  }
  if (!words.empty()) words.insert(words.begin(), "env");
  words.insert(words.end(), asked.command.begin(), asked.command.end());
  standard_output::print("{}\n", shell_text(words));
}

int run_own_processes(const options& asked, const std::string& path, const std::string& program,
                      const pure::core::launcher_link& link) {
  const pure::net_shm::job_segment memory(asked.own_processes);
  const pure::core::settings values = settings_of(asked.environment);
  process_shares shares = shares_of_processes(values, asked.own_processes);
  job_to_run job{.path = path,
                 .command = asked.command,
                 .environment = asked.environment,
                 .of_each = {},
                 .cpus_of_each = std::move(shares.cpus),
                 .stage_of = {},
                 .pid_of = {}};
  job.environment.push_back("PURE_SEGMENT=" + memory.text());
  if (!shares.is_enough) {
    set_variable(job.environment, "PURE_MAP_BY", "none");
    if (values.report_bindings)
      say("note: " + text_of_no_free_cpus(*shares.claims, pure::core::topology::of_this_machine()));
  }
  for (int process = 0; process < asked.own_processes; ++process)
    job.of_each.push_back({fmt::format("PURE_PROCESS_NUMBER={}", process)});
  job.stage_of = [&memory](int process) {
    switch (memory.stage_of(process)) {
      case pure::net_shm::process_stage::away: return joined::not_yet;
      case pure::net_shm::process_stage::here: return joined::yes;
      case pure::net_shm::process_stage::ended: break;
    }
    return joined::and_left;
  };
  job.pid_of = [&memory](int process) { return memory.pid_of(process); };
  const job_end end = run_processes(job);
  pass_on(link);
  if (const int more = link.failed_processes() - 1; more > 0)  // of which nothing has been printed
    say(pure::core::counted(static_cast<unsigned>(more), "more process") + " failed before the job had ended.");
  return report_job(program, asked, end, link);
}

// Who has valgrind check purerun means the program. Whether it is told to follow purerun's children cannot be seen.
void say_if_in_valgrind(const std::vector<std::string>& words, std::size_t program) {
  const char* const preloaded = pure::core::environment_variable("LD_PRELOAD");
  if (preloaded == nullptr || std::string_view(preloaded).find("vgpreload_") == std::string_view::npos) return;
  std::vector<std::string> better = words;
  better.insert(better.begin() + static_cast<std::ptrdiff_t>(program), "valgrind");
  say(
      fmt::format("note: valgrind checks purerun here, and the program only with --trace-children=yes.\n"
                  "  To check the program: {}",
                  shell_text(better)));
}

int run(int argc, char** argv) {
  options asked = parse_options(argc, argv);
  if (!asked.text.empty()) {
    standard_output::write(asked.text);
    return 0;
  }
  const std::size_t program_word = static_cast<std::size_t>(argc) - asked.command.size();
  // A process elsewhere is not told that purerun has said so: it does itself.
  const std::string foreign = pure::core::text_of_foreign_settings(pure::core::environment());
  if (!foreign.empty() && !asked.is_elsewhere) say("warning: " + foreign);
  std::string path = find_program(asked.command.front());
  refuse_privileged(path);
  const std::string program = pure::core::printable_word(asked.command.front()), program_path = path;
  const bool is_loaded = !asked.executable.empty();
  if (is_loaded) path = asked.executable;
  if (!asked.launcher.empty()) {  // it starts the program: by its path, as it was found here
    asked.command.front() = path;
    asked.command.insert(asked.command.begin(), asked.launcher.begin(), asked.launcher.end());
    path = asked.launcher.front();
  }
  if (!asked.note.empty()) say(asked.note);
  say_if_in_valgrind({argv, argv + argc}, program_word);
  if (asked.dry_run) {
    if (is_loaded && asked.launcher.empty()) asked.command.front() = path;
    print_command(asked);
    return 0;
  }
  if (const std::string unknown = text_of_unknown_hosts(asked.hosts); !unknown.empty()) say(unknown);
  if (asked.check && !is_loaded) {
    if (const std::string shared = text_of_shared_globals(program_path); !shared.empty()) say(shared);
  }
  const pure::core::launcher_link link;
  std::erase_if(asked.environment, [](const std::string& entry) { return entry.starts_with("PURE_LAUNCH_FD="); });
  if (!asked.is_elsewhere) asked.environment.push_back("PURE_LAUNCH_FD=" + link.text());
  // Who debugs purerun wants to debug the program.
  if (asked.own_processes == 0 && asked.launcher.empty() && pure::core::is_traced())
    become_program(path, asked.command, asked.environment);
  if (asked.own_processes > 0) return run_own_processes(asked, path, program, link);
  std::function<bool()> is_over;  // a launcher may miss that
  if (!asked.launcher.empty() && !asked.is_elsewhere) is_over = [&link] { return link.abort_status() != 0; };
  if (!asked.launcher.empty()) watch_own_name();
  std::optional<filtered_stderr> errors;
  if (is_over) errors.emplace(box_filter([&link](const end_box& box) { return is_explained(box, link); }));
  std::optional<session_folder> folder;
  if (asked.network == "openmpi" && !asked.is_elsewhere) folder.emplace(asked.environment);
  const child_end end = run_child(path, asked.command, asked.environment, is_over, errors ? &*errors : nullptr);
  if (asked.is_elsewhere)
    return report_end(pure::core::printable_word(asked.launcher.front()), end);  // nobody there can tell us more
  pass_on(link);
  return report(asked.launcher.empty() ? program : pure::core::printable_word(asked.launcher.front()), program, end,
                link, asked.needs_no_rank);
}

}  // namespace

int main(int argc, char** argv) {
  pure::core::ask_dynamic_linker_as_a_tool();
  try {
    return standard_output::close("purerun", run(argc, argv));
  } catch (const usage_error& error) {
    say(fmt::format("{}\nTry `purerun --help`.", error.what()));
    return wrong_use;
  } catch (const program_error& error) {
    say(error.what());
    return error.status();
  } catch (const std::filesystem::filesystem_error& error) {
    std::error_code ignored;
    const bool is_gone = std::filesystem::current_path(ignored).empty();
    say(is_gone ? "the working directory has been deleted, so that no file is found by a name in it: cd to another one."
                : error.what());
    return 1;
  } catch (const std::exception& error) {
    say(error.what());
    return 1;
  }
}
