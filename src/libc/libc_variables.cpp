#include "libc/libc_variables.hpp"

namespace pure::core {

std::string_view rank_variable(std::string_view name) noexcept {
  if (name == "__signgam") return "signgam";
  if (name == "__environ" || name == "_environ") return "environ";
  if (name == "__tzname") return "tzname";
  if (name == "__timezone") return "timezone";
  if (name == "__daylight") return "daylight";
  for (const std::string_view each : {"optarg", "optind", "opterr", "optopt", "signgam", "getdate_err", "stdin",
                                      "stdout", "stderr", "environ", "tzname", "timezone", "daylight"})
    if (name == each) return each;
  return "";
}

void* address_of(const libc_variables& variables, std::string_view name) noexcept {
  if (name == "optarg") return variables.optarg;
  if (name == "optind") return variables.optind;
  if (name == "opterr") return variables.opterr;
  if (name == "optopt") return variables.optopt;
  if (name == "getdate_err") return variables.getdate_err;
  if (name == "stdin") return variables.input;
  if (name == "stdout") return variables.output;
  if (name == "stderr") return variables.errors;
  if (name == "environ") return variables.environment;
  if (name == "tzname") return variables.zone_names;
  if (name == "timezone") return variables.zone_seconds;
  if (name == "daylight") return variables.zone_daylight;
  return variables.signgam;
}

void point_to(libc_variables& variables, std::string_view name, void* place) noexcept {
  if (name == "optarg") variables.optarg = static_cast<char**>(place);
  if (name == "optind") variables.optind = static_cast<int*>(place);
  if (name == "opterr") variables.opterr = static_cast<int*>(place);
  if (name == "optopt") variables.optopt = static_cast<int*>(place);
  if (name == "signgam") variables.signgam = static_cast<int*>(place);
  if (name == "getdate_err") variables.getdate_err = static_cast<int*>(place);
  if (name == "stdin") variables.input = static_cast<FILE**>(place);
  if (name == "stdout") variables.output = static_cast<FILE**>(place);
  if (name == "stderr") variables.errors = static_cast<FILE**>(place);
  if (name == "environ") variables.environment = static_cast<char***>(place);
  if (name == "tzname") variables.zone_names = static_cast<char**>(place);
  if (name == "timezone") variables.zone_seconds = static_cast<long*>(place);
  if (name == "daylight") variables.zone_daylight = static_cast<int*>(place);
}

}  // namespace pure::core
