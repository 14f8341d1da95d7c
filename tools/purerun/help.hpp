// What comes after the options in `purerun --help`.
#pragma once

#include <string>

namespace purerun {

std::string help_footer();

}  // namespace purerun
