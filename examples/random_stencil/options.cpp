// The command line, by CLI11. A file of its own, because CLI11 takes ten times as long to compile as all the rest.
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace {

constexpr std::size_t largest_array = 100'000;  // the listings keep one array of this size on the stack

}  // namespace

std::optional<int> parse(int argc, char** argv, bool speaks, options& o) {
  CLI::App app("The 1-D stencil with random work of the Pure paper (Listings 1 and 2), checked against a serial run.",
               "random_stencil");
  app.option_defaults()->always_capture_default();
  app.add_option("--size", o.size, "Elements of the array of each rank")
      ->check(CLI::Range(std::size_t{2}, largest_array));
  app.add_option("--iterations", o.iterations, "Steps of the stencil")->check(CLI::Range(0, 1'000'000'000));
  app.add_option("--work", o.costs.unit, "Work of the cheapest element, in steps of about a nanosecond")
      ->check(CLI::Range(0, 1'000'000));
  CLI::Option* const imbalance = app.add_option("--imbalance", o.costs.imbalance,
                                                "How many times as much the heavy part of the domain costs")
                                     ->check(CLI::Range(1.0, 1000.0));
  app.add_option("--moving", o.costs.moving, "Iterations after which another part is the heavy one; 0: it stays")
      ->check(CLI::Range(0L, 1'000'000'000L))
      ->needs(imbalance);
  app.add_option("--parts", o.costs.parts, "Equal parts of the domain, one of which is heavy; 0: one for each rank")
      ->check(CLI::Range(0L, 1'000'000L))
      ->needs(imbalance);
  app.add_flag("!--no-check", o.check, "Do not compare with a serial run, which takes as long as all ranks together");
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& e) {  // --help
    return speaks ? app.exit(e) : 0;
  } catch (const CLI::ParseError& e) {
    if (speaks) std::fprintf(stderr, "random_stencil: %s\n    (--help lists the options)\n", e.what());
    return 2;
  }
}
