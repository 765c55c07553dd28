// A study: a comparison or sweep kept as a file, with the question it asks and what was found.
#pragma once
#include "report/plan.h"

namespace brim {

/// Reads a study file (TOML):
///   title, question, finding    words for the page
///   scene                       file, relative to the study
///   main, over                  the plot shown first: a quantity, over "time" or over the "parameters"
///   [set]                       values of the scene for all runs:  solver.iterations = 4
///   [vary]                      lists of values; all combinations run:  solver.iterations = [1, 2, 5]
///   [[runs]]                    several groups instead, each with label, set and vary of its own
/// Throws SceneError with all mistakes of form, Failure if the file cannot be read.
Request readStudy(const std::string& file);

}  // namespace brim
