// What it costs if the numbers are wrong by which a message's way is chosen, on machines of several kinds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/settings.hpp"
#include "base/text.hpp"
#include "match/copy_ways.hpp"
#include "match/message_terms.hpp"
#include "support/machine_costs.hpp"

namespace pure::core {
namespace choice_of_ways {  // of its own, for files are compiled together
namespace {

using model::content;
using model::machine_costs;
using model::way;

/// The numbers by which the way is chosen, each right but for a factor.
struct numbers {
  double own_line = 1;  // or the factor between it and a fetched one: they count as their product
  double worth_cells = 1;
  double eager_limit = 1;

  [[nodiscard]] std::size_t worth_cells_bytes() const {
    return static_cast<std::size_t>(worth_cells * message_terms::worth_cells_bytes);
  }
  [[nodiscard]] std::size_t eager_limit_bytes() const {
    return static_cast<std::size_t>(eager_limit * static_cast<double>(settings{}.eager_limit_bytes));
  }
};

copy_speed speed_of(const machine_costs& on, double factor) {
  copy_speed speed{};
  for (std::size_t i = 0; i < copy_speed::sizes; ++i) {
    const std::size_t bytes = copy_speed::first_bytes << i;
    speed.own_line_ns[i] = factor *
                           (machine_costs::of_size(on.own, bytes) + on.clock / static_cast<double>(lines_for(bytes)));
  }
  return speed;
}

/// The mean cost of many messages of one size, chosen as message_sender::way_of() does, and by its copy_ways.
double chosen_cost(const machine_costs& on, std::size_t bytes, content data, const numbers& by) {
  if (bytes <= by.worth_cells_bytes()) return on.cost(way::ring, bytes, data);
  if (bytes <= by.eager_limit_bytes()) return on.cost(way::cells, bytes, data);
  constexpr int messages = 4096;
  const copy_speed speed = speed_of(on, by.own_line);
  copy_ways ways(speed);
  std::vector<std::byte> buffer(bytes);
  double sum = 0;
  for (int i = 0; i < messages; ++i) {
    const std::size_t written = data == content::kept ? 0 : data == content::touched ? 1 : bytes;
    std::fill_n(buffer.begin(), written, static_cast<std::byte>(i));
    const copy_ways::way next = ways.next(buffer.data(), bytes);
    sum += on.cost(next == copy_ways::way::cells ? way::cells : way::buffer, bytes, data);
    if (next != copy_ways::way::timed_buffer) continue;
    const double line = on.copied_line(bytes, data);
    ways.note(bytes, bytes, std::llround(line * static_cast<double>(lines_for(bytes)) + on.clock));
  }
  return sum / messages;
}

struct regret {
  double times = 1;  // the least cost
  std::size_t bytes = 0;
  content data = content::kept;

