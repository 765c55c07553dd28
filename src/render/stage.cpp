#include "render/stage.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "scene/declare.h"
#include "scene/motion.h"
#include "scene/sampling.h"
#include "scene/vector.h"

namespace brim {

namespace {

constexpr double crease = 0.766;  // cos 40 degrees
constexpr Colour bodyColours[] = {{0.90f, 0.62f, 0.26f}, {0.55f, 0.70f, 0.38f}, {0.78f, 0.48f, 0.62f}, {0.85f, 0.78f, 0.45f}};

std::shared_ptr<const Model> modelOf(const SolidShape& shape, double edge) {
  const auto kind = shape.primitive().kind;
  if (kind == Kind::plane || kind == Kind::polygon) return nullptr;
  Mesh mesh = shape.mesh() ? *shape.mesh() : triangulate(shape.primitive(), edge);
  if (shape.primitive().insideOut)
    for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return std::make_shared<const Model>(std::move(mesh));
}

constexpr Colour solidColour = {0.70f, 0.69f, 0.67f}, clothColour = {0.86f, 0.36f, 0.30f};

// In [0, 1), the same for the same particle in every frame.
float chance(std::int64_t id, std::uint64_t k) {
  std::uint64_t z = (std::uint64_t(id) * 32 + k + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return float((z ^ (z >> 31)) >> 40) * 0x1p-24f;
}

// A particle that flies alone stands for a handful of drops of many sizes, somewhere in a ball around it.
void addDrops(std::vector<Drop>& froth, const Place& middle, const Place& velocity, std::int64_t id, float d) {
  for (std::uint64_t k = 0; k < 27; k += 3) {
    Drop drop = {middle, velocity, d * (0.05f + 0.13f * chance(id, k + 1) * chance(id, k + 2)), 2.f, 0.97f, Drop::drop};
    const float turn = 6.2831853f * (chance(id, k + 1) + 0.123f * float(k)), h = 2 * chance(id, k + 2) - 1;
    const float r = 1.1f * d * std::cbrt(chance(id, k)), flat = std::sqrt(std::max(0.f, 1 - h * h));
    drop.middle[0] += r * flat * std::cos(turn), drop.middle[1] += r * h, drop.middle[2] += r * flat * std::sin(turn);
    froth.push_back(drop);
  }
}

double smallestSide(const SolidShape& s) {
  const Vector sides = vectors::operator-(s.bodyHigh(), s.bodyLow());
  return std::min({sides[0], sides[1], sides[2]});
}

}  // namespace

Model::Model(Mesh m) : mesh(std::move(m)), normals(mesh.triangles.size()) {
  using namespace vectors;
  std::vector<Vector> face(mesh.triangles.size());  // as long as twice the area
  std::vector<std::vector<int>> around(mesh.points.size());
  for (std::size_t k = 0; k < face.size(); ++k) {
    const auto& t = mesh.triangles[k];
    const Vector& a = mesh.points[std::size_t(t[0])];
    face[k] = cross(mesh.points[std::size_t(t[1])] - a, mesh.points[std::size_t(t[2])] - a);
    for (const int corner : t) around[std::size_t(corner)].push_back(int(k));
  }
  for (std::size_t k = 0; k < face.size(); ++k)
    for (std::size_t c = 0; c < 3; ++c) {
      Vector n = {0, 0, 0};
      for (const int other : around[std::size_t(mesh.triangles[k][c])])
        if (dot(unit(face[k]), unit(face[std::size_t(other)])) > crease) n = n + face[std::size_t(other)];
      n = unit(n);
      normals[k][c] = {float(n[0]), float(n[1]), float(n[2])};
    }
}

Mesh sheetsOf(const Snapshot& s, const Vector& middle) {
  Mesh mesh;
  for (const Surface& sheet : s.surfaces) {
    if (sheet.corners != 3) continue;
    const int first = int(mesh.points.size());
    for (std::size_t k = 0; k + 2 < sheet.vertex.size(); k += 3)
      mesh.points.push_back({sheet.vertex[k] - middle[0], sheet.vertex[k + 1] - middle[1], sheet.vertex[k + 2] - middle[2]});
    for (std::size_t k = 0; k + 2 < sheet.element.size(); k += 3)
      mesh.triangles.push_back({first + sheet.element[k], first + sheet.element[k + 1], first + sheet.element[k + 2]});
  }
  return mesh;
}

Scenery::Scenery(const Scene& scene)
    : scene_(scene), middle_{0, 0, 0}, low_{0, 0, 0}, high_{0, 0, 0}, shapes_(solidShapes(scene)) {
  for (std::size_t a = 0; a < std::size_t(scene.dimension); ++a) {
    middle_[a] = (scene.domain.min[a] + scene.domain.max[a]) / 2;
    high_[a] = (scene.domain.max[a] - scene.domain.min[a]) / 2;
    low_[a] = -high_[a];
  }
  for (const SolidShape& s : shapes_)
    models_.push_back(scene.dimension == 3 && std::isfinite(smallestSide(s)) ? modelOf(s, std::max(smallestSide(s) / 12, 1e-9))
                                                                             : nullptr);
  for (std::size_t k = 0; k < shapes_.size(); ++k)
    colours_.push_back(k < scene.solids.size() ? solidColour : bodyColours[(k - scene.solids.size()) % std::size(bodyColours)]);
  colours_.push_back(clothColour);
}

void Scenery::paint(const Colours& colours) {
  std::set<std::string> known = {"solids", "bodies", "cloth"};
  for (const auto& solid : scene_.solids) known.insert(solid.name);
  for (const auto& body : scene_.bodies) known.insert(body.name);
  known.erase("");
  for (const auto& [name, colour] : colours)
    if (!known.count(name))
      throw Failure(fmt::format("there is no \"{}\" to give a colour to; there are {}", name, fmt::join(known, ", ")));
  // Its own name says more than that of all.
  for (std::size_t k = 0; k < colours_.size(); ++k) {
    const std::size_t solids = scene_.solids.size(), bodies = scene_.bodies.size();
    const std::string all = k < solids ? "solids" : k < solids + bodies ? "bodies" : "cloth";
    const std::string own = k < solids ? scene_.solids[k].name : k < solids + bodies ? scene_.bodies[k - solids].name : all;
    for (const std::string& name : {all, own})
      if (const auto found = colours.find(name); found != colours.end()) colours_[k] = found->second;
  }
}

void Scenery::fitTo(const std::vector<Snapshot>& frames) {
  Vector low = high_, high = low_;
  double side = 0, liquid = 0;
  for (std::size_t a = 0; a < std::size_t(scene_.dimension); ++a) {
    std::vector<double> x;
    for (const Snapshot& s : frames)
      for (std::size_t i = a; i < s.position.size(); i += 3)
        if (std::isfinite(s.position[i])) x.push_back(s.position[i] - middle_[a]);
    if (x.empty()) return;
    const auto cut = std::ptrdiff_t(0.002 * double(x.size()));  // a few lost drops must not make everything small
    std::nth_element(x.begin(), x.begin() + cut, x.end());
    low[a] = x[std::size_t(cut)];
    std::nth_element(x.begin(), x.end() - 1 - cut, x.end());
    high[a] = *(x.end() - 1 - cut);
    side = std::max(side, high_[a] - low_[a]);
    liquid = std::max(liquid, high[a] - low[a]);
  }
  if (side <= 4 * liquid) return;
  for (std::size_t a = 0; a < std::size_t(scene_.dimension); ++a) {
    low_[a] = std::max(low_[a], low[a] - 0.15 * liquid);
    high_[a] = std::min(high_[a], high[a] + 0.15 * liquid);
  }
}

Pose<double> Scenery::poseOf(std::size_t shape, const Snapshot& s) const {
  if (shape < scene_.solids.size()) return poseAt(scene_.solids[shape].motion, shapes_[shape].pose(), s.time);
  Pose<double> pose = shapes_[shape].pose();
  const std::size_t k = shape - scene_.solids.size();
  if (k >= s.bodies.size()) return pose;  // a frame without bodies.csv: where they began
  for (std::size_t c = 0; c < 9; ++c) pose.rotation[c] = s.bodies[k].rotation[c];
  using namespace vectors;
  const BodyReport& body = s.bodies[k];
  const Vector velocity = body.velocity + cross(body.spin, body.position - body.centre);  // of the shape's origin
  for (std::size_t a = 0; a < 3; ++a) {
    pose.position[a] = body.position[a];
    pose.velocity[a] = velocity[a];
    pose.spin[a] = body.spin[a];
  }
  return pose;
}

Mesh Scenery::bodies(const Snapshot& s, std::vector<std::array<float, 3>>* velocity) const {
  return shapes(s, scene_.solids.size(), shapes_.size(), velocity);
}

Mesh Scenery::solids(const Snapshot& s, std::vector<std::array<float, 3>>* velocity) const {
  return shapes(s, 0, scene_.solids.size(), velocity);
}

Mesh Scenery::shapes(const Snapshot& s, std::size_t from, std::size_t to, std::vector<std::array<float, 3>>* velocity) const {
  Mesh all;
  for (std::size_t k = from; k < to; ++k) {
    if (!models_[k] || shapes_[k].primitive().insideOut) continue;
    const Pose<double> pose = poseOf(k, s);
    const int first = int(all.points.size());
    for (const Vector& x : models_[k]->mesh.points) pose.toWorld(x.data(), all.points.emplace_back(Vector{}).data());
    for (std::size_t i = std::size_t(first); velocity && i < all.points.size(); ++i) {
      Vector v;
      pose.velocityAt(all.points[i].data(), v.data());
      velocity->push_back({float(v[0]), float(v[1]), float(v[2])});
    }
    for (const auto& t : models_[k]->mesh.triangles) all.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  }
  return all;
}

Stage Scenery::stage(const Snapshot& s, const std::string& look, const Foam* foam) const {
  Stage stage;
  stage.dimension = scene_.dimension;
  stage.time = s.time;
  stage.spacing = scene_.resolution.spacing;
  // A grid keeps the number of particles in a cell and not their distances: half a cell closes the gaps that this leaves.
  const SolverInfo* const solver = findSolver(scene_.solver.name);
  stage.smoothing = solver && solver->capabilities.grid ? 1.5 : 1;
  stage.low = low_, stage.high = high_, stage.middle = middle_;
  for (std::size_t a = 0; a < std::size_t(stage.dimension); ++a) {
    const double half = (scene_.domain.max[a] - scene_.domain.min[a]) / 2;
    const bool wall = scene_.domain.boundary[a] == "walls";
    stage.glass[a] = {wall && low_[a] == -half, wall && high_[a] == half};
  }

  // Ellipsoids a little larger than their share of the liquid, so that there are no gaps to look through.
  const double d = stage.spacing, radius = (stage.dimension == 3 ? 0.66 : 0.64) * d;
  const Cloud cloud(s, d, ellipsoidReach);
  const auto all = ellipsoids(cloud, stage.dimension);
  stage.blobs.resize(all.size());
  stage.value.assign(all.size(), 0.f);
  stage.alone.assign(all.size(), 0);
  stage.velocity.assign(all.size(), Place{0, 0, 0});
  tbb::parallel_for(std::size_t(0), all.size(), [&](std::size_t k) {
    const std::size_t i = std::size_t(cloud.order()[k]);
    Blob& blob = stage.blobs[k];
    const bool lone = all[k].weight > 1;
    stage.alone[k] = lone;
    const double scale = lone ? 1 / (0.6 * 0.6 * d * d) : 1 / (radius * radius);
    for (std::size_t a = 0; a < 3; ++a)
      blob.middle[a] = float(cloud.origin()[a] + d * all[k].centre[a] - (int(a) < stage.dimension ? middle_[a] : 0));
    for (std::size_t c = 0; c < 6; ++c) blob.M[c] = float(lone ? (c < 3) * scale : all[k].M[c] * scale);
    if (look == "speed" && 3 * i + 2 < s.velocity.size())
      stage.value[k] = std::hypot(s.velocity[3 * i], s.velocity[3 * i + 1], s.velocity[3 * i + 2]);
    if (look == "density" && i < s.density.size()) stage.value[k] = s.density[i];
    if (3 * i + 2 < s.velocity.size()) stage.velocity[k] = {s.velocity[3 * i], s.velocity[3 * i + 1], s.velocity[3 * i + 2]};
  });
  if (look == "water" && stage.dimension == 3) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < all.size(); ++k)
      if (stage.alone[k])
        addDrops(stage.froth, stage.blobs[k].middle, stage.velocity[k], s.id[std::size_t(cloud.order()[k])], float(d));
      else
        stage.blobs[kept] = stage.blobs[k], stage.velocity[kept] = stage.velocity[k], stage.alone[kept++] = 0;
    stage.blobs.resize(kept), stage.velocity.resize(kept), stage.alone.resize(kept), stage.value.resize(kept);
  }
  if (foam && (look == "water" || look == "particles"))
    for (std::size_t k = 0; k < foam->size(); ++k) {
      Drop drop = {};
      for (std::size_t a = 0; a < 3; ++a) {
        drop.middle[a] = float(foam->position[3 * k + a] - middle_[a]);
        drop.velocity[a] = foam->velocity[3 * k + a];
      }
      const bool spray = foam->kind[k] == Foam::spray, bubble = foam->kind[k] == Foam::bubble;
      drop.kind = spray ? Drop::drop : bubble ? Drop::bubble : Drop::foam;
      drop.radius = float(d) * (spray ? 0.06f + 0.12f * chance(foam->id[k], 0) : 0.10f + 0.13f * chance(foam->id[k], 0));
      // Foam thins out in its last tenth of a second.
      drop.thickness = (spray    ? 1.6f
                        : bubble ? 0.5f
                                 : 0.8f) *
                       (drop.kind == Drop::foam ? std::min(1.f, foam->left[k] / 0.1f) : 1.f);
      drop.tone = 0.90f + 0.10f * chance(foam->id[k], 1);
      stage.froth.push_back(drop);
    }

