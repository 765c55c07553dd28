#include "report/charts.h"

#include <duktape.h>
#include <fmt/format.h>

#include <string_view>

#include "brim/error.h"

extern "C" {
#define BRIM_PAGE(name) extern const char brim_report_##name[], brim_report_##name##_end[];
BRIM_PAGE(html)
BRIM_PAGE(css)
BRIM_PAGE(charts)
BRIM_PAGE(page)
#undef BRIM_PAGE
}

namespace brim {

std::string_view pageTemplate() { return {brim_report_html, std::size_t(brim_report_html_end - brim_report_html)}; }
std::string_view pageStyle() { return {brim_report_css, std::size_t(brim_report_css_end - brim_report_css)}; }
std::string_view chartsScript() { return {brim_report_charts, std::size_t(brim_report_charts_end - brim_report_charts)}; }
std::string_view pageScript() { return {brim_report_page, std::size_t(brim_report_page_end - brim_report_page)}; }

struct Charts::Engine {
  duk_context* js = duk_create_heap_default();
  Engine() {
    if (!js) throw std::bad_alloc();
  }
  ~Engine() { duk_destroy_heap(js); }

  [[noreturn]] void fail() const { throw Failure(fmt::format("the plots could not be drawn: {}", duk_safe_to_string(js, -1))); }

  void load(std::string_view script) {
    if (duk_peval_lstring_noresult(js, script.data(), script.size()) != 0) fail();
  }

  // brimCharts.<name>(argument), as a text.
  std::string call(const char* name, const std::string& argument) const {
    duk_get_global_string(js, "brimCharts");
    duk_push_string(js, name);
    duk_push_lstring(js, argument.data(), argument.size());
    if (duk_pcall_prop(js, -3, 1) != 0) fail();
    duk_size_t bytes = 0;
    const char* text = duk_to_lstring(js, -1, &bytes);
    std::string result(text, bytes);
    duk_pop_2(js);
    return result;
  }
};

Charts::Charts() : engine_(std::make_unique<Engine>()) {
  // Nothing is ever late in a picture: timers are accepted and never fire.
  engine_->load("function setTimeout(){return 0} function clearTimeout(){}");
  engine_->load(chartsScript());
}

void Charts::load(const std::string& data) { engine_->call("load", data); }

Charts::~Charts() = default;

std::vector<std::string> Charts::names() const {
  std::vector<std::string> all;
  const std::string lines = engine_->call("names", "");
  for (std::size_t begin = 0; begin < lines.size();) {
    const auto end = std::min(lines.find('\n', begin), lines.size());
    all.push_back(lines.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

std::string Charts::svg(const std::string& name) const { return engine_->call("svg", name); }

}  // namespace brim
