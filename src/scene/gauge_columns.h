// What the columns of tables mean: for headings, for the JSON beside a table, and for whoever plots them.
#pragma once
#include <string>
#include <vector>

#include "brim/scene.h"

namespace brim {

struct Column {
  std::string name, unit;  // unit: "" for plain numbers
  std::string meaning;
  std::string frame = {};  // what places and directions refer to; "" where there are none
  std::string sign = {};   // what positive means, where that is not plain
};

/// The columns of a gauge, named after it, in the order of GaugeReport::values.
std::vector<Column> gaugeColumns(const Gauge&, int dimension);

}  // namespace brim
