// The command lines, by CLI11; every value is checked here, with one sentence for what is wrong.
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <initializer_list>

#include "../md/text.hpp"

namespace windows {
namespace {

using md::text;

// A number from low to high, which "nan" is not.
template <class T>
CLI::Validator from_to(T low, T high) {
  const auto written = [](T v) { return text("%.10g", static_cast<double>(v)); };
  const auto check = [=](const std::string& word) -> std::string {
    T value{};
    if (CLI::detail::lexical_cast(word, value) && value >= low && value <= high) return {};
    return text("must be a %s from %s to %s, not '%s'", std::is_integral_v<T> ? "whole number" : "number",
                written(low).c_str(), written(high).c_str(), word.c_str());
  };
  return CLI::Validator(check, "", "number");
}

// One of some words, or several, with commas between.
CLI::Validator words_of(std::vector<std::string> known) {
  const auto check = [=](const std::string& word) -> std::string {
    if (std::find(known.begin(), known.end(), word) != known.end()) return {};
    std::string all;
    for (const std::string& each : known) all += (all.empty() ? "" : ", ") + each;
    return text("must be of %s, not '%s'", all.c_str(), word.c_str());
  };
  return CLI::Validator(check, "", "words");
}

template <class T>
CLI::Option* add_words(CLI::App& app, const char* name, T& words, const char* what) {
  return app.add_option(name, words, what)->delimiter(',')->check(words_of(words));
}

// "2x1" as two numbers.
bool to_grid(const std::string& word, int& x, int& y) {
  const char* const end = word.data() + word.size();
  const auto [middle, error] = std::from_chars(word.data(), end, x);
  if (error != std::errc{} || middle == end || *middle != 'x') return false;
  const auto [last, second_error] = std::from_chars(middle + 1, end, y);
  return second_error == std::errc{} && last == end && x > 0 && y > 0;
}

std::string check_grid(const std::string& word) {
  int x = 0, y = 0;
  return to_grid(word, x, y) ? std::string{} : text("must be two numbers such as 2x1, not '%s'", word.c_str());
}

void set_up(CLI::App& app) {
  app.option_defaults()->always_capture_default();
  app.get_formatter()->column_width(34);
}

std::optional<int> parsed(CLI::App& app, int argc, char** argv, bool speaks) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& e) {  // --help
    return speaks ? app.exit(e) : 0;
  } catch (const CLI::ParseError& e) {
    if (speaks) {
      std::fprintf(stderr, "%s: %s\n    (%s --help lists the options)\n", app.get_name().c_str(), e.what(),
                   app.get_name().c_str());
    }
    return 2;
  }
}

}  // namespace

std::optional<int> parse(int argc, char** argv, bool speaks, stencil_options& o) {
  CLI::App app(
      "Halo exchange of a five-point stencil by messages and by shared windows (MPI + MPI, section 5.3 and figure 6).\n"
      "Times are medians of steps, averaged over ranks, in microseconds; the median of the rounds is printed.",
      "windows_stencil");
  app.footer(
      "Modes: messages (grids in memory of each rank's own), fence (a fence, then loads from the neighbours: the paper's),\n"
      "put (into the neighbours, then a fence), notified (put, then a notification), direct (no halo: the neighbours' cells\n"
      "are read in place, after a notification).");
  set_up(app);
  app.add_option("N", o.sizes, "Cells along each side of the grid")->check(from_to(1, 16384))->delimiter(',');
  std::string grid = "automatic";
  app.add_option("--grid", grid, "Ranks along x (contiguous in memory) and y, such as 2x1")
      ->check(CLI::Validator(check_grid, "", "grid"));
  app.add_option("--steps", o.steps, "Time steps of a round; 0: by N")->check(from_to(0, 100'000'000));
  app.add_option("--rounds", o.rounds, "Rounds, in each of which all modes take their turn")->check(from_to(1, 1000));
  add_words(app, "--modes", o.modes, "Which modes, with commas between");
  add_words(app, "--placement", o.placements, "Where the parts of the windows lie");
  app.add_flag("--verify", o.verify, "Compare every result with a serial computation");
  if (const auto status = parsed(app, argc, argv, speaks)) return status;
  if (grid != "automatic") to_grid(grid, o.ranks_x, o.ranks_y);
  return std::nullopt;
}

std::optional<int> parse(int argc, char** argv, bool speaks, cg_options& o) {
  CLI::App app(
      "Conjugate gradients with a symmetric Gauss-Seidel preconditioner, on subdomains of the ranks' own and on one that\n"
      "all ranks share (MPI + MPI, section 5.1 and figure 4). The operator has 27 points, as HPCG's.",
      "windows_cg_sgs");
  app.footer(
      "Methods: own (each subdomain is swept by itself), levels (one subdomain, by level sets with a fence behind each:\n"
      "the paper's), doacross (one subdomain, strips of rows that notify each other).");
  set_up(app);
  app.add_option("--nx", o.nx, "Points along x")->check(from_to(1, 4096));
  app.add_option("--ny", o.ny, "Points along y")->check(from_to(1, 4096));
  app.add_option("--nz", o.nz, "Points along z, the axis of the subdomains")->check(from_to(1, 4096));
  app.add_option("--diagonal", o.diagonal, "Diagonal of the matrix; the others are -1")->check(from_to(26.0, 1000.0));
  app.add_option("--tolerance", o.tolerance, "Residual to stop at, in parts of the first one")
      ->check(from_to(1e-15, 1.0));
  app.add_option("--iterations", o.most_iterations, "Iterations to stop at")->check(from_to(1, 1'000'000));
  app.add_option("--subdomains", o.subdomains, "For own: how many, of whole planes; several, with commas between")
      ->check(from_to(1, 4096))
      ->delimiter(',')
      ->default_str("as many as ranks");
  add_words(app, "--methods", o.methods, "Which methods, with commas between");
  app.add_flag("--verify", o.verify, "Compare every history of residuals with that of a serial program, bit for bit");
  return parsed(app, argc, argv, speaks);
}

std::optional<int> parse(int argc, char** argv, bool speaks, qmc_options& o) {
  CLI::App app(
      "A quantum Monte Carlo walk over a table of cubic B-spline coefficients, which each rank has for itself or all ranks\n"
      "share (MPI + MPI, section 5.2 and algorithm 5).",
      "windows_qmc");
  app.footer(
      "Tables: own (one for each rank), shared (one, made by rank 0: the paper's), parts (one, of which each rank makes its\n"
      "part).");
  set_up(app);
  app.add_option("--grid", o.grid, "Coefficients along each axis")->check(from_to(4, 1024));
  app.add_option("--orbitals", o.orbitals, "Single-particle orbitals, the table's fourth dimension")
      ->check(from_to(1, 4096));
  app.add_option("--walkers", o.walkers, "Walkers, dealt to the ranks")->check(from_to(1, 1'000'000));
  app.add_option("--particles", o.particles, "Particles of a walker")->check(from_to(1, 1'000'000));
  app.add_option("--generations", o.generations, "Times that each particle tries to move")
      ->check(from_to(1, 1'000'000'000));
  app.add_option("--step", o.step, "Longest move along an axis, in edges of the box")->check(from_to(1e-6, 1.0));
  add_words(app, "--tables", o.tables, "Which tables, with commas between");
  app.add_flag("--verify", o.verify, "Compare the sums with those of a serial walk without a table");
  return parsed(app, argc, argv, speaks);
}

}  // namespace windows
