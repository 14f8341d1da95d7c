#include "pure/tune_command.hpp"

#include <chrono>
#include <cstdlib>

#include <fmt/core.h>

#include "base/printable_text.hpp"
#include "base/say.hpp"
#include "base/settings.hpp"
#include "machine/topology.hpp"
#include "pure/output_file.hpp"
#include "standard_output.hpp"

namespace pure::tool {

namespace {

void warn_of_what_disturbs() {
  const int cores = core::topology::of_this_machine().default_ranks();
  double load = 0;
  if (getloadavg(&load, 1) == 1 && load > 0.5 * cores) {
    core::say("note: the machine is busy (load {:.1f} on {} cores): what is measured now may mean little\n", load,
              cores);
  }
  if (!core::read_settings().tuning.empty()) {
    core::say("note: PURE_TUNING is set aside: the built-in table is what is compared with\n");
  }
}

}  // namespace

int run_tune(const tune_command& command) {
  warn_of_what_disturbs();
  if (!command.output.empty()) expect_writable("--output", command.output);

  const auto start = std::chrono::steady_clock::now();
  const tune_result result = tune(command.options, [&](const std::string& part) {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    core::say("{:5.0f} s  {}\n", seconds.count(), part);
  });
  standard_output::print("{}", tune_text(result));
  if (command.output.empty()) {
    standard_output::print(
        "Nothing is written. `pure bench tune --output FILE` writes the table, PURE_TUNING=FILE uses it.\n");
    return 0;
  }
  write_file("--output", command.output, core::tuning_file_text(result.rows));
  const core::tuning readable(command.output);  // throws if it is not
  standard_output::print("{} is written. PURE_TUNING={} uses it; `pure info --tuning` shows what is in force.\n",
                         core::printable_word(command.output), core::printable_word(command.output));
  return 0;
}

}  // namespace pure::tool
