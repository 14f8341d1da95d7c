#include "pure/attach_command.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "runtime/attach_point.hpp"

namespace pure::tool {

namespace {

constexpr int timeout_ms = 5000;

constexpr const char* attach_footer =
    "Prints what each rank does: computing, or in which call it waits, for whom, for how long, and the stack of each. The\n"
    "program goes on; calls of it that a signal interrupts, such as sleep(), may end early. PID may also be that of the\n"
    "purerun that has started the program.\n"
    "\n"
    "Exit status: 0; 1 if there is no such job, or it may not be looked at; 2 for wrong use.\n";

std::string owner_of(pid_t process) {
  struct stat status {};
  if (stat(fmt::format("/proc/{}", process).c_str(), &status) != 0) return "another user";
  const passwd* const entry = getpwuid(status.st_uid);  // NOLINT(concurrency-mt-unsafe): one thread
  return entry != nullptr ? fmt::format("the user {}", entry->pw_name) : fmt::format("the user {}", status.st_uid);
}

/// What the jobs of the process, or else of those that it has started, say.
std::vector<std::string> ask(pid_t process) {
  std::vector<std::string> answers = pure::core::ask_jobs_of(process, timeout_ms);
  if (!answers.empty()) return answers;
  std::ifstream children(fmt::format("/proc/{}/task/{}/children", process, process));
  for (pid_t child = 0; children >> child;) {
    for (std::string& each : ask(child)) answers.push_back(std::move(each));
  }
  return answers;
}

int fail(const std::string& text) {
  fmt::print(stderr, "pure attach: {}\n", text);
  return 1;
}

}  // namespace

CLI::App* add_attach_command(CLI::App& app, attach_command& asked) {
  CLI::App* const attach = app.add_subcommand("attach", "what the ranks of a running program do, and where");
  attach->footer(attach_footer);
  attach->add_option("PID", asked.process, "the process")->required()->check(CLI::PositiveNumber);
  return attach;
}

int run_attach(const attach_command& asked) {
  if (kill(asked.process, 0) != 0) {
    if (errno == ESRCH) return fail(fmt::format("there is no process {}.", asked.process));
    return fail(fmt::format("process {} belongs to {}; only they and root may look at it.", asked.process,
                            owner_of(asked.process)));
  }
  const std::vector<std::string> answers = ask(asked.process);
  if (answers.empty()) {
    return fail(
        fmt::format("process {} runs no ranks: it is not built with Pure, or its ranks have not started, or they "
                    "have ended.",
                    asked.process));
  }
  bool has_answered = true;
  for (const std::string& each : answers) {
    fmt::print("{}", each);
    has_answered = has_answered && !each.empty();
  }
  if (has_answered) return 0;
  return fail(fmt::format("process {} has ranks, but does not answer; is it stopped?", asked.process));
}

}  // namespace pure::tool
