#include <fmt/format.h>

#include "scene/motion.h"
#include "scene/vector.h"

namespace brim {

using namespace vectors;

namespace {

class Check {
 public:
  Check(const Scene& scene, Mistakes& mistakes) : s_(scene), D_(scene.dimension), mistakes_(mistakes) {}

  void motion(const std::string& path, const Motion& m) {
    if (!mistakes_.trusts(path)) return;
    bool turns = m.rate != 0;
    for (const Oscillation& o : m.oscillations) turns = turns || o.angle != 0;
    for (const WaveMaker& w : m.waves) turns = turns || w.kind == "flap";
    if (turns && m.axis == Vector{0, 0, 0}) add(path + ".axis", "the axis of a rotation cannot be zero");
    if (m.stop < m.start)
      add(path + ".stop", fmt::format("the motion stops at {:g} s, before it starts at {:g} s", m.stop, m.start));
    for (std::size_t k = 0; k < m.waves.size(); ++k) wave(fmt::format("{}.waves[{}]", path, k), m.waves[k]);
  }

  void tank() {
    motion("tank", s_.tank);
    if (!s_.tank.moves() || !mistakes_.trusts("tank")) return;
    Motion still = s_.tank;
    still.velocity = {0, 0, 0};
    still.displacement.clear();
    for (int k = 0; k < D_; ++k)
      if (s_.domain.boundary[k] == "periodic" && still.hasCourse())
        return add("tank", "a tank with periodic sides can be carried along (velocity, displacement) but not turned");
    if (!s_.cloth.empty() || !s_.soft.empty())
      add("tank", "cloth and soft bodies do not feel the forces in a moving tank: use a moving solid with inside_out = true");
  }

  void absorbers() {
    for (std::size_t i = 0; i < s_.fluid.absorbers.size(); ++i)
      if (const Absorber& a = s_.fluid.absorbers[i]; a.from == a.to)
        add(fmt::format("fluid.absorbers[{}].to", i), "the layer has no thickness: \"from\" and \"to\" are the same point");
  }

 private:
  void wave(const std::string& path, const WaveMaker& w) {
    const bool irregular = w.spectrum == "jonswap";
    const Vector way = {w.direction[0], w.direction[1], D_ == 2 ? 0 : w.direction[2]};
    if (w.kind == "piston" && way == Vector{0, 0, 0})
      add(path + ".direction", "the direction of a wave maker cannot be zero");
    else if (irregular && w.stroke > 0)
      add(path + ".stroke", "a spectrum takes a significant height, not a stroke");
    else if ((w.height > 0) == (w.stroke > 0))
      add(path, "a wave maker needs either the height of the waves or its stroke");
    else if (w.height > 0 && s_.gravity_keys.empty() && length(s_.gravity) == 0)
      add(path + ".height", "without gravity there are no waves: give a stroke");
  }

  void add(const std::string& path, const std::string& what) { mistakes_.add(path, s_.at(path), what); }

  const Scene& s_;
  const int D_;
  Mistakes& mistakes_;
};

}  // namespace

void checkMotions(const Scene& scene, Mistakes& mistakes) {
  Check check(scene, mistakes);
  for (std::size_t i = 0; i < scene.solids.size(); ++i) check.motion(fmt::format("solids[{}].motion", i), scene.solids[i].motion);
  check.tank();
  check.absorbers();
}

}  // namespace brim
