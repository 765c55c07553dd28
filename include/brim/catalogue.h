// The declaration as something to read: `brim list parameters` and docs/scene_format.md.
#pragma once
#include <string>
#include <vector>

namespace brim {

struct CatalogueRow {
  std::string name, type, unit, fallback, range, text;
  bool words = false;  // the range is a list of words
};

struct CatalogueSection {
  std::string path;  // "" for the top of the file, "fluid.blocks", "solver.pbf"
  bool list = false;
  std::string text;
  std::vector<CatalogueRow> rows;
};

/// Every table of a scene file and every solver, with all their keys.
std::vector<CatalogueSection> catalogue();

/// Aligned text: all of it, or the tables, solvers and keys called `name` ("pbf", "fluid.blocks", "viscosity"); "" if none is.
std::string catalogueText(const std::string& name = "");

/// docs/scene_format.md
std::string catalogueMarkdown();

}  // namespace brim
