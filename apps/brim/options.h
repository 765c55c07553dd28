// The options of the commands, as CLI11 takes them.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "commands.h"
#include "look.h"
#ifdef BRIM_REPORT
#include "brim/report.h"
#endif

namespace brim::command {

struct LookArguments {
  SurfaceArguments surface;
  RenderArguments render;
  FoamArguments foam;
  ExportArguments files;
};

void addSet(CLI::App&, std::vector<std::string>& set, const std::string& text);
void addTimes(CLI::App&, SceneArguments&);
void addScene(CLI::App&, SceneArguments&);
void addMachine(CLI::App&, Options&);

/// These add commands.
void addLook(CLI::App&, LookArguments&);
void addDataset(CLI::App&, DatasetArguments&);
#ifdef BRIM_REPORT
struct PlotArguments {
  PlotRequest request;
  bool quiet = false;
};
void addReports(CLI::App&, ReportArguments&);
void addPlot(CLI::App&, PlotArguments&);
void addValidate(CLI::App&, ValidateArguments&);
#endif
#ifdef BRIM_VIEW
void addView(CLI::App&, ViewArguments&);
#endif

}  // namespace brim::command
