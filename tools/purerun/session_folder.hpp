// A folder for what Open MPI writes while one job runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace purerun {

/// Open MPI 5 keeps the files of all of a user's jobs on a host below one folder. A job that ends removes it if it is
/// empty, also between another one's making it and writing into it: that one says that its "listener thread failed to
/// start" (8 of 4800 jobs, four at a time; none of 4800 with a folder each). So each job that purerun starts has its
/// own, unless the user has named one.
class session_folder {
 public:
  /// Makes the folder in TMPDIR and names it in `environment`, the launcher's. Where none can be made, nothing changes:
  /// Open MPI will say why it cannot write there.
  explicit session_folder(std::vector<std::string>& environment);
  ~session_folder();
  session_folder(const session_folder&) = delete;
  session_folder& operator=(const session_folder&) = delete;

 private:
  std::filesystem::path path_;  // empty: none was made
};

}  // namespace purerun
