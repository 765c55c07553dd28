// What the page must know of a scene before it can show it: what may be changed, and what the solids look like.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "brim/parameter.h"
#include "brim/snapshot.h"
#include "scene/shape.h"

namespace brim::view {

/// Title, box, spacing and so on.
nlohmann::json describeScene(const Scene&);

/// The methods: name, source and sentence.
nlohmann::json describeSolvers();

/// A step's numbers that the page shows and plots.
nlohmann::json describeReport(const StepReport&);

/// Every parameter that can be changed while the simulation runs, in the order of their declarations: those of the scene's
/// solver ("solver.pbf.iterations"), gravity, viscosity, the steps and the speeds of motors ("joints[0].motor_speed", with its
/// `joint`). Each with type, unit, range, text, default and value.
nlohmann::json describeControls(const Scene&);

/// Whether a path is one of those.
bool isControl(const Scene&, const std::string& path);

/// The joint whose motor's speed has that path; nothing for other paths and for joints without a motor.
std::optional<std::size_t> motorAt(const Scene&, const std::string& path);

/// The shapes of solidShapes(scene), solids and then bodies, in their own frames, by kind and sizes; meshes with points and
/// triangles.
nlohmann::json describeSolids(const Scene&, const std::vector<SolidShape>&);

/// Where they are: solids where their motion has them at the snapshot's time, bodies where it says.
std::vector<Pose<double>> posesOf(const Scene&, const std::vector<SolidShape>&, const Snapshot&);

}  // namespace brim::view
