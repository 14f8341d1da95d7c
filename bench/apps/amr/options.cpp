// The command line; options.hpp says what parsing promises.
#include "options.hpp"

#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>

namespace amr {

const char help_text[] =
    "usage: amr [OPTION VALUE]...\n"
    "\n"
    "Blocks of cells fill the unit cube and are refined where objects pass; every stage exchanges the faces of all\n"
    "blocks and replaces each cell by the average of its neighbourhood.\n"
    "\n"
    "  --blocks X,Y,Z            root blocks along each axis (4,4,4)\n"
    "  --cells N                 cells along a block's edge, even (8)\n"
    "  --variables V             variables of a cell (8)\n"
    "  --group G                 variables that are exchanged and swept together (2)\n"
    "  --levels L                the finest level; the root blocks are level 0 (2)\n"
    "  --steps S                 time steps (20)\n"
    "  --stages S                exchanges and sweeps in a step (4)\n"
    "  --refine-every S          steps between refinements; 0: only before the first step (2)\n"
    "  --stencil 7|27            points of the stencil (7)\n"
    "  --object SPEC             an object, may be repeated; `none` for a mesh that is not refined. SPEC is\n"
    "                            kind=sphere|ellipsoid|cuboid,fill=surface|solid,at=X:Y:Z,radius=R or RX:RY:RZ,\n"
    "                            velocity=X:Y:Z,growth=G, in edges of the cube and steps; each part may be left out\n"
    "                            (kind=sphere,fill=surface,at=0.3:0.3:0.3,radius=0.15,velocity=0.01:0.01:0.005,growth=0.004)\n"
    "  --balance on|start|off    share the blocks out anew after refinements, after the first ones only, or never (on)\n"
    "  --balance-threshold P     only where the fullest rank has P percent more blocks than the average (10)\n"
    "  --work-in-objects K       sweeps per stage of a block that an object touches: a load that moves (1)\n"
    "  --checksum-every S        steps between check sums; 0: at the end only (0)\n"
    "  --report S                steps between lines of the table; 0: none (5)\n"
    "  --help                    this text\n"
    "\n"
    "Errors of the command line end the program with status 2.\n";

namespace {

std::vector<std::string> cut(const std::string& text, char at) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

bool read(const std::string& text, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == 0 && std::isfinite(value);
}

bool read(const std::string& text, int& value, int least, int most) {
  char* end = nullptr;
  errno = 0;
  const long read = std::strtol(text.c_str(), &end, 10);
  value = static_cast<int>(read);
  return !text.empty() && *end == 0 && errno == 0 && read >= least && read <= most;
}

// X:Y:Z, or one number for all three where that is allowed.
bool read(const std::string& text, vec3& value, bool one_will_do) {
  const auto parts = cut(text, ':');
  if (parts.size() == 1 && one_will_do) return read(text, value[0]) && (value.fill(value[0]), true);
  return parts.size() == 3 && read(parts[0], value[0]) && read(parts[1], value[1]) && read(parts[2], value[2]);
}

object usual_object() {
  object o;
  o.centre = {0.3, 0.3, 0.3};
  o.radius = {0.15, 0.15, 0.15};
  o.velocity = {0.01, 0.01, 0.005};
  o.growth = 0.004;
  return o;
}

// The part that is not understood, or empty.
std::string read(const std::string& text, object& o) {
  o = usual_object();
  o.velocity.fill(0);
  o.growth = 0;
  for (const std::string& part : cut(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) return part;
    const std::string name = part.substr(0, equals), value = part.substr(equals + 1);
    bool good = false;
    if (name == "kind") {
      good = value == "sphere" || value == "ellipsoid" || value == "cuboid";
      o.kind = value == "cuboid" ? object::form::cuboid : object::form::ellipsoid;
    } else if (name == "fill") {
      good = value == "surface" || value == "solid";
      o.solid = value == "solid";
    } else if (name == "at") {
      good = read(value, o.centre, false);
    } else if (name == "radius") {
      good = read(value, o.radius, true) && o.radius[0] > 0 && o.radius[1] > 0 && o.radius[2] > 0;
    } else if (name == "velocity") {
      good = read(value, o.velocity, false);
    } else if (name == "growth") {
      good = read(value, o.growth);
    }
    if (!good) return part;
  }
  return "";
}

}  // namespace

parsed_options parse(int argc, char** argv) {
  parsed_options result;
  options& o = result.wanted;
  bool objects_named = false;
  using reader = std::function<std::string(const std::string&)>;  // what it expected instead, or empty
  const auto number = [](int& value, int least, int most) -> reader {
    return [&value, least, most](const std::string& text) {
      if (read(text, value, least, most)) return std::string();
      return "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
    };
  };
  constexpr int many = 1000000000;
  const std::map<std::string, reader> readers{
      {"--blocks",
       [&](const std::string& text) -> std::string {
         const auto parts = cut(text, ',');
         bool good = parts.size() == 3;
         for (unsigned axis = 0; good && axis < 3; ++axis) good = read(parts[axis], o.blocks[axis], 1, 4096);
         return good ? "" : "three whole numbers from 1 to 4096, X,Y,Z";
       }},
      {"--cells", number(o.cells, 2, 256)},
      {"--variables", number(o.variables, 1, 10000)},
      {"--group", number(o.together, 1, 10000)},
      {"--levels", number(o.levels, 0, most_levels)},
      {"--steps", number(o.steps, 0, many)},
      {"--stages", number(o.stages, 1, many)},
      {"--refine-every", number(o.refine_every, 0, many)},
      {"--work-in-objects", number(o.work_in_objects, 1, 1000000)},
      {"--checksum-every", number(o.checksum_every, 0, many)},
      {"--report", number(o.report_every, 0, many)},
      {"--stencil",
       [&](const std::string& text) {
         o.points = text == "27" ? 27 : 7;
         return text == "7" || text == "27" ? "" : "7 or 27";
       }},
      {"--balance",
       [&](const std::string& text) {
         o.balance = text == "off"     ? options::balancing::off
                     : text == "start" ? options::balancing::start
                                       : options::balancing::on;
         return text == "on" || text == "start" || text == "off" ? "" : "on, start or off";
       }},
      {"--balance-threshold",
       [&](const std::string& text) {
         return read(text, o.threshold_percent) && o.threshold_percent >= 0 ? "" : "a percentage, 0 or more";
       }},
      {"--object",
       [&](const std::string& text) -> std::string {
         objects_named = true;
         if (text == "none") return "";
         object one;
         const std::string wrong = read(text, one);
         o.objects.push_back(one);
         return wrong.empty() ? "" : "an object (see --help), but for its part '" + wrong + "'";
       }},
  };
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--help") {
      result.help = true;
      return result;
    }
    const auto found = readers.find(name);
    if (found == readers.end()) {
      result.error = "There is no option '" + name + "' (--help lists them).";
    } else if (++i == argc) {
      result.error = name + " needs a value.";
    } else if (const std::string expected = found->second(argv[i]); !expected.empty()) {
      result.error = name + " expects " + expected + ", not '" + argv[i] + "'.";
    }
    if (!result.error.empty()) return result;
  }
  if (!objects_named) o.objects.push_back(usual_object());
  return result;
}

std::string impossible(const options& o, int ranks) {
  const long long roots = 1LL * o.blocks[0] * o.blocks[1] * o.blocks[2];
  if (o.cells % 2 != 0) return "--cells must be even, for a refined cell becomes two along each axis.";
  const double block = std::pow(o.cells + 2.0, 3) * o.variables;
  if (block > INT_MAX) return "A block of so many --cells and --variables is more than a message holds.";
  if (roots < ranks) {
    return "The " + std::to_string(roots) + " root blocks of --blocks are fewer than the " + std::to_string(ranks) +
           " ranks.";
  }
  for (const int n : o.blocks) {
    if (1LL * n << o.levels > 1 << coordinate_bits) {
      return "--blocks and --levels ask for more than " + std::to_string(1 << coordinate_bits) +
             " blocks along an axis at the finest level.";
    }
  }
  return "";
}

}  // namespace amr
