#include "pure/trace_legend.hpp"

#include <functional>

#include "pure/trace_row.hpp"

namespace pure::tool {
namespace {

constexpr double text_size = 12;
constexpr double line_height = 24;
constexpr double sample_width = 30;
constexpr double sample_height = 14;

// One entry: a sample, drawn into a box, and what it means.
struct entry {
  std::function<void(const box&)> sample;
  std::string meaning;
};

}  // namespace

double add_legend(const legend_contents& contents, double left, double right, double y, const text_measure& measure,
                  picture& all) {
  constexpr std::uint32_t owner = 0;
  const auto fill = [&](const box& place, const colour& with, bool outlined = false) {
    all.legend_rectangles.push_back({place, with, outlined});
  };
  std::vector<entry> entries;
  if (contents.own_chunks) {
    entries.push_back(
        {[&](const box& place) { fill(place, colour_of_rank(owner), true); }, "chunk of the rank's own task"});
  }
  if (contents.stolen_chunks) {
    entries.push_back({[&](const box& place) {
                         fill(place, wait_gray);
                         const box chunk{place.x + 4, place.y + 2, place.width - 8, place.height - 4};
                         fill(chunk, colour_of_rank(owner), true);
                       },
                       "stolen chunk, in its owner's colour (4/0: chunk 4 of rank 0)"});
  }
  if (contents.computing) {
    entries.push_back({[&](const box& place) { fill(place, colour_of(activity::computing, owner, owner)); },
                       "outside tasks and waits"});
  }
  if (contents.waiting) {
    entries.push_back({[&](const box& place) { fill(place, wait_gray); }, "waiting"});
  }
  if (contents.open_waits) {
    entries.push_back({[&](const box& place) { fill(place, open_wait_red); }, "waiting when the job failed"});
  }
  if (contents.items) {
    entries.push_back({[&](const box& place) { fill(place, colour_of(activity::items, owner, owner), true); },
                       "handled buffer of an aggregation (64/3: 64 items of rank 3)"});
  }
  if (contents.tasks) {
    entries.push_back({[&](const box& place) {
                         const double top = place.y + 3;
                         const double end = place.bottom() - 3;
                         all.legend_lines.push_back({place.x, top, place.right(), top, 1.5, ink});
                         all.legend_lines.push_back({place.x, top, place.x, end, 1.5, ink});
                         all.legend_lines.push_back({place.right(), top, place.right(), end, 1.5, ink});
                       },
                       "task, from the call to its return"});
  }
  if (contents.lost) {
    entries.push_back({[&](const box& place) {
                         const double third = place.width / 3;
                         for (int i = 0; i < 3; ++i) {
                           fill({place.x + i * third, place.y + 5, third, 4}, colour_of_lost((i + 1) / 3.0));
                         }
                       },
                       "others had the cpu: a third of the time, two thirds, all of it"});
  }
  if (contents.messages) {
    entries.push_back(
        {[&](const box& place) {
           all.legend_arrows.push_back({place.x, place.y + 1, place.right(), place.bottom() - 1, 1, arrow_ink});
         },
         "message, from send to receive"});
  }

  double x = left;
  y += line_height / 2;
  for (const entry& each : entries) {
    const double width = sample_width + 8 + measure(each.meaning, text_size, false);
    if (x > left && x + width > right) {
      x = left;
      y += line_height;
    }
    each.sample({x, y - sample_height / 2, sample_width, sample_height});
    all.labels.push_back({x + sample_width + 8, y, each.meaning, text_size, align::left, ink, false});
    x += width + 28;
  }
  y += 6;
  for (const std::string& note : contents.notes) {
    y += line_height - 4;
    all.labels.push_back(
        {left, y, shortened(note, right - left, text_size, false, measure), text_size, align::left, faint_ink, false});
  }
  return y + line_height / 2;
}

}  // namespace pure::tool
