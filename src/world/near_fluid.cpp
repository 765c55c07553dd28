#include "world/near_fluid.h"

#include <algorithm>
#include <cstring>

#include "world/ranks.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
void NearFluid<D>::add(const World<D>& w, const Vec<D>& low, const Vec<D>& high, const Vec<D>& shift) {
  const int n = w.fluid.size();
  rank_.resize(n + 1);
  const auto p = w.fluid.p.read(), v = w.fluid.v.read();
  const auto pressure = w.fluid.pressure.read();
  const auto rank = rank_.view();
#if BRIM_CUDA
  const char* const own = nullptr;
#else
  const char* const own = ownFlags(w);
#endif
  forEach(n + 1, [=] BRIM_KERNEL(int i) {
    int inside = i < n && (!own || own[i]);
    for (int k = 0; k < D && inside; ++k) inside = p[i].x[k] >= low[k] && p[i].x[k] <= high[k];
    rank[i] = inside;
  });
  scan(rank_, n + 1);
  const int m = elementOf(rank_, n);
  if (m == 0) return;
  p_.resize(m), v_.resize(m), pressure_.resize(m);
  const auto toP = p_.view(), toV = v_.view();
  const auto toPressure = pressure_.view();
  forEach(n, [=] BRIM_KERNEL(int i) {
    const int k = rank[i];
    if (rank[i + 1] == k) return;
    toP[k] = p[i], toV[k] = v[i], toPressure[k] = pressure[i];
  });
  const auto hereP = onHost(p_, m), hereV = onHost(v_, m);
  const auto herePressure = onHost(pressure_, m);
  for (int k = 0; k < m; ++k) {
    NearParticle one{{0, 0, 0}, {0, 0, 0}, hereP[k].a, herePressure[k]};
    for (int d = 0; d < D; ++d) one.x[d] = double(hereP[k].x[d]) + shift[d], one.v[d] = hereV[k].x[d];
    found_.push_back(one);
  }
}

#if !BRIM_CUDA
// What all ranks have found in an image of the box, in the order of all particles. `before`: what is there of earlier images.
template <int D>
void NearFluid<D>::bringTogether(const World<D>& w, std::size_t before) {
  struct Placed {
    std::int64_t place;
    NearParticle particle;
  };
  std::vector<Placed> mine;
  const int n = int(found_.size() - before);
  for (int i = 0; n > 0 && i < w.fluid.size(); ++i)
    if (rank_[i + 1] > rank_[i]) mine.push_back({places(w)[i], found_[before + std::size_t(rank_[i])]});
  const std::vector<char> all = gatherParts(w, mine.data(), mine.size() * sizeof(Placed));
  std::vector<Placed> placed(all.size() / sizeof(Placed));
  if (!all.empty()) std::memcpy(static_cast<void*>(placed.data()), all.data(), all.size());
  std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) { return a.place < b.place; });
  found_.resize(before);
  for (const Placed& one : placed) found_.push_back(one.particle);
}
#endif

template <int D>
const std::vector<NearParticle>& NearFluid<D>::in(const World<D>& w, const Vector& low, const Vector& high) {
  found_.clear();
  int images = 1;
  for (int k = 0; k < D; ++k) images *= 3;
  for (int image = 0; image < images; ++image) {
    Vec<D> from, to, shift;
    bool meets = true;
    for (int k = 0, rest = image; k < D; ++k, rest /= 3) {
      const int side = rest % 3 == 2 ? -1 : rest % 3;
      shift[k] = Real(side) * w.extent[k];
      from[k] = Real(low[k]) - shift[k], to[k] = Real(high[k]) - shift[k];
      meets = meets && (side == 0 || (w.periodic[k] && from[k] <= w.extent[k] && to[k] >= 0));
    }
    if (!meets) continue;
#if !BRIM_CUDA
    const std::size_t before = found_.size();
    add(w, from, to, shift);
    if (isSpread(w)) bringTogether(w, before);
#else
    add(w, from, to, shift);
#endif
  }
  return found_;
}

template class NearFluid<2>;
template class NearFluid<3>;

}  // namespace brim::inline BRIM_FLAVOUR
