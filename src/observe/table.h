// bodies.csv and gauges.csv: one row a frame, every number with the digits to be read back exactly.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "brim/snapshot.h"

namespace brim {

/// A file of numbers under a heading, whose rows begin with the step. Rows go to the file as they come.
class Table {
 public:
  /// Starts the file anew.
  Table(std::string path, std::string heading);
  /// Goes on after the row of `step`: later rows and broken ones are cut off.
  Table(std::string path, std::string heading, std::int64_t step);
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  void row(std::int64_t step, const std::vector<double>& numbers);
  void sync();

 private:
  std::string path_;
  int fd_ = -1;
};

/// Columns of bodies.csv: for each body NAME.x .y (.z) of the centre of mass [m], .vx .. [m/s], its turn as NAME.angle [rad] in
/// 2D and as the quaternion .qw .qx .qy .qz in 3D, .spin.. [rad/s], .force.. [N] and .torque.. [N m] of the fluid; for each joint
/// NAME.force.. [N], .torque.. [N m], .motor [N m or N], .position [rad or m], .error [m]. Forces are means since the last row.
std::string bodiesHeading(const Scene&);
std::vector<double> bodiesRow(const Snapshot&);
/// Columns of gauges.csv: NAME [m, Pa or m^3/s]; of a flow also NAME.volume [m^3] since the start.
std::string gaugesHeading(const Scene&);
std::vector<double> gaugesRow(const Snapshot&, const Scene&);

}  // namespace brim
