// What a picture consists of, before anything is drawn: rectangles, lines, arrows and labels with their colours, in
// pixels from the upper left corner. trace_layout.hpp makes it, trace_draw.hpp draws it in this order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pure::tool {

struct colour {
  double red = 0;
  double green = 0;
  double blue = 0;
  double alpha = 1;

  friend bool operator==(const colour&, const colour&) = default;
};

constexpr colour white{1, 1, 1};
constexpr colour ink{0.13, 0.13, 0.15};
constexpr colour faint_ink{0.42, 0.42, 0.45};
constexpr colour grid_gray{0.90, 0.90, 0.91};
constexpr colour wait_gray{0.84, 0.84, 0.85};
constexpr colour open_wait_red{0.97, 0.80, 0.78};
constexpr colour lost_red{0.80, 0.10, 0.10};
constexpr colour arrow_ink{0.10, 0.10, 0.12, 0.65};

/// The colour of a rank: ten that are told apart easily, then others all around the circle. None is gray.
colour colour_of_rank(std::uint32_t rank);

/// Between two colours: the first for 0, the second for 1.
colour mixed(const colour& first, const colour& second, double share);

/// Black or white, whichever can be read on this colour.
colour ink_on(const colour& background);

struct box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  [[nodiscard]] double right() const noexcept { return x + width; }
  [[nodiscard]] double bottom() const noexcept { return y + height; }
};

struct rectangle : box {
  colour fill;
  bool outlined = false;  ///< with a darker line inside its edge
};

struct line {
  double x1 = 0;
  double y1 = 0;
  double x2 = 0;
  double y2 = 0;
  double width = 1;
  colour stroke = ink;
};

/// With its head at (x2, y2).
using arrow = line;

enum class align { left, centre, right };

struct label {
  double x = 0;
  double y = 0;  ///< the middle of its height
  std::string text;
  double size = 12;
  align at = align::left;
  colour fill = ink;
  bool bold = false;
};

struct picture {
  int width = 0;
  int height = 0;
  box plot;                ///< where time is; arrows are cut at its edges
  std::vector<line> grid;  ///< below everything
  std::vector<rectangle> rectangles;
  std::vector<line> lines;
  std::vector<arrow> arrows;
  std::vector<label> labels;
  std::vector<rectangle> legend_rectangles;
  std::vector<line> legend_lines;
  std::vector<arrow> legend_arrows;  ///< not cut
};

}  // namespace pure::tool
