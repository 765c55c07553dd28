#include "io/png.h"

#include <fmt/format.h>
#include <png.h>

#include "brim/error.h"
#include "io/file.h"

namespace brim {

void writePng(const std::string& path, const Image& image) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  png.width = png_uint_32(image.width);
  png.height = png_uint_32(image.height);
  png.format = PNG_FORMAT_RGB;
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::string content(bytes, '\0');
  if (!png_image_write_to_memory(&png, content.data(), &bytes, 0, image.rgb.data(), 0, nullptr))
    throw Failure(fmt::format("cannot make the picture {}: {}", path, png.message));
  writeFile(path, std::string_view(content).substr(0, bytes));
}

Image readPng(const std::string& path) {
  const std::string content = readFile(path);
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&png, content.data(), content.size()))
    throw Failure(fmt::format("cannot read the picture {}: {}", path, png.message));
  png.format = PNG_FORMAT_RGB;
  Image image(int(png.width), int(png.height));
  if (!png_image_finish_read(&png, nullptr, image.rgb.data(), 0, nullptr))
    throw Failure(fmt::format("cannot read the picture {}: {}", path, png.message));
  return image;
}

}  // namespace brim
