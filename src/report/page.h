// report.csv, beside what brim/report.h writes.
#pragma once
#include <string>

#include "brim/report.h"

namespace brim {

/// report.csv: a row per run; its name, the varied values, how it ended, and every number of its summary.
std::string reportCsv(const Plan&, const std::string& out);

}  // namespace brim
