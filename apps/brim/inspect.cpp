// What can be said about a scene before it is run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>

#include "brim/estimate.h"
#include "brim/suggest.h"
#include "commands.h"

namespace brim::command {

namespace {

const double buildable = 2e6;  // particles; larger scenes are estimated from their volumes, so that the answer comes at once

double speedOf(const Vector& v) { return std::hypot(v[0], v[1], v[2]); }

// [m/s] The fluid's fastest part: what it starts with, and the fall from its height, v^2 = v0^2 + 2 g H.
double fastest(const Scene& s, const Estimate& e) {
  double v = e.speed, g = s.gravity_keys.empty() ? speedOf(s.gravity) : 0;
  for (const Keyframe& k : s.gravity_keys) g = std::max(g, speedOf(k.value));
  for (const Emitter& x : s.fluid.emitters) v = std::max(v, x.speed);
  return std::sqrt(v * v + 2 * g * std::max(e.height, 0.0));
}

// Particles that emitters may still add.
double emitted(const Scene& s) {
  double n = 0;
  for (const Emitter& x : s.fluid.emitters) {
    const double area = s.dimension == 2 ? x.width : x.kind == "disc" ? M_PI * x.radius * x.radius : x.width * x.height;
    const double time = std::max(0.0, std::min(x.until, s.time.until) - x.start);
    n += std::min(x.count, area * x.speed * time / std::pow(s.resolution.spacing, s.dimension));
  }
  return n;
}

// Bytes a particle takes in a frame: position, velocity, density, pressure and id; VTK adds a vertex cell for each.
double frameBytes(const Scene& s) {
  double n = 0;
  for (const auto& format : s.output.formats) n += format == "vtp" ? 48 : 36;
  return n;
}

struct Pace {
  double dt = 0;       // [s]
  std::string limit;   // what bounds it
  double perStep = 0;  // [s] of wall time
};

// A few steps show what a step costs, and limits that only the solver knows (the speed of sound, viscosity).
Pace tried(Simulation& sim) {
  Pace pace;
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  double before = 0;
  for (int n = 0; n < 5 && elapsed() < 3; ++n) {
    before = elapsed();
    const StepReport& r = sim.advance(sim.time() + 1);  // no end in sight that would shorten the step
    pace = {r.dt, r.dt_limit, elapsed() - before};      // the last one: the first also fills caches and lists
  }
  return pace;
}

void row(const char* name, const std::string& value) { fmt::print("{:<12} {}\n", name, value); }

}  // namespace

std::vector<Setting> settingsOf(const SceneArguments& a) {
  std::vector<Setting> settings;
  for (const auto& s : a.set) {
    const auto equals = s.find('=');
    if (equals == std::string::npos) throw Failure(fmt::format("--set {}: write path=value, for instance time.until=2", s));
    settings.push_back({s.substr(0, equals), s.substr(equals + 1)});
  }
  if (!a.solver.empty()) settings.push_back({"solver.name", '"' + a.solver + '"', "--solver " + a.solver});
  if (!a.until.empty()) settings.push_back({"time.until", a.until, "--until " + a.until});
  if (!a.framesPerSecond.empty())
    settings.push_back({"output.frames_per_second", a.framesPerSecond, "--frames-per-second " + a.framesPerSecond});
  return settings;
}

void requireScene(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    std::vector<std::string> names;
    const std::string stem = std::filesystem::path(file).stem().string();
    for (const auto& known : knownScenes()) names.push_back(std::filesystem::path(known).stem().string());
    const auto near = std::find(names.begin(), names.end(), nearest(stem, names)) - names.begin();
    throw Failure(
        fmt::format("there is no scene {}{}", file,
                    near < std::ssize(names) ? fmt::format("; did you mean {}?", knownScenes()[near]) : "  (brim list scenes)"));
  }
}

Scene read(const SceneArguments& a) {
  const auto settings = settingsOf(a);
  requireScene(a.file);
  Scene scene = readScene(a.file, settings);
  for (const Mistake& w : warnings(scene)) fmt::print(stderr, "warning: {}\n", describe(w));
  return scene;
}

