// A reader of funcfl files that knows at every moment which line it reads and what should be there.
#include "potential_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "failure.hpp"
#include "text.hpp"

namespace md {
namespace {

constexpr std::size_t largest_file_bytes = 64 << 20;
constexpr double fewest_values = 5;
constexpr double most_values = 1e6;

// What to print of text that may be anything: the start of it, without control characters.
std::string excerpt(const std::string& s) {
  constexpr std::size_t longest = 24;
  std::string shown = s.substr(0, longest);
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~') c = '?';
  }
  return s.size() > longest ? shown + "..." : shown;
}

class funcfl_reader {
 public:
  funcfl_reader(const std::string& contents, const std::string& name) : in_(contents), name_(name) {}

  eam_tables read() {
    eam_tables t;
    t.name = name_.substr(name_.rfind('/') + 1);
    std::string comment;
    std::getline(in_, comment);

    auto header = next_line("atomic number, mass, lattice constant and lattice type");
    t.atomic_number = static_cast<int>(whole_number(header, "the atomic number", 0, 200));
    t.mass_amu = positive(header, "the mass");
    t.lattice_constant = positive(header, "the lattice constant");

    header = next_line("n_rho, d_rho, n_r, d_r and the cutoff");
    const std::size_t n_rho = table_size(header, "n_rho");
    t.step_rho = positive(header, "d_rho");
    const std::size_t n_r = table_size(header, "n_r");
    t.step_r = positive(header, "d_r");
    t.cutoff = positive(header, "the cutoff");
    const double end = static_cast<double>(n_r - 1) * t.step_r;
    constexpr double rounding = 1e-6;
    if (t.cutoff > end * (1 + rounding)) {
      fail(text("the cutoff %g is beyond the end of the tables at (n_r - 1) * d_r = %g", t.cutoff, end));
    }
    t.cutoff = std::min(t.cutoff, end);

    read_table(n_rho, "F(rho)", t.embedding);
    read_table(n_r, "Z(r)", t.charge);
    read_table(n_r, "rho(r)", t.density);
    if (std::string word; next_word(word)) {
      fail(text("more numbers than the header promises (%zu F, %zu Z, %zu rho), beginning with '%s'", n_rho, n_r, n_r,
                excerpt(word).c_str()));
    }
    return t;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw failure(text("potential file %s, line %d: %s\n    (the format must be DYNAMO funcfl, such as Cu_u6.eam)",
                       name_.c_str(), line_, what.c_str()));
  }

  std::istringstream next_line(const char* what) {
    std::string line;
    ++line_;
    if (!std::getline(in_, line)) fail(text("the file ends where %s should be", what));
    return std::istringstream(line);
  }

  double to_number(std::string word, const char* what) const {
    const std::string written = word;
    std::ranges::replace(word, 'D', 'E');  // Fortran's exponents
    std::ranges::replace(word, 'd', 'e');
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (end != word.c_str() + word.size()) {
      fail(text("'%s' is not a number, where %s should be", excerpt(written).c_str(), what));
    }
    if (!std::isfinite(value)) fail(text("'%s' is not finite, where %s should be", excerpt(written).c_str(), what));
    return value;
  }

  double number(std::istringstream& line, const char* what) const {
    std::string word;
    if (!(line >> word)) fail(text("the line ends where %s should be", what));
    return to_number(word, what);
  }

  double positive(std::istringstream& line, const char* what) const {
    const double value = number(line, what);
    if (value <= 0) fail(text("%s must be positive, not %g", what, value));
    return value;
  }

  double whole_number(std::istringstream& line, const char* what, double least, double most) const {
    const double value = number(line, what);
    if (value != std::floor(value) || value < least || value > most) {
      fail(text("%s must be a whole number from %g to %g, not %g", what, least, most, value));
    }
    return value;
  }

  std::size_t table_size(std::istringstream& line, const char* what) const {
    return static_cast<std::size_t>(whole_number(line, what, fewest_values, most_values));
  }

  // The next word of the rest of the file, counting lines.
  bool next_word(std::string& word) {
    while (!(words_ >> word)) {
      std::string line;
      if (!std::getline(in_, line)) return false;
      ++line_;
      words_ = std::istringstream(line);
    }
    return true;
  }

  void read_table(std::size_t size, const char* what, std::vector<double>& values) {
    for (std::string word; values.size() < size;) {
      if (!next_word(word)) {
        fail(text("the file ends after %zu of the %zu values of %s", values.size(), size, what));
      }
      values.push_back(to_number(word, what));
    }
  }

  std::istringstream in_;
  const std::string& name_;
  int line_ = 1;
  std::istringstream words_;
};

// The contents of the file, or why not.
struct file_text {
  bool good;
  std::string text;
};

file_text read_file(const std::string& path) {
  const auto bad = [&](const char* why) {
    return file_text{false, text("cannot read the potential file %s: %s", path.c_str(), why)};
  };
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in && errno == ENOENT)
    return bad("there is no such file (Debian's package lammps-data brings Cu_u6.eam and others)");
  if (!in) return bad(std::strerror(errno));
  std::string contents(largest_file_bytes, '\0');
  in.read(contents.data(), static_cast<std::streamsize>(contents.size()));
  if (in.bad() || errno == EISDIR) return bad(std::strerror(errno));
  if (in) return bad("it is larger than 64 MiB, so it is no potential file");
  contents.resize(static_cast<std::size_t>(in.gcount()));
  if (contents.empty()) return bad("it is empty");
  return {true, std::move(contents)};
}

}  // namespace

eam_tables parse_funcfl(const std::string& contents, const std::string& name) {
  return funcfl_reader(contents, name).read();
}

eam_tables read_funcfl(messages& job, const std::string& path) {
  file_text file{};
  if (job.rank() == 0) file = read_file(path);
  std::uint64_t header[2] = {file.good ? 1U : 0U, file.text.size()};
  job.broadcast(std::as_writable_bytes(std::span(header)));
  file.text.resize(header[1]);
  job.broadcast(std::as_writable_bytes(std::span(file.text)));
  if (header[0] == 0) throw failure(file.text);
  return parse_funcfl(file.text, path);
}

}  // namespace md
