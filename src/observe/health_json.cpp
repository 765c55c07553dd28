#include "observe/health_json.h"

#include <nlohmann/json.hpp>

namespace brim {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

// One list of the members for both directions.
template <class T, class F>
void visit(T& s, F f) {
  f("density", s.density), f("density_most", s.density_most), f("energy", s.energy), f("energy_least", s.energy_least);
  f("energy_scale", s.energy_scale), f("energy_rise", s.energy_rise), f("driven", s.driven), f("noise", s.noise);
  f("noise_most", s.noise_most), f("settled", s.settled);
}

}  // namespace

ordered_json toJson(const Health::Sums& sums) {
  ordered_json j;
  visit(sums, [&](const char* name, double value) { j[name] = value; });
  return j;
}

Health::Sums healthFrom(const json& j) {
  Health::Sums sums;
  visit(sums, [&](const char* name, double& value) {
    if (j.contains(name) && j[name].is_number()) value = j[name].get<double>();  // null: it was not finite
  });
  return sums;
}

ordered_json toJson(const std::vector<HealthWarning>& all) {
  ordered_json list = ordered_json::array();
  for (const HealthWarning& w : all)
    list.push_back(
        {{"kind", w.kind}, {"time", w.time}, {"step", w.step}, {"value", w.value}, {"limit", w.limit}, {"text", w.text}});
  return list;
}

std::vector<HealthWarning> healthWarningsFrom(const json& j) {
  std::vector<HealthWarning> all;
  const auto number = [](const json& one, const char* name) {
    return one.contains(name) && one[name].is_number() ? one[name].get<double>() : 0;
  };
  for (const json& one : j)
    all.push_back({one.at("kind").get<std::string>(), number(one, "time"), std::int64_t(number(one, "step")),
                   number(one, "value"), number(one, "limit"), one.at("text").get<std::string>()});
  return all;
}

}  // namespace brim
