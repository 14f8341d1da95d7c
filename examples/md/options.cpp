// The command line, by CLI11; every value is checked here, with one sentence for what is wrong.
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <charconv>
#include <cstdio>
#include <map>
#include <span>

#include "text.hpp"

namespace md {
namespace {

constexpr double most_ranks_on_axis = 1e6;

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

// "2x2x1" as three numbers.
bool to_grid(const std::string& word, int3& grid) {
  const char* at = word.data();
  const char* const end = at + word.size();
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (axis > 0 && (at == end || (*at != 'x' && *at != 'X') || ++at == end)) return false;
    const auto [next, error] = std::from_chars(at, end, grid[axis]);
    if (error != std::errc{} || grid[axis] < 0 || grid[axis] > most_ranks_on_axis) return false;
    at = next;
  }
  return at == end;
}

std::string check_grid(const std::string& word) {
  int3 grid{};
  if (!to_grid(word, grid)) return text("must be three numbers such as 2x2x1, not '%s'", word.c_str());
  if (grid[0] < 1 || grid[1] < 1 || grid[2] < 1) return text("each number must be at least 1, not '%s'", word.c_str());
  return {};
}

std::string check_potential(const std::string& word) {
  return word == "lj" || word == "eam" ? std::string{} : text("must be lj or eam, not '%s'", word.c_str());
}

// Numbers from low to high, parted by commas, and nothing else.
bool to_numbers(const std::string& word, double low, double high, std::span<double> numbers) {
  const char* at = word.data();
  const char* const end = at + word.size();
  for (double& number : numbers) {
    if (&number != numbers.data() && (at == end || *at++ != ',')) return false;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || !(number >= low && number <= high)) return false;
    at = next;
  }
  return at == end;
}

// "0.5,0.5,0.75,0.4" as a sphere.
bool to_sphere(const std::string& word, sphere& s) {
  std::array<double, 4> numbers{};
  if (!to_numbers(word, 0, 1, numbers)) return false;
  s = {{numbers[0], numbers[1], numbers[2]}, numbers[3]};
  return true;
}

std::string check_sphere(const std::string& word) {
  sphere s{};
  return to_sphere(word, s) ? std::string{}
                            : text("must be four numbers from 0 to 1 such as 0.5,0.5,0.75,0.4, not '%s'", word.c_str());
}

// "0.1,0,0" as a velocity.
bool to_velocity(const std::string& word, vec3& velocity) {
  constexpr double fastest = 1000;  // angstrom / fs
  return to_numbers(word, -fastest, fastest, velocity);
}

std::string check_velocity(const std::string& word) {
  vec3 velocity{};
  return to_velocity(word, velocity) ? std::string{}
                                     : text("must be three numbers such as 0.1,0,0, not '%s'", word.c_str());
}

const std::map<std::string, tasks> words_for_tasks{
    {"none", tasks::none}, {"puretask", tasks::pure_task}, {"parallel_for", tasks::parallel_for}};

std::string check_tasks(const std::string& word) {
  return words_for_tasks.contains(word) ? std::string{}
                                        : text("must be none, puretask or parallel_for, not '%s'", word.c_str());
}

}  // namespace

double options::atom_count() const {
  return static_cast<double>(atoms_per_unit_cell) * unit_cells[0] * unit_cells[1] * unit_cells[2];
}

