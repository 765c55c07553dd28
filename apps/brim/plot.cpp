// brim plot: columns of a run's tables.
#include <fmt/format.h>

#include "brim/report.h"
#include "commands.h"

namespace brim::command {

int plot(const PlotRequest& request, bool quiet) {
  for (const std::string& file : plotRun(request))
    if (!quiet) fmt::print("{}\n", file);
  return ok;
}

}  // namespace brim::command
