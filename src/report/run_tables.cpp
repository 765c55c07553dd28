#include "report/run_tables.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "io/csv.h"
#include "io/file.h"

namespace brim {

namespace fs = std::filesystem;

namespace {

// What the columns mean, by their names.
std::map<std::string, std::string> meaningsOf(const fs::path& table) {
  std::map<std::string, std::string> all;
  const fs::path file = fs::path(table).replace_extension(".columns.json");
  if (!fs::exists(file)) return all;
  const auto told = nlohmann::json::parse(readFile(file.string()), nullptr, false);
  if (!told.is_object() || !told.contains("columns")) return all;
  for (const auto& column : told["columns"])
    if (column.is_object()) all[column.value("name", "")] = column.value("meaning", "");
  return all;
}

void addTable(std::vector<RunColumn>& all, const std::string& folder, const std::string& table, std::size_t points) {
  const fs::path path = fs::path(folder) / table;
  if (!fs::exists(path)) return;
  const NumberTable numbers = readTable(path.string());
  const std::vector<double>* const time = numbers.find("time");
  if (!time) return;
  auto meanings = meaningsOf(path);
  for (std::size_t k = 0; k < numbers.name.size(); ++k) {
    if (numbers.name[k] == "step" || numbers.name[k] == "time") continue;
    RunColumn column{table, numbers.name[k], numbers.unit[k], meanings[numbers.name[k]], {}};
    for (std::size_t row = 0; row < numbers.rows(); ++row)
      if (std::isfinite((*time)[row]) && std::isfinite(numbers.column[k][row]))
        column.series.emplace_back((*time)[row], numbers.column[k][row]);
    if (column.series.empty()) continue;
    column.series = thinned(column.series, points);
    all.push_back(std::move(column));
  }
}

}  // namespace

std::string plainName(std::string name) {
  for (char& c : name)
    if (c == '/' || c == ' ' || c == '\'') c = '_';
  return name.starts_with('.') ? "_" + name : name;
}

std::vector<RunColumn> columnsOfRun(const std::string& folder, std::size_t points, const std::string& which) {
  std::vector<std::string> tables = {"gauges.csv"};
  if (fs::is_directory(folder + "/gauges"))
    for (const auto& entry : fs::directory_iterator(folder + "/gauges"))
      if (entry.path().extension() == ".csv") tables.push_back("gauges/" + entry.path().filename().string());
  std::sort(tables.begin() + 1, tables.end());
  tables.insert(tables.end(), {"bodies.csv", "statistics.csv"});
  std::vector<RunColumn> all;
  for (const std::string& table : tables)
    if (table.starts_with(which)) addTable(all, folder, table, points);
  return all;
}

}  // namespace brim
