// What a validation leaves: the page with curve on curve, scores.csv, scores.md; and the comparison with stored scores.
#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "brim/files.h"
#include "brim/parameter.h"
#include "report/csv.h"
#include "report/execute.h"
#include "report/series.h"
#include "report/validation/curve.h"

namespace brim {

using nlohmann::ordered_json;

namespace {

std::string folderOf(const CasePlan& c, const PlannedRun& run, const std::string& out) {
  return out + "/" + c.what.name + "/" + run.name;
}

std::string effortOf(const CasePlan& c, const PlannedRun& run) {
  for (std::size_t k = 0; k < c.plan.axes.size(); ++k)
    if (c.plan.axes[k].path == "group") return run.at[k];
  return c.plan.request.groups.front().label;
}

ordered_json finite(double x) { return std::isfinite(x) ? ordered_json(rounded(x)) : ordered_json(); }

ordered_json list(const std::vector<double>& values) {
  ordered_json all = ordered_json::array();
  for (const double v : values) all.push_back(rounded(v));
  return all;
}

Curve thinCurve(const Curve& c, std::size_t points) {
  Series s;
  for (std::size_t k = 0; k < c.size(); ++k) s.emplace_back(c.x[k], c.y[k]);
  Curve thin;
  for (const auto& [x, y] : thinned(s, points)) {
    thin.add(x, y);
    if (!c.low.empty()) {
      thin.low.push_back(valueAt(c.x, c.low, x));
      thin.high.push_back(valueAt(c.x, c.high, x));
    }
  }
  return thin;
}

// A word for a column of a table: "rms of P1".
std::string nameOf(const ScoreRule& r) {
  std::string name = r.kind;
  std::replace(name.begin(), name.end(), '_', ' ');
  if (r.kind == "arrival") name += fmt::format(" at {:g}", r.level);
  if (r.kind == "value") name += fmt::format(" at {:g}", r.at);
  if (r.kind == "kept") name += fmt::format(" after {:g} periods", r.periods);
  return name;
}

// Whether the error is a part, shown in percent, or a number of the same unit as x.
bool inPercent(const std::string& kind) { return kind != "arrival" && kind != "peak_time"; }

// One run's scores, with the run's curves for the page.
struct Judged {
  std::vector<Score> scores;
  std::vector<Curve> curves;   // of each rule, moved
  std::vector<double> shifts;  // of each rule
};

Judged judge(const CasePlan& c, const PlannedRun& run, const std::string& out) {
  Judged j;
  for (const CurveRule& rule : c.what.curves) {
    Curve curve = curveOf(rule, run, folderOf(c, run, out));
    const Curve reference = referenceOf(c.what, rule);
    const auto some = scoresOf(rule, curve, reference);
    j.scores.insert(j.scores.end(), some.begin(), some.end());
    j.shifts.push_back(bestShift(rule, curve, reference));
    for (double& x : curve.x) x += j.shifts.back();
    j.curves.push_back(std::move(curve));
  }
  return j;
}

ordered_json runOf(const CasePlan& c, const PlannedRun& run, const std::string& out) {
  const ordered_json summary = flatSummary(summaryOf(folderOf(c, run, out)));
  ordered_json j = {{"name", run.name},
                    {"solver", run.scene.solver.name},
                    {"effort", effortOf(c, run)},
                    {"spacing", run.scene.resolution.spacing}};
  for (const char* key : {"result", "diverged_at", "message", "ruined", "ruined_why", "particles", "wall_s", "steps",
                          "volume_ratio", "flavour", "threads"})
    if (summary.contains(key)) j[key] = summary[key];
  return j;
}

ordered_json curveJson(const CasePlan& c, std::size_t k, const std::vector<Judged>& judged) {
  const CurveRule& rule = c.what.curves[k];
  const Curve reference = thinCurve(referenceOf(c.what, rule), 800);
  ordered_json j = {{"name", c.what.name + "_" + rule.name},
                    {"title", rule.title},
                    {"x_title", rule.x_title},
                    {"y_title", rule.y_title},
                    {"file", rule.reference},
                    {"label", rule.reference_label}};
  j["exact"] = rule.reference_label == "exact";
  if (rule.plot_begin > -1e299) j["begin"] = rule.plot_begin;
  if (rule.plot_end < 1e299) j["end"] = rule.plot_end;
  j["reference"] = {{"x", list(reference.x)}, {"y", list(reference.y)}};
  if (!reference.low.empty()) j["reference"]["low"] = list(reference.low), j["reference"]["high"] = list(reference.high);
  j["runs"] = ordered_json::array();
  for (const Judged& run : judged) {
    const Curve thin = thinCurve(run.curves[k], 600);
    j["runs"].push_back({{"x", list(thin.x)}, {"y", list(thin.y)}, {"shift", rounded(run.shifts[k])}});
  }
  return j;
}

ordered_json caseJson(const CasePlan& c, const std::string& out, const std::vector<Judged>& judged) {
  ordered_json j = {{"name", c.what.name}, {"title", c.what.title}, {"source", c.what.source}, {"about", c.what.about}};
  j["refused"] = ordered_json::array();
  for (const Refusal& r : c.refused) j["refused"].push_back({{"solver", r.solver}, {"reason", r.reason}});
  j["runs"] = ordered_json::array();
  for (const PlannedRun& run : c.plan.runs) j["runs"].push_back(runOf(c, run, out));
  j["curves"] = ordered_json::array();
  j["scores"] = ordered_json::array();
  std::size_t at = 0;
  for (std::size_t k = 0; k < c.what.curves.size(); ++k) {
    j["curves"].push_back(curveJson(c, k, judged));
    for (const ScoreRule& r : c.what.curves[k].scores) {
      ordered_json row = {
          {"curve", c.what.curves[k].name}, {"title", c.what.curves[k].title}, {"kind", r.kind}, {"name", nameOf(r)},
          {"percent", inPercent(r.kind)},   {"tolerance", r.tolerance},        {"why", r.why}};
      row["results"] = ordered_json::array();
      for (const Judged& run : judged) {
        const Score& s = run.scores[at];
        row["expected"] = finite(s.expected);
        row["results"].push_back({{"value", finite(s.value)}, {"error", finite(s.error)}, {"good", s.good}});
      }
      j["scores"].push_back(row);
      ++at;
    }
  }
  return j;
}

// Three digits, without an exponent where five places do.
std::string shortNumber(double x) {
  return std::abs(x) >= 1000 && std::abs(x) < 1e6 ? fmt::format("{:.0f}", x) : fmt::format("{:.3g}", x);
}

std::string text(double x) { return std::isfinite(x) ? fmt::format("{:.6g}", x) : ""; }

std::string scoresCsv(const std::vector<CasePlan>& cases, const std::string& out,
                      const std::vector<std::vector<Judged>>& judged) {
  std::string csv = "case,effort,solver,spacing,particles,wall_s,result,curve,score,expected,value,error,tolerance,good\n";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const CasePlan& c = cases[i];
    for (std::size_t k = 0; k < c.plan.runs.size(); ++k) {
      const ordered_json run = runOf(c, c.plan.runs[k], out);
      for (const Score& s : judged[i][k].scores)
        csv += fmt::format("{},{},{},{:g},{},{:.3g},{},{},{},{},{},{},{:g},{}\n", c.what.name, run.value("effort", ""),
                           run.value("solver", ""), run.value("spacing", 0.), run.value("particles", 0.), run.value("wall_s", 0.),
                           run.value("result", ""), s.curve, s.kind, text(s.expected), text(s.value), text(s.error), s.tolerance,
                           s.good ? 1 : 0);
    }
    for (const Refusal& r : c.refused)
      csv += fmt::format("{},{},{},,,,refused,,,,,,,\n", c.what.name,
                         c.plan.request.groups.empty() ? "" : c.plan.request.groups.front().label, r.solver);
  }
  return csv;
}

// +3.2 %, +320 %.
std::string percent(double part) {
  return std::abs(part) < 1 ? fmt::format("{:+.2g} %", 100 * part) : fmt::format("{:+.0f} %", 100 * part);
}

std::string cellOf(const Score& s) {
  if (!std::isfinite(s.error)) return "–";
  std::string value;
  if (s.kind == "correlation")
    value = fmt::format("{:.2f}", s.value);
  else if (s.kind == "inside" || s.kind == "kept" || s.kind == "rms")
    value = shortNumber(100 * s.value) + " %";
  else if (s.kind == "arrival" || s.kind == "peak_time")
    value = fmt::format("{:.3g}", s.value);
  else
    value = fmt::format("{} ({})", shortNumber(s.value), percent(s.error));
  return s.good ? value : "**" + value + "**";
}

std::string toleranceOf(const ScoreRule& r) {
  if (r.kind == "correlation") return fmt::format("≥ {:g}", 1 - r.tolerance);
  if (r.kind == "inside") return fmt::format("≥ {:g} %", 100 * (1 - r.tolerance));
  if (r.kind == "rms") return fmt::format("≤ {:g} %", 100 * r.tolerance);
  return inPercent(r.kind) ? fmt::format("± {:g} %", 100 * r.tolerance) : fmt::format("± {:g}", r.tolerance);
}

// A table a case, for documents; bold is what misses its tolerance.
std::string scoresMarkdown(const std::vector<CasePlan>& cases, const std::string& out,
                           const std::vector<std::vector<Judged>>& judged) {
  std::string md;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const CasePlan& c = cases[i];
    md += fmt::format("## {} (`{}`)\n\n", c.what.title, c.what.name);
    std::string head = "| score | reference | tolerance |", line = "|---|---|---|";
    for (const PlannedRun& run : c.plan.runs) head += fmt::format(" {} |", run.label), line += "---|";
    md += head + "\n" + line + "\n";
    std::size_t at = 0;
    for (const CurveRule& rule : c.what.curves)
      for (const ScoreRule& r : rule.scores) {
        const double expected = judged[i].empty() ? r.expected : judged[i].front().scores[at].expected;
        const bool one = r.kind == "rms" || r.kind == "correlation" || r.kind == "inside";
        md += fmt::format("| {}: {} | {} | {} |", rule.title, nameOf(r), one ? "" : fmt::format("{:.4g}", expected),
                          toleranceOf(r));
        for (const Judged& run : judged[i]) md += " " + cellOf(run.scores[at]) + " |";
        md += "\n";
        ++at;
      }
    std::string particles = "| particles | | |", wall = "| wall time [s] | | |", ended = "| result | | |";
    for (const PlannedRun& run : c.plan.runs) {
      const ordered_json j = runOf(c, run, out);
      particles += fmt::format(" {} |", j.value("particles", 0.));
      wall += fmt::format(" {:.3g} |", j.value("wall_s", 0.));
      ended += fmt::format(" {} |", j.value("result", ""));
    }
    md += particles + "\n" + wall + "\n" + ended + "\n\n";
    for (const Refusal& r : c.refused) md += fmt::format("- `{}` refuses: {}\n", r.solver, r.reason);
    md += "\n";
  }
  return md;
}

