#include "report/profile.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "math/whole.h"
#include "observe/frames.h"

namespace brim {

Series densityByHeight(const PlannedRun& run, const std::string& folder) {
  Series layers;
  const Scene& scene = run.scene;
  if (!(scene.output.frames_per_second > 0)) return layers;
  const Frames::Settings settings = framesOf(scene, folder);
  std::optional<Snapshot> last;
  for (int k = whole(std::floor(scene.time.until * scene.output.frames_per_second + 1e-9)); k >= 0 && !last; --k)
    last = Frames::read(settings, k, 0);
  if (!last || last->density.size() != last->size()) return layers;
  constexpr int most = 200;
  const double height = std::max(2 * scene.resolution.spacing, (scene.domain.max[1] - scene.domain.min[1]) / most);
  std::vector<double> sum(most + 1), count(most + 1);
  for (std::size_t i = 0; i < last->size(); ++i) {
    const double layer = (last->position[3 * i + 1] - scene.domain.min[1]) / height;
    if (!(layer >= 0 && layer <= most)) continue;
    sum[std::size_t(layer)] += last->density[i], count[std::size_t(layer)] += 1;
  }
  // A layer with a few drops says nothing about the fluid.
  const double enough = 0.1 * *std::max_element(count.begin(), count.end());
  for (std::size_t k = 0; k < sum.size(); ++k)
    if (count[k] > enough) layers.emplace_back((double(k) + 0.5) * height, sum[k] / count[k]);
  return layers;
}

}  // namespace brim
