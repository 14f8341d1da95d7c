#include "pure/trace_layout.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include <fmt/core.h>

#include "base/text.hpp"
#include "pure/trace_legend.hpp"
#include "pure/trace_processes.hpp"
#include "pure/trace_row.hpp"
#include "pure/trace_time.hpp"

namespace pure::tool {
namespace {

constexpr double edge = 24;  // of the picture
constexpr double header_height = 68;
constexpr double axis_height = 52;
constexpr double tick_room = 110;

// The heights of a row, from top to bottom. Many rows are lower, and have less text.
struct row_form {
  double lane;  // of the tasks
  double bar;
  double gap;
  double text;       // in bars; 0: none
  double task_text;  // above brackets; 0: none
};

row_form form_for(std::size_t rows) {
  if (rows <= 8) return {26, 36, 14, 12, 11};
  if (rows <= 20) return {20, 24, 8, 11, 10};
  if (rows <= 64) return {5, 14, 4, 9, 0};
  return {3, 8, 2, 0, 0};
}

class layouter {
 public:
  layouter(const timeline& all, const layout_options& options, const text_measure& measure)
      : all_(all), options_(options), measure_(measure), form_(form_for(options.rows.size())) {}

  picture make() {
    place_rows();
    add_header();
    for (std::size_t i = 0; i < options_.rows.size(); ++i) add_row(options_.rows[i], bars_[i]);
    add_messages();
    add_axis();
    add_notes();
    const double end = add_legend(legend_, edge, options_.width - edge, picture_.plot.bottom() + axis_height, measure_,
                                  picture_);
    picture_.height = static_cast<int>(std::ceil(end + edge / 2));
    return std::move(picture_);
  }

 private:
  void place_rows() {
    const double pitch = form_.lane + form_.bar + form_.gap;
    const double height = pitch * static_cast<double>(options_.rows.size());
    constexpr double most = 30'000;  // what cairo draws
    if (height > most) {
      throw std::runtime_error(
          fmt::format("{} rows are too many for a picture: choose some with --ranks", options_.rows.size()));
    }
    double names = 0;
    const double size = name_size();
    for (const std::uint32_t row : options_.rows) names = std::max(names, measure_(all_.rows[row].name, size, true));
    const double processes = width_of_processes(all_, options_.rows, size, measure_);
    names_left_ = edge + processes;
    const double left = names_left_ + std::min(names, options_.width / 4.0) + 12;
    picture_.width = options_.width;
    picture_.plot = {left, header_height, options_.width - edge - left, height};
    scale_ = {options_.window, picture_.plot.x, picture_.plot.width};
    double y = header_height;
    for (const std::uint32_t row : options_.rows) {
      const box bar{picture_.plot.x, y + form_.lane, picture_.plot.width, form_.bar};
      bars_.push_back(bar);
      bar_of_row_.emplace(row, bar);
      y += pitch;
    }
    if (processes > 0) add_processes(all_, options_.rows, bars_, {edge, processes, size}, measure_, picture_);
  }

  [[nodiscard]] double name_size() const { return form_.bar >= 14 ? 12 : 8; }

  void add_header() {
    const double room = options_.width - 2 * edge;
    const std::string title = all_.program.empty() ? "Timeline" : all_.program;
    picture_.labels.push_back({edge, 26, shortened(title, room, 17, true, measure_), 17, align::left, ink, true});
    std::string what = core::counted(all_.ranks, "rank");
    if (all_.helpers > 0) what += ", " + core::counted(all_.helpers, "helper");
    const time_span& window = options_.window;
    const bool whole = window.end >= all_.end && (window.begin <= 0 || options_.start_left_out);
    what += whole ? fmt::format("; the whole run of {}", time_text(all_.end))
                  : fmt::format("; {} from {} on, of a run of {}", time_text(window.length()),
                                time_text(window.begin, std::max<nanoseconds>(window.length() / 100, 1)),
                                time_text(all_.end));
    picture_.labels.push_back(
        {edge, 48, shortened(what, room, 12, false, measure_), 12, align::left, faint_ink, false});
  }

  void add_row(std::uint32_t index, const box& bar) {
    const timeline_row& row = all_.rows[index];
    const bool is_rank = index < all_.ranks;
    picture_.labels.push_back({bar.x - 12, bar.y + bar.height / 2,
                               shortened(row.name, bar.x - 12 - names_left_, name_size(), true, measure_), name_size(),
                               align::right, is_rank ? mixed(colour_of_rank(index), ink, 0.25) : faint_ink, true});
    picture_.grid.push_back({bar.x, bar.bottom() + 0.5, bar.right(), bar.bottom() + 0.5, 1, grid_gray});
    const std::vector<moment> moments = moments_of(row, index, options_.window);
    narrow_chunks_ = add_bar(row, index, moments, scale_, bar, picture_.rectangles) || narrow_chunks_;
    const box strip{bar.x, bar.bottom() + 1, bar.width, std::min(4.0, form_.gap / 2)};
    legend_.lost = add_lost_strip(row, scale_, strip, picture_.rectangles) || legend_.lost;
    add_chunk_labels(row, index, moments, bar);
    add_wait_labels(row, moments, bar);
    add_tasks(row, index, bar);
  }

