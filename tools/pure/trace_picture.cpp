#include "pure/trace_picture.hpp"

#include <cmath>
#include <iterator>

namespace pure::tool {
namespace {

constexpr colour from_rgb(unsigned rgb) {
  return {((rgb >> 16U) & 255U) / 255.0, ((rgb >> 8U) & 255U) / 255.0, (rgb & 255U) / 255.0};
}

constexpr colour distinct[] = {from_rgb(0x4C78A8), from_rgb(0xF58518), from_rgb(0x54A24B), from_rgb(0xE45756),
                               from_rgb(0x9467BD), from_rgb(0x3FAFA8), from_rgb(0xEECA3B), from_rgb(0xF28CB1),
                               from_rgb(0x9D755D), from_rgb(0x2E4A9E)};

// As people see it, 0 to 1.
double brightness(const colour& of) { return 0.299 * of.red + 0.587 * of.green + 0.114 * of.blue; }

}  // namespace

colour colour_of_rank(std::uint32_t rank) {
  if (rank < std::size(distinct)) return distinct[rank];
  // The golden ratio spreads any number of hues evenly; three lightnesses tell neighbours apart.
  const double hue = std::fmod(rank * 0.6180339887, 1.0) * 6;
  const double lightness = 0.42 + 0.12 * (rank % 3);
  const double chroma = (1 - std::abs(2 * lightness - 1)) * 0.62;
  const auto channel = [&](double shift) {
    const double at = std::fmod(hue + shift, 6.0);
    return lightness - chroma / 2 + chroma * std::fmin(1, std::fmax(0, 2 - std::abs(at - 3)));
  };
  return {channel(3), channel(1), channel(5)};
}

colour mixed(const colour& first, const colour& second, double share) {
  const auto between = [share](double a, double b) { return a + (b - a) * share; };
  return {between(first.red, second.red), between(first.green, second.green), between(first.blue, second.blue),
          between(first.alpha, second.alpha)};
}

colour ink_on(const colour& background) { return brightness(background) > 0.62 ? ink : white; }

}  // namespace pure::tool