std::vector<std::vector<Judged>> judgeAll(const std::vector<CasePlan>& cases, const std::string& out) {
  std::vector<std::vector<Judged>> all;
  for (const CasePlan& c : cases) {
    all.emplace_back();
    for (const PlannedRun& run : c.plan.runs) all.back().push_back(judge(c, run, out));
  }
  return all;
}

}  // namespace

std::vector<std::string> writeValidation(const std::vector<CasePlan>& cases, const std::string& out, const std::string& command) {
  const auto judged = judgeAll(cases, out);
  writeFile(out + "/scores.csv", scoresCsv(cases, out, judged));
  writeFile(out + "/scores.md", scoresMarkdown(cases, out, judged));
  ordered_json data = {{"kind", "validate"}, {"title", "Validation"}, {"command", command}};
  // What the plots of all kinds ask for: runs with colours of their own, here a solver each.
  data["solvers"] = ordered_json::array();
  for (const SolverInfo& s : solvers())
    for (const CasePlan& c : cases)
      if (std::any_of(c.plan.runs.begin(), c.plan.runs.end(), [&](const auto& r) { return r.scene.solver.name == s.name; }) ||
          std::any_of(c.refused.begin(), c.refused.end(), [&](const Refusal& r) { return r.solver == s.name; })) {
        data["solvers"].push_back(s.name);
        break;
      }
  data["cases"] = ordered_json::array();
  for (std::size_t i = 0; i < cases.size(); ++i) data["cases"].push_back(caseJson(cases[i], out, judged[i]));
  const auto names = writePlots(data, out);
  writePage(data, out);
  return names;
}

