// Pictures as PNG files.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace brim {

/// Rows from the top, three bytes a pixel.
struct Image {
  int width = 0, height = 0;      // [px]
  std::vector<std::uint8_t> rgb;  // sRGB
  Image() = default;
  Image(int width, int height) : width(width), height(height), rgb(std::size_t(width) * height * 3, 255) {}
  std::uint8_t* at(int x, int y) { return rgb.data() + (std::size_t(y) * width + x) * 3; }
  const std::uint8_t* at(int x, int y) const { return rgb.data() + (std::size_t(y) * width + x) * 3; }
};

void writePng(const std::string& path, const Image&);
Image readPng(const std::string& path);

}  // namespace brim