  void add_chunk_labels(const timeline_row& row, std::uint32_t index, const std::vector<moment>& moments,
                        const box& bar) {
    for (const moment& at : moments) {
      note(at.doing);
      if (!is_work(at.doing)) continue;
      const box place = box_of(at, scale_, bar);
      if (form_.text == 0 || place.width < form_.text / 2) continue;
      if (at.doing == activity::items) {
        add_label(item_texts(row.items[at.index]), place, 6, form_.text, ink);
        continue;
      }
      const chunk_slice& chunk = row.chunks[at.index];
      const bool one = chunk.first == chunk.last;
      const std::string numbers = one ? std::to_string(chunk.first) : fmt::format("{}-{}", chunk.first, chunk.last);
      const std::string words = fmt::format("{} {}", one ? "chunk" : "chunks", numbers);
      std::vector<std::string> texts{words, numbers};
      if (chunk.owner != index) {
        texts = {fmt::format("{} of rank {}", words, chunk.owner), fmt::format("{} of rank {}", numbers, chunk.owner),
                 fmt::format("{}/{}", numbers, chunk.owner), numbers};
      }
      add_label(texts, place, 6, form_.text, ink_on(colour_of_rank(chunk.owner)));
    }
  }

  void note(activity doing) {
    legend_.computing = legend_.computing || doing == activity::computing;
    legend_.waiting = legend_.waiting || doing == activity::waiting;
    legend_.open_waits = legend_.open_waits || doing == activity::open_wait;
    legend_.own_chunks = legend_.own_chunks || doing == activity::own_chunk;
    legend_.stolen_chunks = legend_.stolen_chunks || doing == activity::stolen_chunk;
    legend_.items = legend_.items || doing == activity::items;
  }

  static std::vector<std::string> item_texts(const item_slice& of) {
    return {fmt::format("{} of rank {}", core::counted(of.items, "item"), of.from),
            fmt::format("{}/{}", of.items, of.from)};
  }

  // Chunks cut a wait into pieces; the widest has the label.
  void add_wait_labels(const timeline_row& row, const std::vector<moment>& moments, const box& bar) {
    if (form_.text == 0) return;
    std::map<std::uint32_t, const moment*> widest;
    for (const moment& at : moments) {
      if (!is_wait(at.doing)) continue;
      const moment*& known = widest[at.index];
      if (known == nullptr || at.length() > known->length()) known = &at;
    }
    for (const auto& [index, at] : widest) {
      const box place = box_of(*at, scale_, bar);
      if (place.width < 3 * form_.text) continue;
      const std::string& name = all_.text(row.waits[index].name);
      const std::string& what = all_.text(row.waits[index].what);
      std::vector<std::string> texts{name};
      if (!what.empty()) texts.insert(texts.begin(), fmt::format("{}: {}", name, what));
      add_label(texts, place, 10, form_.text, at->doing == activity::open_wait ? ink : faint_ink);
    }
  }

  void add_label(const std::vector<std::string>& texts, const box& place, double margin, double size,
                 const colour& fill) {
    std::string text = fitting(texts, place.width - margin, size, measure_);
    if (text.empty()) return;
    picture_.labels.push_back(
        {place.x + place.width / 2, place.y + place.height / 2, std::move(text), size, align::centre, fill, false});
  }

  // A bracket above the bar. Those too narrow for one become a line with their neighbours.
  void add_tasks(const timeline_row& row, std::uint32_t index, const box& bar) {
    const colour stroke = mixed(colour_of_rank(index), ink, 0.45);
    const double y = bar.y - (form_.task_text > 0 ? 8 : 3);
    double line_begin = 0;
    double line_end = -1;  // of the narrow ones that are not drawn yet
    const auto flush = [&] {
      if (line_end >= line_begin) {
        picture_.lines.push_back({line_begin, y, std::max(line_end, line_begin + 1), y, 1.5, stroke});
      }
      line_end = line_begin - 1;
    };
    for (const task_slice& task : row.tasks) {
      if (task.begin >= options_.window.end) break;
      if (!task.touches(options_.window)) continue;
      legend_.tasks = true;
      const double left = std::max(scale_.x(task.begin), bar.x);
      const double right = std::min(scale_.x(task.end), bar.right());
      constexpr double narrowest = 6;
      if (right - left < narrowest || form_.task_text == 0) {
        if (line_end < line_begin || left > line_end + narrowest_slice) {
          flush();
          line_begin = left;
        }
        line_end = std::max(line_end, right);
        continue;
      }
      flush();
      const double foot = bar.y - 2;
      picture_.lines.push_back({left, y, right, y, 1.5, stroke});
      if (task.begin >= options_.window.begin) picture_.lines.push_back({left, y, left, foot, 1.5, stroke});
      if (task.end <= options_.window.end) picture_.lines.push_back({right, y, right, foot, 1.5, stroke});
      add_label(task_texts(task), {left, y - form_.task_text - 3, right - left, form_.task_text}, 2, form_.task_text,
                stroke);
    }
    flush();
  }

