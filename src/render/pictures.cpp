// Pictures and meshes of frames, as brim/picture.h and brim/surface.h have them.
#include "brim/surface.h"
#include "io/png.h"
#include "render/picture.h"

namespace brim {

static std::unique_ptr<const Scenery> sceneryOf(const Scene& scene, const std::vector<Snapshot>& some, const Colours& colours) {
  auto scenery = std::make_unique<Scenery>(scene);
  scenery->fitTo(some);
  scenery->paint(colours);
  return scenery;
}

Pictures::Pictures(const Scene& scene, const PictureOptions& options, const std::vector<Snapshot>& some)
    : options_(options), scenery_(sceneryOf(scene, some, options.colours)) {
  chooseColours(options_, scene, some);
}

Pictures::~Pictures() = default;

void Pictures::write(const std::string& path, const Snapshot& s, const Foam* foam) const {
  writePng(path, picture(scenery_->stage(s, options_.style, foam), options_));
}

MovingMeshes::MovingMeshes(const Scene& scene) : scenery_(std::make_unique<Scenery>(scene)) {}

MovingMeshes::~MovingMeshes() = default;

Mesh MovingMeshes::cloth(const Snapshot& s) const { return sheetsOf(s, {0, 0, 0}); }

LiquidSurface MovingMeshes::bodies(const Snapshot& s) const {
  LiquidSurface all;
  all.mesh = scenery_->bodies(s, &all.velocity);
  return all;
}

LiquidSurface MovingMeshes::solids(const Snapshot& s) const {
  LiquidSurface all;
  all.mesh = scenery_->solids(s, &all.velocity);
  return all;
}

bool MovingMeshes::solidsMove() const {
  for (const Solid& solid : scenery_->scene().solids)
    if (solid.motion.moves()) return true;
  return false;
}

}  // namespace brim
