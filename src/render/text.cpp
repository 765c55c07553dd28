#include "render/text.h"

#include <algorithm>
#include <cmath>

namespace brim {

namespace {

struct Glyph {
  char letter;
  int width;            // in grid units
  const char* strokes;  // polylines, a point two digits: x, y; the baseline is y = 2, digits are 6 high
};

constexpr Glyph glyphs[] = {
    {'0', 4, "123243473818070312"},
    {'1', 4, "072822"},
    {'2', 4, "07183847460242"},
    {'3', 4, "0718384746354443321203 1535"},
    {'4', 4, "32380444"},
    {'5', 4, "480805354443321203"},
    {'6', 4, "4738180703123243443505"},
    {'7', 4, "084812"},
    {'8', 4, "15060718384746351504031232434435"},
    {'9', 4, "0312324347381807061545"},
    {'.', 0, "0202"},
    {'-', 3, "0535"},
    {'+', 4, "0545 2327"},
    {'=', 4, "0444 0646"},
    {'/', 3, "0138"},
    {'(', 2, "28161422"},
    {')', 2, "08161402"},
    {'s', 4, "4616051434433202"},
    {'t', 3, "18132232 0636"},
    {'p', 4, "0600 0516364543321203"},
    {'e', 4, "044445361605031242"},
    {'d', 4, "4842 4536160503123243"},
    {'m', 4, "0206 05162522 25364542"},
    {'n', 4, "0206 0516364542"},
    {'o', 4, "123243453616050312"},
    {'x', 4, "0246 0642"},
    {'a', 4, "4642 4536160503123243"},
    {'b', 4, "0802 0516364543321203"},
    {'c', 4, "4536160503123243"},
    {'f', 3, "38281712 0636"},
    {'g', 4, "4536160503123243 46413010"},
    {'h', 4, "0802 0516364542"},
    {'i', 0, "0602 0808"},
    {'j', 1, "161100 1818"},
    {'k', 4, "0802 4604 2542"},
    {'l', 0, "0802"},
    {'q', 4, "4640 4536160503123243"},
    {'r', 3, "0602 041636"},
    {'u', 4, "0603123243 4642"},
    {'v', 4, "062246"},
    {'w', 4, "0612253246"},
    {'y', 4, "0622 4610"},
    {'z', 4, "06460242"},
    {',', 1, "1201"},
    {':', 0, "0303 0606"},
    {' ', 2, ""},
};

constexpr Glyph box = {'?', 4, "0242480802"};

const Glyph& glyphOf(char letter) {
  for (const auto& g : glyphs)
    if (g.letter == letter) return g;
  return box;
}

double distanceToSegment(double x, double y, double ax, double ay, double bx, double by) {
  const double dx = bx - ax, dy = by - ay, l2 = dx * dx + dy * dy;
  const double s = l2 > 0 ? std::clamp(((x - ax) * dx + (y - ay) * dy) / l2, 0., 1.) : 0;
  return std::hypot(x - ax - s * dx, y - ay - s * dy);
}

void drawStroke(Image& image, double ax, double ay, double bx, double by, double thickness, const Colour& colour) {
  const double r = thickness / 2 + 1;
  const int x0 = std::max(0, int(std::min(ax, bx) - r)), x1 = std::min(image.width - 1, int(std::max(ax, bx) + r));
  const int y0 = std::max(0, int(std::min(ay, by) - r)), y1 = std::min(image.height - 1, int(std::max(ay, by) + r));
  for (int y = y0; y <= y1; ++y)
    for (int x = x0; x <= x1; ++x) {
      const double d = distanceToSegment(x + 0.5, y + 0.5, ax, ay, bx, by);
      const double cover = std::clamp(thickness / 2 + 0.5 - d, 0., 1.);
      auto* pixel = image.at(x, y);
      // The darker of both: strokes that meet must not add up to a blot.
      for (int c = 0; c < 3; ++c)
        pixel[c] = std::uint8_t(std::min<double>(pixel[c], std::lround(255 * (1 - cover * (1 - double(colour[c]))))));
    }
}

}  // namespace

void drawText(Image& image, std::string_view text, double x, double y, double size, const Colour& colour) {
  const double unit = size / 6, thickness = std::max(1.1, 0.13 * size);
  for (char letter : text) {
    const Glyph& g = glyphOf(letter);
    const std::string_view strokes = g.strokes;
    for (std::size_t k = 0; k + 1 < strokes.size(); k += 2) {
      if (strokes[k] == ' ') {
        --k;
        continue;
      }
      if (k + 3 >= strokes.size() || strokes[k + 2] == ' ') continue;
      const auto at = [&](std::size_t i) { return strokes[i] - '0'; };
      drawStroke(image, x + unit * at(k), y - unit * (at(k + 1) - 2), x + unit * at(k + 2), y - unit * (at(k + 3) - 2), thickness,
                 colour);
    }
    x += unit * (g.width + 2);
  }
}

double textWidth(std::string_view text, double size) {
  double units = 0;
  for (char letter : text) units += glyphOf(letter).width + 2;
  return size / 6 * std::max(0., units - 2);
}

}  // namespace brim
