#include "observe/observers/preview.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "io/png.h"
#include "render/preview.h"

namespace brim {

void PreviewObserver::finish(const Snapshot* end) {
  std::vector<Panel> panels;
  if (end) panels.push_back(panelOf(*end, run_.scene));
  std::vector<std::pair<double, int>> frames;
  for (const auto& [number, time] : frames_.times())
    if (!end || !reached(time, end->time)) frames.emplace_back(time, number);
  const std::size_t wanted = std::min<std::size_t>(end ? 3 : 4, frames.size());
  for (std::size_t k = 0; k < wanted; ++k) {
    const std::size_t at = end ? k * frames.size() / wanted : k * (frames.size() - 1) / std::max<std::size_t>(wanted - 1, 1);
    if (auto s = frames_.read(frames[at].second)) panels.insert(panels.end() - (end ? 1 : 0), panelOf(*s, run_.scene));
  }
  if (!panels.empty()) run_.arena.execute([&] { writePng(run_.file("preview.png"), previewStrip(panels, run_.scene)); });
}

}  // namespace brim
