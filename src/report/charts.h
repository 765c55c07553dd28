// The plots of a page as SVG files, drawn by the page's own script (ECharts) in a small JavaScript engine (Duktape).
#pragma once
#include <memory>
#include <string>
#include <vector>

namespace brim {

class Charts {
 public:
  Charts();
  /// `data` is the JSON that the page holds. Throws Failure, with the script's message, where the script fails.
  explicit Charts(const std::string& data) : Charts() { load(data); }
  ~Charts();
  /// Other data from now on.
  void load(const std::string& data);
  std::vector<std::string> names() const;
  std::string svg(const std::string& name) const;

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

/// What the build made of src/report/page.
std::string_view pageTemplate();
std::string_view pageStyle();
std::string_view chartsScript();
std::string_view pageScript();

}  // namespace brim