std::optional<int> parse(int argc, char** argv, bool speaks, options& o) {
  CLI::App app(
      "Molecular dynamics of a copper crystal: Lennard-Jones or embedded atom, velocity Verlet, periodic box.\n"
      "Written once against a few message calls; runs on Pure (md) and on MPI (md_mpich, md_openmpi).\n",
      "md");
  app.footer(
      "Examples:\n"
      "  purerun -n 4 md --potential eam --steps 500            (Cu_u6.eam, from Debian's package lammps-data)\n"
      "  purerun -n 8 md --nx 40 --ny 40 --nz 40 --grid 2x2x2   (256000 atoms, Lennard-Jones)\n"
      "  purerun -n 2 md --void 0.5,0.5,0.75,0.4 --tasks parallel_for\n");
  app.option_defaults()->always_capture_default();
  app.get_formatter()->column_width(34);

  constexpr int most_cells = 100000;
  app.add_option("--nx", o.unit_cells[0], "Unit cells along x (4 atoms each)")->check(from_to(1, most_cells));
  app.add_option("--ny", o.unit_cells[1], "Unit cells along y")->check(from_to(1, most_cells));
  app.add_option("--nz", o.unit_cells[2], "Unit cells along z")->check(from_to(1, most_cells));
  std::string grid = "automatic";
  app.add_option("--grid", grid, "Ranks along x, y and z, such as 2x2x1")
      ->check(CLI::Validator(check_grid, "", "grid"));
  app.add_option("--steps", o.steps, "Time steps")->check(from_to<std::int64_t>(0, 1'000'000'000));
  app.add_option("--dt", o.dt_fs, "Length of a time step, in fs")->check(from_to(1e-6, 1000.0));
  app.add_option("--temperature", o.temperature_k, "At the start, in kelvin; half of it goes into the lattice soon")
      ->check(from_to(0.0, 1e6));
  app.add_option("--delta", o.delta, "Displace each atom at random by at most this on each axis, in angstrom")
      ->check(from_to(0.0, 1.0));
  std::string lattice = "the potential's";
  app.add_option("--lattice-constant", lattice, "Edge of a unit cell, in angstrom")->check(from_to(0.5, 50.0));
  std::string potential = "lj";
  app.add_option("--potential", potential, "lj (Lennard-Jones) or eam (embedded atom)")
      ->check(CLI::Validator(check_potential, "", "potential"));
  app.add_option("--file", o.file, "Potential file for eam, in DYNAMO funcfl format");
  std::vector<std::string> voids;
  app.add_option("--void", voids,
                 "Remove the atoms in a sphere X,Y,Z,R: its centre in fractions of the box, its radius in fractions of "
                 "the shortest edge; may be repeated")
      ->check(CLI::Validator(check_sphere, "", "sphere"))
      ->allow_extra_args(false)
      ->default_str("no sphere");
  std::string flow = "0,0,0";
  app.add_option(
         "--drift", flow,
         "Let the whole crystal move through the box, and its voids through the ranks, at X,Y,Z angstrom per fs")
      ->check(CLI::Validator(check_velocity, "", "velocity"));
  std::string share = "none";
  app.add_option("--tasks", share,
                 "How ranks that wait share the loops of others: none, puretask or parallel_for (on Pure)")
      ->check(CLI::Validator(check_tasks, "", "tasks"));
  app.add_option("--print-every", o.print_every, "Steps between printed lines")
      ->check(from_to<std::int64_t>(1, 1'000'000'000));
  app.add_option("--xyz", o.xyz, "Write all atoms there at each printed step: extended XYZ, for OVITO, ASE or VMD");
  app.add_option("--seed", o.seed, "Of the random velocities and displacements")
      ->check(from_to<std::uint64_t>(0, 1ULL << 53U));
  app.add_option(
         "--check-forces", o.check_forces,
         "Instead of running, compare the forces on this many atoms with differences of the energy (use with --delta)")
      ->check(from_to(0, 1000000));

  try {
    app.parse(argc, argv);
    if (!grid.starts_with("auto")) to_grid(grid, o.grid);
    if (lattice != "the potential's") CLI::detail::lexical_cast(lattice, o.lattice_constant);
    o.eam = potential == "eam";
    to_velocity(flow, o.flow);
    for (const std::string& word : voids) to_sphere(word, o.voids.emplace_back());
    o.share = words_for_tasks.at(share);
    return std::nullopt;
  } catch (const CLI::Success& e) {  // --help
    return speaks ? app.exit(e) : 0;
  } catch (const CLI::ParseError& e) {
    if (speaks) std::fprintf(stderr, "md: %s\n    (md --help lists the options)\n", e.what());
    return 2;
  }
}

}  // namespace md
