#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/file.h"
#include "report/charts.h"
#include "report/execute.h"
#include "report/plan.h"
#include "report/profile.h"
#include "report/run_tables.h"
#include "report/series.h"
#include "report/strips.h"

namespace brim {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

std::string base64(const std::string& bytes) {
  static const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve(bytes.size() / 3 * 4 + 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned word = 0;
    for (std::size_t k = 0; k < 3; ++k) word = word << 8 | (i + k < bytes.size() ? std::uint8_t(bytes[i + k]) : 0u);
    for (int k = 0; k < 4; ++k) text += i + std::size_t(k) <= bytes.size() ? digits[word >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

}  // namespace

double rounded(double x) {
  if (x == 0 || !std::isfinite(x)) return 0;
  const double power = std::pow(10, 4 - std::floor(std::log10(std::abs(x))));
  return std::isfinite(power) && power > 0 ? std::round(x * power) / power : x;
}

namespace {

ordered_json seriesOf(const PlannedRun& run, const std::string& folder, std::size_t points) {
  ordered_json all = ordered_json::object();
  auto every = readSeries(folder + "/statistics.csv", points);
  every["density_by_height"] = densityByHeight(run, folder);
  for (const auto& [name, series] : every) {
    ordered_json t = ordered_json::array(), v = ordered_json::array();
    for (const auto& [time, value] : series) {
      t.push_back(rounded(time));
      v.push_back(rounded(value));
    }
    all[name] = {{"t", t}, {"v", v}};
  }
  return all;
}

// What gauges read and what pushes bodies: series of this run, and what is new of it to the page's list of plots.
void addMeasured(const std::string& folder, std::size_t points, ordered_json& series, ordered_json& columns) {
  std::vector<RunColumn> measured = columnsOfRun(folder, points, "gauges");
  for (RunColumn& c : columnsOfRun(folder, points, "bodies"))
    if (c.unit == "N" || c.unit == "N m") measured.push_back(std::move(c));
  for (const RunColumn& c : measured) {
    ordered_json t = ordered_json::array(), v = ordered_json::array();
    for (const auto& [time, value] : c.series) t.push_back(rounded(time)), v.push_back(rounded(value));
    const std::string key = "measured." + plainName(c.name);
    series[key] = {{"t", t}, {"v", v}};
    if (std::none_of(columns.begin(), columns.end(), [&](const ordered_json& one) { return one["key"] == key; }))
      columns.push_back({{"key", key}, {"title", c.name}, {"unit", c.unit}, {"scale", 1}, {"series", true}, {"note", c.meaning}});
  }
}

}  // namespace

ordered_json flatSummary(const ordered_json& summary) {
  ordered_json row;
  const bool diverged = summary.contains("diverged");
  row["result"] = diverged ? "diverged" : summary.value("finished", false) ? "finished" : "unfinished";
  row["diverged_at"] = diverged ? ordered_json(summary["diverged"]["time"]) : ordered_json();
  row["message"] = diverged ? ordered_json(summary["diverged"]["message"]) : ordered_json();
  if (!summary.is_object()) return row;
  // Kinds of the health warnings, and what they say.
  std::string kinds, texts;
  if (summary.contains("health"))
    for (const ordered_json& one : summary["health"]["ruined"]) {
      kinds += (kinds.empty() ? "" : ", ") + one.value("kind", "");
      texts += (texts.empty() ? "" : "; ") + one.value("text", "");
    }
  row["ruined"] = kinds, row["ruined_why"] = texts;
  row["time_reached"] = diverged ? summary["diverged"]["time"] : summary["time"];
  const double pace = summary.value("simulated_per_wall", 0.);
  row["ms_per_simulated_second"] = pace > 0 ? ordered_json(1000 / pace) : ordered_json();
  row["total_energy"] = summary.value("kinetic_energy", 0.) + summary.value("potential_energy", 0.);
  for (const auto& [key, value] : summary.items()) {
    if (key == "diverged" || key == "warnings" || key == "title" || key == "finished" || key == "health") continue;
    if (value.is_primitive()) row[key] = value;
    if (value.is_object())
      for (const auto& [stage, ms] : value.items()) row["ms_" + stage] = ms;
  }
  return row;
}

namespace {

std::string csvCell(const ordered_json& value) {
  if (value.is_null()) return "";
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  for (std::size_t k = 0; (k = text.find('"', k)) != text.npos; k += 2) text.insert(k, 1, '"');
  return '"' + text + '"';
}

ordered_json dataOf(const Plan& plan, const std::string& out) {
  const Request& r = plan.request;
  const Scene& scene = plan.runs.front().scene;
  ordered_json data;
  data["kind"] = r.kind;
  data["title"] = r.title.empty() ? scene.title : r.title;
  data["scene"] = {{"file", r.scene}, {"title", scene.title}, {"dimension", scene.dimension}, {"until", scene.time.until}};
  data["question"] = r.question;
  data["finding"] = r.finding;
  data["main"] = r.main;
  data["over"] = r.over;
  data["command"] = r.command;
  data["notes"] = plan.notes;
  const auto listed = [](std::initializer_list<const std::vector<Setting>*> all) {
    ordered_json list = ordered_json::array();
    for (const auto* settings : all)
      for (const Setting& s : *settings) list.push_back(s.path + " = " + plainText(s.value));
    return list;
  };
  data["set"] = listed({&r.set, &r.overrides});
  data["groups"] = ordered_json::array();
  for (const Group& g : r.groups)
    if (!g.set.empty()) data["groups"].push_back({{"label", g.label}, {"set", listed({&g.set})}});
  for (const Axis& a : plan.axes) data["axes"].push_back({{"path", a.path}, {"unit", a.unit}, {"values", a.values}});
  if (plan.axes.empty()) data["axes"] = ordered_json::array();
  const std::size_t points = plan.runs.size() > 12 ? 300 : 1000;
  ordered_json columns = ordered_json::array();
  for (const PlannedRun& run : plan.runs) {
    const std::string folder = out + "/" + run.name;
    ordered_json series = seriesOf(run, folder, points);
    addMeasured(folder, points, series, columns);
    data["runs"].push_back({{"name", run.name},
                            {"label", run.label},
                            {"solver", run.scene.solver.name},
                            {"at", run.at},
                            {"summary", flatSummary(summaryOf(folder))},
                            {"series", series}});
  }
  data["columns"] = columns;
  return data;
}

std::string asText(const ordered_json& j) { return j.dump(-1, ' ', false, ordered_json::error_handler_t::replace); }

void put(std::string& page, const std::string& where, std::string_view what) {
  const auto at = page.find(where);
  if (at == std::string::npos) throw Failure(fmt::format("the page has no place for {}", where));
  page.replace(at, where.size(), what);
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

}  // namespace

std::string reportCsv(const Plan& plan, const std::string& out) {
  std::vector<ordered_json> rows;
  std::vector<std::string> columns;
  for (const PlannedRun& run : plan.runs) {
    ordered_json row = {{"run", run.name}, {"solver", run.scene.solver.name}};
    for (std::size_t k = 0; k < plan.axes.size(); ++k)
      if (plan.axes[k].path != "solver.name") row[plan.axes[k].path] = run.at[k];
    const ordered_json summary = flatSummary(summaryOf(out + "/" + run.name));
    for (const auto& [key, value] : summary.items())
      if (!row.contains(key)) row[key] = value;
    for (const auto& [key, value] : row.items())
      if (std::find(columns.begin(), columns.end(), key) == columns.end()) columns.push_back(key);
    rows.push_back(std::move(row));
  }
  std::string text;
  for (const auto& c : columns) text += (text.empty() ? "" : ",") + csvCell(c);
  text += '\n';
  for (const auto& row : rows) {
    std::string line;
    for (const auto& c : columns) line += (&c == &columns.front() ? "" : ",") + (row.contains(c) ? csvCell(row[c]) : "");
    text += line + '\n';
  }
  return text;
}

std::vector<std::string> writePlots(const ordered_json& data, const std::string& out) {
  const Charts charts(asText(data));
  const auto names = charts.names();
  // In place of the plots of the report before; files of other names stay.
  const std::string folder = out + "/plots", list = folder + "/.brim";
  claimFolder(folder);
  std::istringstream lines(readFile(list));
  for (std::string name; std::getline(lines, name);)
    if (name.find('/') == name.npos) fs::remove(folder + "/" + name + ".svg");
  std::string written;
  for (const auto& name : names) written += name + "\n";
  writeFile(list, written);
  for (const auto& name : names) writeFile(folder + "/" + name + ".svg", charts.svg(name));
  return names;
}

void writePage(const ordered_json& data, const std::string& out) {
  std::string page(pageTemplate()), json = asText(data);
  // Within a script element "</script" and "<!--" have meanings of their own; in JSON, "<" stands only in strings.
  for (std::size_t k = 0; (k = json.find('<', k)) != json.npos; k += 6) json.replace(k, 1, "\\u003c");
  // From the end, so that nothing is looked for in what was put in.
  put(page, "{{page}}", pageScript());
  put(page, "{{charts}}", chartsScript());
  put(page, "{{data}}", json);
  put(page, "{{style}}", pageStyle());
  put(page, "{{title}}", escaped(data["title"].get<std::string>()));
  writeFile(out + "/report.html", page);
}

std::vector<std::string> writeReport(const Plan& plan, const std::string& out) {
  writeFile(out + "/report.csv", reportCsv(plan, out));
  ordered_json data = dataOf(plan, out);
  const auto names = writePlots(data, out);
  const auto pictures = strips(plan, out);
  for (std::size_t k = 0; k < pictures.size(); ++k)
    if (!pictures[k].empty()) data["runs"][k]["strip"] = "data:image/png;base64," + base64(pictures[k]);
  writePage(data, out);
  return names;
}

}  // namespace brim