std::vector<std::string> worseThanStored(const std::vector<CasePlan>& cases, const std::string& out, const std::string& file) {
  struct Stored {
    std::string error;  // "" where there was none
    double noise;
  };
  std::map<std::string, Stored> stored;
  std::set<std::string> ran, names;
  for (const CasePlan& c : cases) names.insert(c.what.name);
  const Csv csv = readCsv(file);
  const std::vector<std::string> columns = {"case", "solver", "curve", "score", "error", "noise"};
  std::vector<std::size_t> at;
  for (const auto& name : columns) {
    if (csv.column(name) < 0) throw Failure(fmt::format("{} has no column \"{}\"", file, name));
    at.push_back(std::size_t(csv.column(name)));
  }
  std::set<std::string> solversThatRan;
  for (const CasePlan& c : cases) {
    for (const PlannedRun& run : c.plan.runs) solversThatRan.insert(c.what.name + " " + run.scene.solver.name);
    for (const Refusal& r : c.refused) solversThatRan.insert(c.what.name + " " + r.solver);
  }
  for (const auto& row : csv.rows) {
    if (row.size() < csv.header.size()) throw Failure(fmt::format("{} has a row of {} cells", file, row.size()));
    const std::string who = row[at[0]] + " " + row[at[1]];
    if (solversThatRan.count(who))
      stored[who + ": " + row[at[2]] + ", " + row[at[3]]] = {row[at[4]], number(row[at[5]]).value_or(0)};
  }
  std::vector<std::string> complaints;
  const auto judged = judgeAll(cases, out);
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (std::size_t k = 0; k < cases[i].plan.runs.size(); ++k) {
      std::map<std::string, int> times;
      for (const Score& s : judged[i][k].scores) {
        std::string key =
            fmt::format("{} {}: {}, {}", cases[i].what.name, cases[i].plan.runs[k].scene.solver.name, s.curve, s.kind);
        if (const int n = ++times[key]; n > 1) key += fmt::format(" {}", n);
        ran.insert(key);
        const auto before = stored.find(key);
        if (before == stored.end()) {
          complaints.push_back(fmt::format("{}: error {}, not stored", key, text(s.error)));
          continue;
        }
        const auto was = number(before->second.error);
        if (!was) continue;  // nothing is worse than nothing
        if (!std::isfinite(s.error))
          complaints.push_back(fmt::format("{}: no value; the stored error is {:g}", key, *was));
        else if (std::abs(s.error) > std::abs(*was) + before->second.noise)
          complaints.push_back(fmt::format("{}: error {:.4g}; the stored one is {:.4g} with a noise of {:.2g}", key, s.error,
                                           *was, before->second.noise));
      }
    }
  for (const auto& [key, value] : stored)
    if (!ran.count(key)) complaints.push_back(fmt::format("{}: stored, and not there any more", key));
  return complaints;
}

}  // namespace brim
