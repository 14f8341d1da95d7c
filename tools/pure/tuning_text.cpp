#include "pure/tuning_text.hpp"

#include <fmt/core.h>

#include "base/settings.hpp"
#include "base/text.hpp"
#include "pure/message_ways.hpp"

namespace pure::tool {

core::tuning table_in_force() {
  const core::settings values = core::read_settings();
  return values.tuning.empty() ? core::tuning() : core::tuning(values.tuning);
}

std::string ranks_text(int most_ranks) {
  return most_ranks == core::tuning::any_ranks ? "any number" : fmt::format("up to {}", most_ranks);
}

std::string tuning_text(const std::vector<core::tuning_row>& rows) {
  constexpr const char* line = "  {:<15} {:<12} {:<8} {:>12} {:>10} {:>11}\n";
  std::string text = fmt::format(line, "collective", "ranks", "cores", "copied_bytes", "tree_radix", "piece_bytes");
  for (const core::tuning_row& row : rows) {
    const std::string radix = !core::has_tree(row.kind) ? "-"
                              : row.use.tree_radix == 0 ? "flat"
                                                        : std::to_string(row.use.tree_radix);
    const bool is_barrier = row.kind == detail::collective::barrier;
    text += fmt::format(line, core::name_of(row.kind), ranks_text(row.most_ranks), row.shared_cores ? "shared" : "own",
                        is_barrier ? "-" : core::bytes_text(row.use.copied_bytes), radix,
                        is_barrier ? "-" : core::bytes_text(row.use.piece_bytes));
  }
  return text;
}

std::string tuning_in_force_text() {
  const core::settings values = core::read_settings();
  std::string text = fmt::format("The tuning table of collectives: {}\n\n",
                                 values.tuning.empty() ? "built-in" : "PURE_TUNING=" + values.tuning);
  text += tuning_text(table_in_force().rows_in_force());
  text +=
      "\n"
      "  ranks          of the communicator: the first row that fits is used\n"
      "  cores          own: no two ranks of it share a core\n"
      "  copied_bytes   data up to this size goes through dropboxes; larger data is\n"
      "                 reduced in place by the Partitioned Reducer, or copied once\n"
      "                 between the buffers of the ranks\n"
      "  tree_radix     in the dropboxes, each rank looks at all others (flat), or at\n"
      "                 its neighbours in such a tree\n"
      "  piece_bytes    of large data, what a rank takes at a time\n"
      "\n"
      "`pure bench tune` measures what suits this machine; --json prints this table as\n"
      "a file for PURE_TUNING.\n"
      "\n";
  return text + message_ways_text(values) +
         "\n"
         "No file has these: each process measures them when a rank of it first sends.\n"
         "`pure info --json` has them under \"messages\".\n";
}

}  // namespace pure::tool
