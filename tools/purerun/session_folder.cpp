#include "purerun/session_folder.hpp"

#include <stdlib.h>

#include <algorithm>
#include <string_view>
#include <system_error>

namespace purerun {

session_folder::session_folder(std::vector<std::string>& environment) {
  constexpr std::string_view variable = "PRTE_MCA_prte_tmpdir_base=";
  if (std::any_of(environment.begin(), environment.end(),
                  [&](const std::string& entry) { return entry.starts_with(variable); }))
    return;
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "purerun.XXXXXX").string();
  if (error || mkdtemp(name.data()) == nullptr) return;
  path_ = name;
  environment.push_back(std::string(variable) + name);
}

session_folder::~session_folder() {
  if (path_.empty()) return;
  std::error_code ignored;  // whoever cleans up TMPDIR will find it
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace purerun