  [[nodiscard]] std::string text() const {
    if (bytes == 0) return "1.00";
    return fmt::format("{:.2f} ({}, {})", times, bytes_text(bytes), model::name_of(data));
  }
};

/// Of the lengths that a message through cells may have on every machine.
constexpr std::size_t weighed_bytes[] = {64,   128,  192,  256,      384,      512,       768,      1024,
                                         1536, 2048, 3072, 4 * 1024, 8 * 1024, 16 * 1024, 32 * 1024};

/// The worst of all lengths and contents.
regret worst_regret(const machine_costs& on, const numbers& by) {
  regret worst;
  for (const std::size_t bytes : weighed_bytes) {
    for (const content data : model::all_contents) {
      const double times = chosen_cost(on, bytes, data, by) / on.least_cost(bytes, data);
      if (times > worst.times + 0.005) worst = {times, bytes, data};
    }
  }
  return worst;
}

struct wrong_number {
  const char* what;
  numbers by;
  double most_regret;
};
constexpr wrong_number wrong_numbers[] = {
    {"right", {}, 1.6},
    {"own lines x 0.5", {.own_line = 0.5}, 1.65},
    {"x 2", {.own_line = 2}, 2},
    {"192 B x 0.5", {.worth_cells = 0.5}, 1.6},
    {"x 2", {.worth_cells = 2}, 1.6},
    {"2 KiB x 0.5", {.eager_limit = 0.5}, 1.6},
    {"x 2", {.eager_limit = 2}, 2.3},
};

/// As docs/benchmarks.md has it.
std::string table_of_regrets() {
  std::string text = "| machine |";
  for (const wrong_number& each : wrong_numbers) text += fmt::format(" {} |", each.what);
  text += "\n|---|";
  for (std::size_t i = 0; i < std::size(wrong_numbers); ++i) text += "---|";
  text += "\n";
  for (const machine_costs& on : model::machines) {
    text += fmt::format("| {} |", on.name);
    for (const wrong_number& each : wrong_numbers) text += fmt::format(" {} |", worst_regret(on, each.by).text());
    text += "\n";
  }
  return text;
}

TEST(choice_of_ways, a_wrong_number_costs_little) {
  for (const machine_costs& on : model::machines) {
    for (const wrong_number& each : wrong_numbers) {
      const regret worst = worst_regret(on, each.by);
      EXPECT_LE(worst.times, each.most_regret) << on.name << ", " << each.what << ": " << worst.text();
    }
  }
}

TEST(choice_of_ways, the_page_has_this_table) {
  const auto page = std::filesystem::path(__FILE__).parent_path() / "../../../docs/benchmarks.md";
  std::ifstream file(page);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::string table = table_of_regrets();
  EXPECT_NE(text.find(table), std::string::npos) << page << " should have:\n" << table;
}

/// Half a round trip that was measured, in microseconds, by the rows of docs/decisions.md.
struct measured {
  std::size_t machine;  // in model::machines
  way by;
  std::size_t bytes;
  content data;
  double us;
};

TEST(choice_of_ways, the_model_tells_what_was_measured) {
  constexpr std::size_t near = 0, two_l3s = 1, mesh = 3, large_mesh = 4;
  constexpr measured all[] = {
      {near, way::ring, 256, content::touched, 0.178},  // D-cells, as all of these machines
      {near, way::ring, 1024, content::touched, 0.26},
      {near, way::ring, 2048, content::touched, 0.39},
      {near, way::cells, 256, content::touched, 0.124},
      {near, way::cells, 1024, content::touched, 0.155},
      {near, way::cells, 2048, content::touched, 0.196},
      {near, way::buffer, 4096, content::touched, 0.22},  // D-fresh-line
      {near, way::cells, 4096, content::touched, 0.43},
      {two_l3s, way::ring, 1024, content::touched, 0.96},
      {two_l3s, way::cells, 1024, content::touched, 0.48},
      {two_l3s, way::buffer, 4096, content::touched, 0.56},
      {two_l3s, way::cells, 4096, content::touched, 0.86},
      {mesh, way::ring, 4096, content::touched, 0.97},  // D-eager-limit
      {mesh, way::ring, 8192, content::touched, 1.74},
      {mesh, way::buffer, 4096, content::touched, 0.34},
      {mesh, way::buffer, 8192, content::touched, 0.42},
      {mesh, way::buffer, 4096, content::fresh, 0.94},
      {mesh, way::buffer, 8192, content::fresh, 1.5},
      {large_mesh, way::ring, 1024, content::touched, 0.6},  // 0.53 to 0.8 from run to run
      {large_mesh, way::buffer, 1024, content::touched, 0.41},
      {large_mesh, way::buffer, 4096, content::fresh, 1.53},
  };
  for (const measured& each : all) {
    const machine_costs& on = model::machines[each.machine];
    const double of_measured = on.cost(each.by, each.bytes, each.data) / 1000 / each.us;
    EXPECT_GT(of_measured, 0.7) << on.name << ", " << each.bytes << ", " << model::name_of(each.data);
    EXPECT_LT(of_measured, 1.3) << on.name << ", " << each.bytes << ", " << model::name_of(each.data);
  }
}

}  // namespace
}  // namespace choice_of_ways
}  // namespace pure::core
