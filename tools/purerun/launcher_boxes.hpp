// What launchers of MPI print on stderr at the end of a job that has failed: boxes that say that it has failed. Where
// Pure has said why, they are left out. All else passes as it comes, other boxes of launchers, too: a machine that
// cannot be reached, say, has one.
//
// For one thread. Text that may begin such a box is kept back until that is known.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace purerun {

/// What a box is about.
struct end_box {
  enum class about {
    status,  ///< a process has ended with a status that is not 0
    abort,   ///< MPI_Abort was called
    signal   ///< a process was killed by `signal`
  };
  about what = about::status;
  int signal = 0;
};

class box_filter {
 public:
  /// Asked at the end of a box: whether the user knows already, so that it can be left out.
  explicit box_filter(std::function<bool(const end_box&)> is_known) : is_known_(std::move(is_known)) {}

  /// What can be shown now, of what has come.
  std::string take(std::string_view piece);
  /// Nothing has come for a while: a line without an end is a question, or the like.
  std::string pause();
  /// What has been kept back, at the end.
  std::string rest();

 private:
  enum class place { between, after_rule, in_box };

  std::string take_line(std::string line);
  std::string end_of_box();

  std::function<bool(const end_box&)> is_known_;
  place place_ = place::between;
  std::string line_;  // as far as it has come
  std::string box_;   // with the rule above
  end_box about_;
  bool is_in_line_ = false;    // its beginning has been shown
  bool has_left_out_ = false;  // just now
};

}  // namespace purerun