int check(const SceneArguments& a) {
  const Scene scene = read(a);
  const Estimate e = estimate(scene);
  if (e.particles > buildable) {
    fmt::print("ok: about {} particles, {}D, {}\n", count(e.particles), scene.dimension, scene.solver.name);
    return ok;
  }
  const Simulation sim(scene);  // also sees what only shows in building: meshes with holes, fluid all inside solids
  fmt::print("ok: {} particles, {} boundary samples, {}D, {}\n", sim.facts().fluid_particles, sim.facts().boundary_samples,
             scene.dimension, scene.solver.name);
  return ok;
}

int info(const SceneArguments& a, const Options& machine) {
  const Scene scene = read(a);
  Estimate e = estimate(scene);
  std::optional<Simulation> sim;
  if (e.particles <= buildable) {
    sim.emplace(scene, machine);
    e.particles = static_cast<double>(sim->facts().fluid_particles);
    e.samples = static_cast<double>(sim->facts().boundary_samples);
  }
  const std::string about = sim ? "" : "about ";
  row("scene", scene.file + (scene.title.empty() ? "" : ": " + scene.title));
  row("solver", fmt::format("{}, {}D", scene.solver.name, scene.dimension));
  row("particles", about + count(e.particles) + fmt::format(", spacing {:g} m", scene.resolution.spacing));
  const double more = emitted(scene);
  if (more > 0) row("emitters", fmt::format("up to {} particles more", count(more)));
  if (sim && sim->facts().inside_solids > 0)
    row("left out", fmt::format("{} places inside solids", count(static_cast<double>(sim->facts().inside_solids))));
  row("samples", about + count(e.samples) + " on walls and solids");

  Pace pace;
  if (sim && e.particles > 0) pace = tried(*sim);
  e.bytes = sim ? std::max(static_cast<double>(sim->bytes()), 450 * e.particles) : e.bytes;
  const std::string later = more > 0 ? fmt::format(", up to {} with what emitters let in,", bytes(e.bytes + 450 * more)) : "";
  row("memory", fmt::format("about {}{} of this machine's {}", bytes(e.bytes), later, bytes(physicalMemory())));

  const double frames =
      scene.output.frames_per_second > 0 ? std::floor(scene.time.until * scene.output.frames_per_second) + 1 : 0;
  const double perFrame = frameBytes(scene) * e.particles;
  const double most = frameBytes(scene) * (e.particles + more);
  row("disk",
      more > 0 ? fmt::format("{} frames of {} to {}: up to {}", count(frames), bytes(perFrame), bytes(most), bytes(frames * most))
               : fmt::format("{} frames of {}: {}", count(frames), bytes(perFrame), bytes(frames * perFrame)));

  const double v = fastest(scene, e), radius = scene.resolution.spacing / 2;
  double dt = scene.time.dt > 0 ? scene.time.dt : std::min(scene.time.dt_max, v > 0 ? scene.time.cfl * radius / v : 1e300);
  std::string why = scene.time.dt > 0 ? "fixed" : dt < scene.time.dt_max ? fmt::format("CFL at {:.3g} m/s", v) : "time.dt_max";
  if (scene.time.dt == 0 && (pace.limit == "sound" || pace.limit == "viscosity") && pace.dt < dt) {
    dt = pace.dt;
    why = pace.limit;
  }
  // Without a step to look at: ten neighbour sums of 100 ns a particle.
  const double perStep = pace.perStep > 0 ? pace.perStep : 1e-6 * e.particles;
  const double steps = std::ceil(scene.time.until / dt);
  row("steps", fmt::format("about {} of {:.3g} s ({}) to {:g} s", count(steps), dt, why, scene.time.until));
  row("wall time", fmt::format("{} {}", sim ? "about" : "very roughly", duration(steps * perStep)));
  return ok;
}

}  // namespace brim::command
