#include "pure/attach_command.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <deque>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "base/printable_text.hpp"
#include "base/say.hpp"
#include "base/text.hpp"
#include "hang/attach_point.hpp"
#include "pure/whole_number.hpp"
#include "standard_output.hpp"

namespace pure::tool {

namespace {

using core::job_answer;

// Ten thousand ranks, each with a stack of its own, say less.
constexpr std::size_t most_bytes = 16U << 20;
constexpr int highest_process = 1 << 22;  // PID_MAX_LIMIT of the kernel

constexpr const char* attach_footer =
    "Prints what each rank does: computing, or in which call it waits, for whom, for\n"
    "how long, and the stack of each. The program goes on; calls of it that a signal\n"
    "interrupts, such as sleep(), may end early. PID may also be that of the purerun\n"
    "that has started the program.\n"
    "Control characters in an answer are shown as \\x1b and the like; more than 16 MiB\n"
    "of it are cut off.\n"
    "\n"
    "Exit status: 0; 1 if there is no such job, it may not be looked at, or its\n"
    "answer is not whole; 2 for wrong use.\n";

std::string name_of(uid_t user) {
  const passwd* const entry = getpwuid(user);  // NOLINT(concurrency-mt-unsafe): one thread
  return entry != nullptr ? fmt::format("the user {}", entry->pw_name) : fmt::format("the user {}", user);
}

std::string owner_of(pid_t process) {
  struct stat status {};
  return stat(fmt::format("/proc/{}", process).c_str(), &status) == 0 ? name_of(status.st_uid) : "another user";
}

/// What the jobs of the process, or else of those that it has started, say.
std::vector<job_answer> ask(pid_t process, core::answer_limits limits) {
  std::vector<job_answer> answers;
  for (std::deque<pid_t> unasked{process}; !unasked.empty(); unasked.pop_front()) {
    std::vector<job_answer> some = core::ask_jobs_of(unasked.front(), limits);
    if (some.empty()) {
      std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", unasked.front()));
      for (pid_t child = 0; children >> child;) unasked.push_back(child);
    }
    std::move(some.begin(), some.end(), std::back_inserter(answers));
    if (std::chrono::steady_clock::now() >= limits.until) break;
  }
  return answers;
}

int fail(const std::string& text) {
  standard_output::flush();  // what has been said so far comes before
  core::say("pure attach: {}\n", text);
  return 1;
}

/// Whether the answer is whole.
bool print(const attach_command& asked, const job_answer& answer) {
  if (answer.end == job_answer::outcome::refused) {
    fail(fmt::format("what answers for process {} belongs to {}; only they and root may look at it.", asked.process,
                     name_of(answer.user)));
    return false;
  }
  if (answer.user != geteuid()) {
    standard_output::print("This is said by a program of {}:\n", name_of(answer.user));
  }
  standard_output::print("{}", core::printable(answer.text));
  if (answer.end == job_answer::outcome::whole && !answer.text.empty()) return true;
  if (!answer.text.empty() && !answer.text.ends_with('\n')) standard_output::print("\n");
  if (answer.end == job_answer::outcome::too_long) {
    fail(fmt::format("the answer of process {} is cut off here: all answers are more than {}.", asked.process,
                     core::bytes_text(most_bytes)));
  } else if (answer.text.empty() && kill(asked.process, 0) != 0) {
    fail(fmt::format("process {} has ended, before it answered.", asked.process));
  } else if (answer.text.empty()) {
    fail(fmt::format(
        "process {} has ranks, but does not answer{}; is it stopped?", asked.process,
        answer.end == job_answer::outcome::late ? fmt::format(" within {} s (--timeout)", asked.timeout_s) : ""));
  } else {
    fail(fmt::format("the answer of process {} is cut off here: it was not whole after {} s; --timeout gives it more.",
                     asked.process, asked.timeout_s));
  }
  return false;
}

}  // namespace

CLI::App* add_attach_command(CLI::App& app, attach_command& asked) {
  CLI::App* const attach = app.add_subcommand("attach", "what the ranks of a running program do, and where");
  attach->footer(attach_footer);
  attach->add_option("PID", asked.process, "the process")
      ->option_text("PID")
      ->required()
      ->transform(whole_number("process number", 1, highest_process));
  attach->add_option("--timeout", asked.timeout_s, "how long to wait for the whole answer; 10 if not given")
      ->option_text("SECONDS")
      ->transform(whole_number("time in seconds", 1, 86'400));
  return attach;
}

int run_attach(const attach_command& asked) {
  if (kill(asked.process, 0) != 0) {
    if (errno == ESRCH) return fail(fmt::format("there is no process {}.", asked.process));
    return fail(fmt::format("process {} belongs to {}; only they and root may look at it.", asked.process,
                            owner_of(asked.process)));
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(asked.timeout_s);
  const std::vector<job_answer> answers = ask(asked.process, {until, most_bytes});
  if (answers.empty()) {
    return fail(
        fmt::format("process {} runs no ranks: it is not built with Pure, or its ranks have not started, or they "
                    "have ended.",
                    asked.process));
  }
  bool all_are_whole = true;
  for (const job_answer& each : answers) all_are_whole = print(asked, each) && all_are_whole;
  return all_are_whole ? 0 : 1;
}

}  // namespace pure::tool
