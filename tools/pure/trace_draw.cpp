#include "pure/trace_draw.hpp"

#include <stdexcept>

#ifdef PURE_HAVE_CAIRO

#include <cairo.h>

#include <cmath>
#include <memory>

#include <fmt/core.h>

namespace pure::tool {
namespace {

struct deleter {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using surface_pointer = std::unique_ptr<cairo_surface_t, deleter>;

void expect(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS) {
    throw std::runtime_error(fmt::format("the picture cannot be drawn: {}", cairo_status_to_string(status)));
  }
}

// An image to draw on.
class canvas {
 public:
  canvas(int width, int height)
      : surface_(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height)),
        context_(cairo_create(surface_.get())) {
    expect(cairo_surface_status(surface_.get()));
    expect(cairo_status(context_.get()));
  }

  void clear() {
    set(white);
    cairo_paint(context_.get());
  }

  void draw(const rectangle& of) {
    cairo_t* const on = context_.get();
    set(of.fill);
    cairo_rectangle(on, of.x, of.y, of.width, of.height);
    cairo_fill(on);
    if (!of.outlined) return;
    set(mixed(of.fill, ink, 0.45));
    cairo_set_line_width(on, 1);
    cairo_rectangle(on, of.x + 0.5, of.y + 0.5, of.width - 1, of.height - 1);
    cairo_stroke(on);
  }

  void draw(const line& of) {
    cairo_t* const on = context_.get();
    set(of.stroke);
    cairo_set_line_width(on, of.width);
    cairo_move_to(on, of.x1, of.y1);
    cairo_line_to(on, of.x2, of.y2);
    cairo_stroke(on);
  }

  void draw_arrow(const arrow& of) {
    draw(of);
    const double angle = std::atan2(of.y2 - of.y1, of.x2 - of.x1);
    constexpr double length = 8;
    constexpr double spread = 0.36;  // radians to each side
    cairo_t* const on = context_.get();
    cairo_move_to(on, of.x2, of.y2);
    for (const double side : {angle - spread, angle + spread}) {
      cairo_line_to(on, of.x2 - length * std::cos(side), of.y2 - length * std::sin(side));
    }
    cairo_close_path(on);
    cairo_fill(on);
  }

  void draw(const label& of) {
    cairo_t* const on = context_.get();
    set_font(of.size, of.bold);
    set(of.fill);
    // The middle of capitals, not of this text's letters: labels of one row stand on one line.
    const double shift = of.at == align::left ? 0 : of.at == align::centre ? 0.5 : 1;
    const double x = shift == 0 ? of.x : of.x - shift * width_of(of.text);
    cairo_move_to(on, std::round(x), std::round(of.y + of.size * 0.36));
    cairo_show_text(on, of.text.c_str());
  }

  double width_of(const std::string& text) {
    cairo_text_extents_t extents;
    cairo_text_extents(context_.get(), text.c_str(), &extents);
    return extents.x_advance;
  }

  void set_font(double size, bool bold) {
    cairo_select_font_face(context_.get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(context_.get(), size);
  }

  void cut_at(const box& place) {
    cairo_rectangle(context_.get(), place.x, place.y, place.width, place.height);
    cairo_clip(context_.get());
  }

  void cut_no_more() { cairo_reset_clip(context_.get()); }

  std::string png() {
    expect(cairo_status(context_.get()));
    std::string file;
    const auto append = [](void* to, const unsigned char* bytes, unsigned length) {
      static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), length);
      return CAIRO_STATUS_SUCCESS;
    };
    expect(cairo_surface_write_to_png_stream(surface_.get(), append, &file));
    return file;
  }

 private:
  void set(const colour& to) { cairo_set_source_rgba(context_.get(), to.red, to.green, to.blue, to.alpha); }

  surface_pointer surface_;
  std::unique_ptr<cairo_t, deleter> context_;
};

}  // namespace

bool can_draw() noexcept { return true; }

double width_of_text(std::string_view text, double size, bool bold) {
  static canvas scratch(1, 1);
  scratch.set_font(size, bold);
  return scratch.width_of(std::string(text));
}

std::string draw_png(const picture& all) {
  canvas on(all.width, all.height);
  on.clear();
  for (const line& each : all.grid) on.draw(each);
  for (const rectangle& each : all.rectangles) on.draw(each);
  for (const line& each : all.lines) on.draw(each);
  on.cut_at(all.plot);
  for (const arrow& each : all.arrows) on.draw_arrow(each);
  on.cut_no_more();
  for (const rectangle& each : all.legend_rectangles) on.draw(each);
  for (const line& each : all.legend_lines) on.draw(each);
  for (const arrow& each : all.legend_arrows) on.draw_arrow(each);
  for (const label& each : all.labels) on.draw(each);
  return on.png();
}

}  // namespace pure::tool

#else  // without cairo

namespace pure::tool {
namespace {

[[noreturn]] void refuse() {
  throw std::runtime_error(
      "this Pure was built without cairo and draws no pictures: install libcairo2-dev and pkg-config, and build it again");
}

}  // namespace

bool can_draw() noexcept { return false; }
double width_of_text(std::string_view /*text*/, double /*size*/, bool /*bold*/) { refuse(); }
std::string draw_png(const picture& /*all*/) { refuse(); }

}  // namespace pure::tool

#endif
