// The picture of Figure 1 as a PNG, decoded again: its size, and the colours of some pixels.
#include "pure/trace_draw.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>

#if __has_include(<cairo.h>)
#include <cairo.h>

#include "pure/trace_layout.hpp"
#include "pure/trace_read.hpp"
#include "support/trace_text.hpp"

namespace {

using namespace pure::tool;

class decoded {
 public:
  explicit decoded(const std::string& png) : rest_(png) {
    const auto read = [](void* from, unsigned char* bytes, unsigned length) {
      std::string& rest = *static_cast<std::string*>(from);
      if (rest.size() < length) return CAIRO_STATUS_READ_ERROR;
      std::memcpy(bytes, rest.data(), length);
      rest.erase(0, length);
      return CAIRO_STATUS_SUCCESS;
    };
    image_ = cairo_image_surface_create_from_png_stream(read, &rest_);
  }
  decoded(const decoded&) = delete;
  decoded& operator=(const decoded&) = delete;
  ~decoded() { cairo_surface_destroy(image_); }

  [[nodiscard]] int width() const { return cairo_image_surface_get_width(image_); }
  [[nodiscard]] int height() const { return cairo_image_surface_get_height(image_); }

  [[nodiscard]] unsigned pixel(double x, double y) const {
    const unsigned char* const row = cairo_image_surface_get_data(image_) +
                                     static_cast<std::ptrdiff_t>(cairo_image_surface_get_stride(image_)) *
                                         static_cast<std::ptrdiff_t>(y);
    unsigned argb = 0;
    std::memcpy(&argb, row + 4 * static_cast<std::ptrdiff_t>(x), 4);
    return argb & 0xFFFFFFU;
  }

 private:
  std::string rest_;
  cairo_surface_t* image_;
};

void expect_colour(unsigned pixel, const colour& wanted, const char* where) {
  EXPECT_NEAR(pixel >> 16U, wanted.red * 255, 1) << where;
  EXPECT_NEAR(pixel >> 8U & 255U, wanted.green * 255, 1) << where;
  EXPECT_NEAR(pixel & 255U, wanted.blue * 255, 1) << where;
}

TEST(TraceDraw, Figure1) {
  std::istringstream file(pure::test::figure1().text());
  const timeline all = read_timeline(file);
  for (const int width : {400, 1600}) {
    const picture drawn = lay_out(all, {{0, all.end}, {0, 1, 2}, width}, width_of_text);
    const decoded image(draw_png(drawn));
    ASSERT_EQ(image.width(), width);
    ASSERT_EQ(image.height(), drawn.height);
    const double pitch = drawn.plot.height / 3;
    const auto at = [&](int row, double time) {  // near the lower edge of the bar, where no text is
      return image.pixel(drawn.plot.x + time / 100 * drawn.plot.width, drawn.plot.y + pitch * (row + 1) - 14 - 6);
    };
    expect_colour(image.pixel(2, 2), white, "corner");
    expect_colour(at(0, 15), colour_of_rank(0), "own chunk");
    expect_colour(at(1, 20), colour_of_rank(0), "stolen chunk");
    expect_colour(at(2, 60), colour_of_rank(0), "stolen chunk");
    expect_colour(at(1, 70), wait_gray, "wait");
    expect_colour(at(0, 60), wait_gray, "wait for the last chunks");
    expect_colour(at(2, 5), mixed(white, colour_of_rank(2), 0.2), "computing");
  }
}

TEST(TraceDraw, TextHasAWidth) {
  EXPECT_EQ(width_of_text("", 12, false), 0);
  EXPECT_GT(width_of_text("rank 10", 12, false), width_of_text("rank 1", 12, false));
  EXPECT_GT(width_of_text("rank", 24, false), width_of_text("rank", 12, false));
}

TEST(TraceDraw, WhatIsTooLargeIsRefused) {
  picture huge;
  huge.width = 100'000;
  huge.height = 100;
  EXPECT_THROW(draw_png(huge), std::runtime_error);
}

}  // namespace

#else

TEST(TraceDraw, SaysWhatIsMissing) {
  EXPECT_FALSE(pure::tool::can_draw());
  EXPECT_THROW(pure::tool::draw_png({}), std::runtime_error);
}
TEST(TraceDraw, Pictures) { GTEST_SKIP() << "pure is built without cairo"; }

#endif