  for (std::size_t k = 0; k < shapes_.size(); ++k) {
    Thing thing;
    thing.model = models_[k];
    thing.shape = &shapes_[k];
    thing.pose = poseOf(k, s);
    thing.colour = colours_[k];
    for (int a = 0; a < stage.dimension; ++a) thing.pose.position[a] -= middle_[std::size_t(a)];
    stage.things.push_back(std::move(thing));
  }
  if (Mesh sheets = sheetsOf(s, middle_); !sheets.triangles.empty()) {
    Thing cloth;
    cloth.model = std::make_shared<const Model>(std::move(sheets));
    cloth.colour = colours_.back();
    cloth.sides = Thing::both;
    stage.things.push_back(std::move(cloth));
  }
  for (const Surface& sheet : s.surfaces)
    for (std::size_t k = 0; sheet.corners == 2 && k + 1 < sheet.element.size(); k += 2) {
      std::array<Vector, 2>& piece = stage.strands.emplace_back(std::array<Vector, 2>{});
      for (std::size_t end = 0; end < 2; ++end)
        for (std::size_t a = 0; a < 2; ++a)
          piece[end][a] = sheet.vertex[3 * std::size_t(sheet.element[k + end]) + a] - middle_[a];
    }
  return stage;
}

}  // namespace brim
