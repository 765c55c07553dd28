// The fluid on many ranks, as stages see it. Every rank has its own part of the particles and, among them in the same order, a
// halo of those that its neighbours have within a support. The order of particles in a rank is that of all particles in one run
// without ranks, with gaps: so that sums over neighbours run in the same order and give the same bits. Halo particles have empty
// lists; what stages compute for them is no result, and refresh() puts that of their owners in its place.
#pragma once
#include <cstring>
#include <vector>

#include "world/world.h"
#if !BRIM_CUDA
#include <tbb/parallel_for.h>
#endif

namespace brim::inline BRIM_FLAVOUR {

/// A rank's own particles by the columns of cells that it has, each in order.
struct OwnColumns {
  int columns;
  const int* start;  // of each column, its first in `which`; one more
  const int* which;
};

#if BRIM_CUDA
template <int D>
constexpr bool isSpread(const World<D>&) {
  return false;
}
template <int D, class T>
void refreshHalo(const World<D>&, Array<T>&) {}
template <int D>
int particlesOf(const World<D>& w) {
  return w.fluid.size();
}
#else
/// Whether this rank has only a part.
template <int D>
bool isSpread(const World<D>&);
/// Gives the halo of a column what the owners have.
template <int D, class T>
void refreshHalo(const World<D>&, Array<T>&);
/// How many particles all ranks have.
template <int D>
int particlesOf(const World<D>&);
template <int D>
OwnColumns ownColumns(const World<D>&);
/// Of each particle here: whether it is this rank's own, and its place in the order of all. Null: not spread.
template <int D>
const char* ownFlags(const World<D>&);
template <int D>
const std::int64_t* places(const World<D>&);
/// What all ranks have, in their order.
template <int D>
std::vector<char> gatherParts(const World<D>&, const void* mine, std::size_t bytes);
template <int D>
void sumOverRanks(const World<D>&, std::int64_t* all, std::size_t n);
template <int D>
void largestOverRanks(const World<D>&, int* all, std::size_t n);
template <int D>
void largestOverRanks(const World<D>&, double* all, std::size_t n);
/// Only this rank's own particles stay here, until the next search.
template <int D>
void dropHalo(World<D>&);
/// For fluid that leaves: particles which[0 .. going - 1] of this rank went, and all those of other ranks. Gives others their
/// places in the order of all, as Particles::fillHoles does without ranks. Call it before that with the same holes and last ones.
template <int D>
void placesFillHoles(World<D>&, const Array<int>& which, int going, const Array<int>& last, int moved, std::int64_t goingOfAll);
/// `count` new particles of all ranks come behind all others; those from `first` on are here, if `here`.
template <int D>
void placesGrow(World<D>&, int count, bool here);
template <int D>
int rankOf(const World<D>&);
#endif

/// reduce() over all particles of all ranks. With ranks the sum goes over columns of cells in their order, whoever has them, so
/// that its bits do not depend on how many ranks there are.
template <int D, class T, class F, class Into>
T reduceAll(const World<D>& w, T zero, F term, Into into) {
#if !BRIM_CUDA
  if (isSpread(w)) {
    const OwnColumns own = ownColumns(w);
    std::vector<T> part(own.columns, zero);
    tbb::parallel_for(0, own.columns, [&](int c) {
      T s = zero;
      for (int m = own.start[c]; m < own.start[c + 1]; ++m) into(s, term(own.which[m]));
      part[c] = s;
    });
    const std::vector<char> all = gatherParts(w, part.data(), part.size() * sizeof(T));
    for (std::size_t at = 0; at < all.size(); at += sizeof(T)) {
      T one = zero;
      std::memcpy(static_cast<void*>(&one), all.data() + at, sizeof(T));
      into(zero, one);
    }
    return zero;
  }
#endif
  return reduce(w.fluid.size(), zero, term, into);
}
template <int D, class F>
double sumAll(const World<D>& w, F term) {
#if !BRIM_CUDA
  if (isSpread(w))
    return reduceAll(
        w, 0.0, [&](int i) { return double(term(i)); }, [](double& s, double t) { s += t; });
#endif
  return sumOf(w.fluid.size(), term);
}
/// 0, or the largest.
template <int D, class F>
double maxAll(const World<D>& w, F term) {
#if !BRIM_CUDA
  if (isSpread(w))
    return reduceAll(
        w, 0.0, [&](int i) { return double(term(i)); }, [](double& s, double t) { s = s < t ? t : s; });
#endif
  return maxOf(w.fluid.size(), term);
}

}  // namespace brim::inline BRIM_FLAVOUR
