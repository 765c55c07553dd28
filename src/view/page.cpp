#include "view/page.h"

// Made by the assembler from what esbuild bundled; see cmake/view.cmake.
extern "C" {
extern const char brim_view_html[], brim_view_html_end[];
extern const char brim_view_js[], brim_view_js_end[];
extern const char brim_view_css[], brim_view_css_end[];
}

namespace brim::view {

const Asset* findAsset(std::string_view path) {
  const auto content = [](const char* from, const char* to) { return std::string_view(from, std::size_t(to - from)); };
  static const Asset all[] = {
      {"/", "text/html; charset=utf-8", content(brim_view_html, brim_view_html_end)},
      {"/view.js", "text/javascript; charset=utf-8", content(brim_view_js, brim_view_js_end)},
      {"/view.css", "text/css; charset=utf-8", content(brim_view_css, brim_view_css_end)},
  };
  for (const Asset& asset : all)
    if (asset.path == path) return &asset;
  return nullptr;
}

}  // namespace brim::view
