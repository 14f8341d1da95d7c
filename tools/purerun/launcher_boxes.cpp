#include "purerun/launcher_boxes.hpp"

#include <cstdlib>
#include <optional>
#include <utility>

namespace purerun {
namespace {

constexpr std::size_t shortest_rule = 60;
constexpr std::size_t longest_box = 8192;

bool is_rule(std::string_view line) {
  while (line.ends_with('\n')) line.remove_suffix(1);
  return line.size() >= shortest_rule && line.find_first_not_of('-') == std::string_view::npos;
}

bool has(std::string_view line, std::string_view words) { return line.find(words) != std::string_view::npos; }

// By the first line below the rule, of Open MPI 4 (ORTE) and 5 (PRRTE).
std::optional<end_box::about> title_of(std::string_view line) {
  using enum end_box::about;
  if (line.starts_with("MPI_ABORT was invoked on rank ")) return abort;
  if (has(line, " has exited due to process rank ")) return abort;
  if (has(line, " noticed that process rank ")) return signal;
  if (line.starts_with("Primary job  terminated normally, but ")) return status;
  if (has(line, " detected that one or more processes exited with non-zero status")) return status;
  return {};
}

// A line that says by itself that MPI_Abort was called: MPICH's, and the count of Open MPI's boxes that it has not
// shown.
bool is_about_abort(std::string_view line) {
  if (line.starts_with("Abort(") && has(line, "): application called MPI_Abort(MPI_COMM_WORLD, ")) return true;
  if (!line.starts_with('[')) return false;
  return has(line, " sent help message help-mpi-api.txt / mpi-abort") ||
         (has(line, " ORTE_ERROR_LOG: ") && has(line, "/orte/util/show_help.c at line "));
}

bool is_about_counts(std::string_view line) {
  return line.starts_with('[') && has(line, "_base_help_aggregate\" to 0 to see all help");
}

// Whether a line that begins so may be one of those above.
bool may_be_ours(std::string_view start) {
  constexpr std::string_view abort = "Abort(";
  if (start.starts_with('[') || start.starts_with(abort) || abort.starts_with(start)) return true;
  return start.find_first_not_of('-') == std::string_view::npos;
}

int signal_in(std::string_view box) {
  constexpr std::string_view words = "signal ";
  for (auto at = box.find(words); at != std::string_view::npos; at = box.find(words, at + 1)) {
    const int number = std::atoi(box.data() + at + words.size());  // box is a whole string
    if (number > 0) return number;
  }
  return 0;
}

}  // namespace

std::string box_filter::take(std::string_view piece) {
  std::string shown;
  for (const char c : piece) {
    if (c == '\0' && line_.empty() && has_left_out_) continue;  // PRRTE's last byte
    line_ += c;
    if (c == '\n') {
      shown += is_in_line_ ? std::move(line_) : take_line(std::move(line_));
      line_.clear();
      is_in_line_ = false;
    }
  }
  const bool waits = line_.empty() || (!is_in_line_ && (place_ != place::between || may_be_ours(line_)));
  return waits ? shown : shown + pause();
}

std::string box_filter::pause() {
  if (place_ != place::between || line_.empty()) return {};
  is_in_line_ = true;
  return std::exchange(line_, {});
}

std::string box_filter::rest() {
  place_ = place::between;
  return std::exchange(box_, {}) + std::exchange(line_, {});
}

std::string box_filter::take_line(std::string line) {
  switch (place_) {
    case place::between:
      if (is_rule(line)) {
        place_ = place::after_rule;
        box_ = std::move(line);
        return {};
      }
      if ((is_about_abort(line) && is_known_({end_box::about::abort, 0})) || (has_left_out_ && is_about_counts(line))) {
        has_left_out_ = true;
        return {};
      }
      has_left_out_ = false;
      return line;
    case place::after_rule:
      if (is_rule(line)) return std::exchange(box_, std::move(line));
      if (const auto what = title_of(line)) {
        about_ = {*what, 0};
        place_ = place::in_box;
        box_ += line;
        return {};
      }
      place_ = place::between;
      has_left_out_ = false;
      return std::exchange(box_, {}) + line;
    case place::in_box:
      box_ += line;
      if (is_rule(line)) return end_of_box();
      return box_.size() > longest_box ? rest() : std::string();
  }
  return {};
}

std::string box_filter::end_of_box() {
  place_ = place::between;
  about_.signal = signal_in(box_);
  std::string box = std::exchange(box_, {});
  has_left_out_ = is_known_(about_);
  return has_left_out_ ? std::string() : box;
}

}  // namespace purerun
