// What the parts of the report share about plans, besides brim/report.h.
#pragma once
#include <string>
#include <vector>

#include "brim/report.h"

namespace brim {

/// A value without TOML's quotes.
std::string plainText(const std::string& value);

/// Columns of summary.json that a page may be asked to show first, with `over`.
const std::vector<std::string>& plottable();

}  // namespace brim
