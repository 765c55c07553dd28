// What a run did over time, small enough for a page.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace brim {

using Series = std::vector<std::pair<double, double>>;  // time [s], value

/// The columns of a statistics.csv that are plotted, and those made from them: total_energy, and cost, the milliseconds of
/// wall time per simulated second. Each has about `points` points; where there were more, the smallest and the largest of each
/// stretch of time are kept. dt leaves out steps that were cut short to end on a frame;
/// volume_ratio begins with the 1 that it refers to.
std::map<std::string, Series> readSeries(const std::string& file, std::size_t points);

/// The smallest and the largest value of each of points / 2 stretches of equal time.
Series thinned(const Series&, std::size_t points);

}  // namespace brim
