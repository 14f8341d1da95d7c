// What every name of MPI becomes in a program of pure.h: docs/from_mpi.txt, read when the program starts.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace mpi2pure {

extern const char* const text_of_table;   // docs/from_mpi.txt
extern const char* const text_of_header;  // include/pure/mpi_names.h, whose own names have MPI's arguments

struct twin {
  std::string name;    // Empty: there is none.
  std::string remark;  // Then, why, or what to do.
};

class names {
 public:
  names();
  // Of a name that MPI's header declares.
  twin of(const std::string& mpi) const;
  bool knows(const std::string& mpi) const { return twins_.count(mpi) != 0; }

 private:
  void add_row(const std::string& line);

  std::map<std::string, twin> twins_;
  std::vector<std::pair<std::string, std::string>> stars_;  // The begin of names, and the remark.
};

}  // namespace mpi2pure
