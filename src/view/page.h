// The page, as the build bundled it into the library.
#pragma once
#include <string_view>

namespace brim::view {

struct Asset {
  std::string_view path, type, content;
};

/// The asset served at this path; null if there is none.
const Asset* findAsset(std::string_view path);

}  // namespace brim::view