  [[nodiscard]] std::vector<std::string> task_texts(const task_slice& task) const {
    const std::string& name = all_.text(task.name);
    const std::string& at = all_.text(task.at);
    const std::string chunks = task.chunks > 0 ? ", " + core::counted(task.chunks, "chunk") : "";
    std::vector<std::string> texts;
    if (!at.empty()) texts.push_back(fmt::format("{} at {}{}", name, at, chunks));
    texts.push_back(name + chunks);
    texts.push_back(name);
    texts.push_back(fmt::format("task {}", task.id));
    return texts;
  }

  void add_messages() {
    std::vector<const message_flow*> seen;
    for (const message_flow& message : all_.messages) {
      const time_span flight{std::min(message.sent, message.received), std::max(message.sent, message.received)};
      const bool inside = flight.begin <= options_.window.end && flight.end >= options_.window.begin;
      if (inside && message.from != message.to && bar_of_row_.contains(message.from) &&
          bar_of_row_.contains(message.to)) {
        seen.push_back(&message);
      }
    }
    // One arrow for 12 pixels: more would hide what is below.
    const auto most = static_cast<std::size_t>(picture_.plot.width / 12);
    const std::size_t stride = seen.empty() ? 1 : (seen.size() + most - 1) / most;
    colour stroke = arrow_ink;
    if (stride > 1) stroke.alpha /= 2;
    for (std::size_t i = 0; i < seen.size(); i += stride) {
      const message_flow& message = *seen[i];
      const box& from = bar_of_row_.at(message.from);
      const box& to = bar_of_row_.at(message.to);
      const bool down = from.y < to.y;
      picture_.arrows.push_back({scale_.x(message.sent), down ? from.bottom() : from.y, scale_.x(message.received),
                                 down ? to.y : to.bottom(), 1, stroke});
    }
    legend_.messages = !seen.empty();
    if (stride > 1) {
      legend_.notes.push_back(
          fmt::format("One of {} messages has an arrow: {} of {}.", stride, picture_.arrows.size(), seen.size()));
    }
  }

  void add_axis() {
    const box& plot = picture_.plot;
    const axis times = time_axis(options_.window, static_cast<int>(plot.width / tick_room));
    const double y = plot.bottom() + 4;
    picture_.lines.push_back({plot.x, y, plot.right(), y, 1, faint_ink});
    for (const axis::tick& tick : times.ticks) {
      const double x = std::floor(scale_.x(tick.at)) + 0.5;  // sharp
      picture_.grid.push_back({x, plot.y, x, plot.bottom(), 1, grid_gray});
      picture_.lines.push_back({x, y, x, y + 5, 1, faint_ink});
      const double half = measure_(tick.text, 11, false) / 2;
      const double middle = std::min(x, options_.width - 4 - half);
      picture_.labels.push_back({middle, y + 14, tick.text, 11, align::centre, faint_ink, false});
    }
    picture_.labels.push_back({plot.right(), y + 31, times.caption, 11, align::right, faint_ink, false});
  }

  void add_notes() {
    if (options_.start_left_out) {
      legend_.notes.push_back(
          fmt::format("The first {}, in which the job starts and no rank does anything, are left out: "
                      "--from 0 shows them.",
                      time_text(options_.window.begin)));
    }
    if (narrow_chunks_) {
      legend_.notes.push_back(fmt::format(
          "Chunks and waits of less than {} are stacked in columns: heights are shares of the time. --zoom auto or --from "
          "and --to show single ones.",
          time_text(static_cast<nanoseconds>(static_cast<double>(options_.window.length()) * narrowest_slice /
                                             picture_.plot.width))));
    }
    if (all_.dropped_events > 0) {
      legend_.notes.push_back(fmt::format("{} were dropped while the program ran: some slices are missing.",
                                          core::counted(all_.dropped_events, "event")));
    }
  }

  const timeline& all_;
  const layout_options& options_;
  const text_measure& measure_;
  const row_form form_;
  picture picture_;
  time_scale scale_;
  double names_left_ = edge;
  std::vector<box> bars_;  // in the order of the picture
  std::map<std::uint32_t, box> bar_of_row_;
  legend_contents legend_;
  bool narrow_chunks_ = false;
};

}  // namespace

std::string fitting(const std::vector<std::string>& texts, double room, double size, const text_measure& measure) {
  for (const std::string& text : texts) {
    if (!text.empty() && measure(text, size, false) <= room) return text;
  }
  return "";
}

std::string shortened(const std::string& text, double room, double size, bool bold, const text_measure& measure) {
  if (measure(text, size, bold) <= room) return text;
  const auto begins = [&](std::size_t length) {  // not in the middle of a character of UTF-8
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
    return text.substr(0, length) + "...";
  };
  std::size_t fits = 0;
  std::size_t too_long = text.size();
  while (too_long - fits > 1) {
    const std::size_t middle = fits + (too_long - fits) / 2;
    (measure(begins(middle), size, bold) <= room ? fits : too_long) = middle;
  }
  return begins(fits);
}

picture lay_out(const timeline& all, const layout_options& options, const text_measure& measure) {
  return layouter(all, options, measure).make();
}

}  // namespace pure::tool
