// What a run changes, in all files and by all translation units, and what it leaves. A loop of a header is met by every
// file that includes it: it is changed once, and only if all of them ask for the same change.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace mpi2pure {

// `length` bytes at `offset` become `text`.
struct edit {
  std::size_t offset;
  std::size_t length;
  std::string text;

  bool operator==(const edit& other) const {
    return offset == other.offset && length == other.length && text == other.text;
  }
};

// `text` with the edits, which do not overlap; those of one place in their order.
std::string with_edits(const std::string& text, std::vector<edit> edits);

// A unified diff, empty if nothing differs.
std::string unified_diff(const std::string& path, const std::string& text, const std::vector<edit>& edits);

struct remark {
  std::string file;
  unsigned line;
  std::string text;

  bool operator<(const remark& other) const {
    return std::tie(file, line, text) < std::tie(other.file, other.line, other.text);
  }
};

class changes {
 public:
  // A pragma at `offset` and what becomes of it, with the number of loops that this changes. `original` is the file's
  // text, `include` the edit that includes pure/tasks.h, of length 0 and without text if the file has it.
  void change(const std::string& file, const std::string& original, std::size_t offset, unsigned line, unsigned loops,
              std::vector<edit> edits, const edit& include);
  // The loop at `offset` stays as it is.
  void leave(const std::string& file, std::size_t offset, unsigned line, const std::string& reason);
  void suggest(const std::string& file, unsigned line, const std::string& why);

  // The edits of each changed file.
  std::map<std::string, std::vector<edit>> edits() const;
  const std::string& original(const std::string& file) const { return files_.at(file).original; }
  std::set<remark> left() const;
  const std::set<remark>& suggestions() const { return suggestions_; }
  unsigned loops_changed() const;

 private:
  struct decision {
    unsigned line = 0;
    unsigned loops = 0;
    std::vector<edit> edits;
    std::string reason;  // Why it is left; empty: it is changed.
  };
  struct file_state {
    std::string original;
    edit include{0, 0, ""};
    std::map<std::size_t, decision> decisions;  // By the offset of the pragma.
  };

  std::map<std::string, file_state> files_;
  std::set<remark> suggestions_;
};

}  // namespace mpi2pure
