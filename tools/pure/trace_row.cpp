#include "pure/trace_row.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace pure::tool {
namespace {

// ---- moments -----------------------------------------------------------------------------------------------------

std::vector<moment> slices_in(const timeline_row& row, std::uint32_t row_index, time_span window) {
  std::vector<moment> slices;
  const auto add = [&](const auto& all, auto doing) {
    for (std::uint32_t i = 0; i < all.size() && all[i].begin < window.end; ++i) {
      if (all[i].touches(window)) slices.push_back({all[i], doing(all[i]), i, false});
    }
  };
  add(row.mains, [](const time_span&) { return activity::computing; });
  add(row.waits, [](const wait_slice& wait) { return wait.open ? activity::open_wait : activity::waiting; });
  add(row.chunks, [&](const chunk_slice& chunk) {
    return chunk.owner == row_index ? activity::own_chunk : activity::stolen_chunk;
  });
  add(row.items, [](const item_slice&) { return activity::items; });
  // Of slices with the same times, the later kind lies inside.
  std::stable_sort(slices.begin(), slices.end(), [](const moment& a, const moment& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  return slices;
}

int depth_of(activity doing) { return is_wait(doing) ? 1 : is_work(doing) ? 2 : 0; }

// ---- columns -----------------------------------------------------------------------------------------------------

// How often the thread did what, within two pixels.
struct column {
  std::map<std::uint32_t, double> chunks;  // pixels, by owner
  double items = 0;
  double computing = 0;
  double waiting = 0;
  double wide = 0;  // taken by rectangles of their own
};

class columns {
 public:
  columns(const time_scale& scale, std::uint32_t rank)
      : left_(scale.left), rank_(rank), all_(static_cast<std::size_t>(std::ceil(scale.width / column_width))) {}

  // Calls action(column, pixels) for each column between two places.
  template <class Action>
  void between(double from, double to, Action action) {
    auto index = static_cast<std::size_t>(std::max(0.0, (from - left_) / column_width));
    for (; index < all_.size(); ++index) {
      const double begin = left_ + static_cast<double>(index) * column_width;
      const double pixels = std::min(to, begin + column_width) - std::max(from, begin);
      if (pixels <= 0) return;
      action(all_[index], pixels);
    }
  }

  // Equal neighbours become one rectangle.
  void draw(const box& bar, std::vector<rectangle>& rectangles) const {
    std::vector<rectangle> open;  // of the column before
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const double x = left_ + static_cast<double>(i) * column_width;
      std::vector<rectangle> stack = stack_of(all_[i], {x, bar.y, std::min(column_width, bar.right() - x), bar.height});
      const bool same = std::equal(stack.begin(), stack.end(), open.begin(), open.end(), [](auto& a, auto& b) {
        return a.y == b.y && a.height == b.height && a.fill == b.fill;
      });
      if (same) {
        for (rectangle& part : open) part.width += column_width;
      } else {
        rectangles.insert(rectangles.end(), open.begin(), open.end());
        open = std::move(stack);
      }
    }
    rectangles.insert(rectangles.end(), open.begin(), open.end());
  }

 private:
  // From the bottom: own chunks, stolen ones, computing, waiting.
  [[nodiscard]] std::vector<rectangle> stack_of(const column& of, const box& place) const {
    std::vector<rectangle> stack;
    const double all = column_width - of.wide;
    if (all <= 0) return stack;
    double share = 0;
    double bottom = place.bottom();
    const auto pile = [&](double pixels, const colour& fill) {
      share += pixels / all;
      const double top = std::max(place.y, std::round(place.bottom() - share * place.height));
      if (top < bottom) stack.push_back({{place.x, top, place.width, bottom - top}, fill, false});
      bottom = std::min(bottom, top);
    };
    if (const auto own = of.chunks.find(rank_); own != of.chunks.end()) {
      pile(own->second, colour_of(activity::own_chunk, rank_, rank_));
    }
    for (const auto& [owner, pixels] : of.chunks) {
      if (owner != rank_) pile(pixels, colour_of(activity::stolen_chunk, rank_, owner));
    }
    pile(of.items, colour_of(activity::items, rank_, rank_));
    pile(of.computing, colour_of(activity::computing, rank_, rank_));
    pile(of.waiting, colour_of(activity::waiting, rank_, rank_));
    return stack;
  }

  double left_;
  std::uint32_t rank_;
  std::vector<column> all_;
};

}  // namespace

std::vector<moment> moments_of(const timeline_row& row, std::uint32_t row_index, time_span window) {
  std::vector<moment> result;
  std::vector<moment> open;  // the slices around the present one, the innermost last
  nanoseconds now = window.begin;
  const auto go_on_until = [&](nanoseconds time) {
    time = std::min(time, window.end);
    if (open.empty() || time <= now) {
      now = std::max(now, time);
      return;
    }
    const moment& inner = open.back();
    const bool in_wait = depth_of(inner.doing) == 2 && open.size() > 1 && open[open.size() - 2].end > now &&
                         is_wait(open[open.size() - 2].doing);
    if (!result.empty() && result.back().end == now && result.back().doing == inner.doing &&
        result.back().index == inner.index) {
      result.back().end = time;
    } else {
      result.push_back({{now, time}, inner.doing, inner.index, in_wait});
    }
    now = time;
  };
  const auto close_until = [&](nanoseconds time) {
    while (!open.empty() && open.back().end <= time) {
      go_on_until(open.back().end);
      open.pop_back();
    }
  };
  for (const moment& slice : slices_in(row, row_index, window)) {
    close_until(slice.begin);
    go_on_until(slice.begin);
    // A chunk hides a wait, even one that begins later.
    const auto above = std::find_if(open.begin(), open.end(),
                                    [&](const moment& each) { return depth_of(each.doing) > depth_of(slice.doing); });
    open.insert(above, slice);
  }
  close_until(INT64_MAX);
  return result;
}

colour colour_of(activity doing, std::uint32_t rank, std::uint32_t owner) {
  switch (doing) {
    case activity::computing: return mixed(white, colour_of_rank(rank), 0.2);
    case activity::waiting: return wait_gray;
    case activity::open_wait: return open_wait_red;
    case activity::items: return mixed(white, colour_of_rank(rank), 0.55);
    case activity::own_chunk:
    case activity::stolen_chunk: return colour_of_rank(owner);
    case activity::nothing: break;
  }
  return white;
}

box box_of(const moment& at, const time_scale& scale, const box& bar) {
  const double inset = at.in_wait && bar.height >= 14 ? 3 : 0;
  const double x = scale.x(at.begin);
  return {x, bar.y + inset, scale.x(at.end) - x, bar.height - 2 * inset};
}

bool add_bar(const timeline_row& row, std::uint32_t row_index, const std::vector<moment>& moments,
             const time_scale& scale, const box& bar, std::vector<rectangle>& rectangles) {
  columns narrow(scale, row_index);
  bool any_narrow = false;
  bool any_narrow_chunk = false;
  const auto owner_of = [&](const moment& at) { return is_chunk(at.doing) ? row.chunks[at.index].owner : row_index; };
  const auto is_wide = [&](const moment& at) { return scale.x(at.end) - scale.x(at.begin) >= narrowest_slice; };
  for (const moment& at : moments) {
    const bool wide = is_wide(at);
    any_narrow = any_narrow || !wide;
    narrow.between(scale.x(at.begin), scale.x(at.end), [&](column& in, double pixels) {
      if (wide) {
        in.wide += pixels;
      } else if (at.doing == activity::computing) {
        in.computing += pixels;
      } else if (is_wait(at.doing)) {
        in.waiting += pixels;
      } else if (at.doing == activity::items) {
        in.items += pixels;
        any_narrow_chunk = true;
      } else {
        in.chunks[owner_of(at)] += pixels;
        any_narrow_chunk = true;
      }
    });
  }
  if (any_narrow) narrow.draw(bar, rectangles);
  for (const moment& at : moments) {
    if (!is_wide(at)) continue;
    const box place = box_of(at, scale, bar);
    if (place.height < bar.height) {
      rectangles.push_back({{place.x, bar.y, place.width, bar.height}, wait_gray, false});
    }
    rectangles.push_back({place, colour_of(at.doing, row_index, owner_of(at)), is_work(at.doing) && place.width >= 5});
  }
  return any_narrow_chunk;
}

colour colour_of_lost(double share) {
  constexpr double steps = 8;  // so that equal neighbours are one rectangle
  return mixed(white, lost_red, std::ceil(std::min(share, 1.0) * steps) / steps);
}

bool add_lost_strip(const timeline_row& row, const time_scale& scale, const box& strip,
                    std::vector<rectangle>& rectangles) {
  std::vector<double> lost(static_cast<std::size_t>(std::ceil(strip.width / column_width)));  // pixels, by column
  for (const lost_slice& each : row.lost) {
    if (!each.touches(scale.window)) continue;
    const double from = std::max(strip.x, scale.x(each.begin));
    const double to = std::min(strip.right(), scale.x(each.end));
    for (auto at = static_cast<std::size_t>((from - strip.x) / column_width); at < lost.size(); ++at) {
      const double begin = strip.x + static_cast<double>(at) * column_width;
      const double pixels = std::min(to, begin + column_width) - std::max(from, begin);
      if (pixels <= 0) break;
      lost[at] += each.share * pixels;
    }
  }
  const std::size_t before = rectangles.size();
  for (std::size_t at = 0; at < lost.size(); ++at) {
    constexpr double least = 0.01;
    if (lost[at] < least * column_width) continue;
    const double x = strip.x + static_cast<double>(at) * column_width;
    const colour fill = colour_of_lost(lost[at] / column_width);
    const bool goes_on = rectangles.size() > before && rectangles.back().right() >= x && rectangles.back().fill == fill;
    if (goes_on) {
      rectangles.back().width += column_width;
    } else {
      rectangles.push_back({{x, strip.y, std::min(column_width, strip.right() - x), strip.height}, fill, false});
    }
  }
  return rectangles.size() > before;
}

}  // namespace pure::tool
