#include "world/ranks.h"

#include "world/spread.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
bool isSpread(const World<D>& w) {
  const Spread<D>* const s = spreadOf(w);
  return s && s->active();
}
template <int D, class T>
void refreshHalo(const World<D>& w, Array<T>& column) {
  if (isSpread(w)) spreadOf(w)->refresh(column);
}
template <int D>
int particlesOf(const World<D>& w) {
  return isSpread(w) ? spreadOf(w)->particles() : w.fluid.size();
}
template <int D>
OwnColumns ownColumns(const World<D>& w) {
  return spreadOf(w)->own(w.fluid);
}
template <int D>
const char* ownFlags(const World<D>& w) {
  return isSpread(w) ? spreadOf(w)->flags() : nullptr;
}
template <int D>
const std::int64_t* places(const World<D>& w) {
  return isSpread(w) ? spreadOf(w)->places() : nullptr;
}
template <int D>
std::vector<char> gatherParts(const World<D>& w, const void* mine, std::size_t bytes) {
  return spreadOf(w)->team.gatherAll(mine, bytes);
}
template <int D>
void sumOverRanks(const World<D>& w, std::int64_t* all, std::size_t n) {
  if (isSpread(w)) spreadOf(w)->team.sum(all, n);
}
template <int D>
void largestOverRanks(const World<D>& w, int* all, std::size_t n) {
  if (isSpread(w)) spreadOf(w)->team.largest(all, n);
}
template <int D>
void largestOverRanks(const World<D>& w, double* all, std::size_t n) {
  if (isSpread(w)) spreadOf(w)->team.largest(all, n);
}
template <int D>
void dropHalo(World<D>& w) {
  if (isSpread(w)) spreadOf(w)->dropHalo(w.fluid);
}
template <int D>
void placesFillHoles(World<D>& w, const Array<int>& which, int going, const Array<int>& last, int moved,
                     std::int64_t goingOfAll) {
  if (isSpread(w)) spreadOf(w)->fillHoles(which, going, last, moved, goingOfAll);
}
template <int D>
void placesGrow(World<D>& w, int count, bool here) {
  if (isSpread(w)) spreadOf(w)->grow(count, here);
}
template <int D>
int rankOf(const World<D>& w) {
  return spreadOf(w) ? spreadOf(w)->team.rank() : 0;
}

#define BRIM_INSTANTIATE(D)                                                                               \
  template bool isSpread(const World<D>&);                                                                \
  template void refreshHalo(const World<D>&, Array<Record<D>>&);                                          \
  template void refreshHalo(const World<D>&, Array<Real>&);                                               \
  template int particlesOf(const World<D>&);                                                              \
  template OwnColumns ownColumns(const World<D>&);                                                        \
  template const char* ownFlags(const World<D>&);                                                         \
  template const std::int64_t* places(const World<D>&);                                                   \
  template std::vector<char> gatherParts(const World<D>&, const void*, std::size_t);                      \
  template void sumOverRanks(const World<D>&, std::int64_t*, std::size_t);                                \
  template void largestOverRanks(const World<D>&, int*, std::size_t);                                     \
  template void largestOverRanks(const World<D>&, double*, std::size_t);                                  \
  template void dropHalo(World<D>&);                                                                      \
  template void placesFillHoles(World<D>&, const Array<int>&, int, const Array<int>&, int, std::int64_t); \
  template void placesGrow(World<D>&, int, bool);                                                         \
  template int rankOf(const World<D>&);
BRIM_INSTANTIATE(2)
BRIM_INSTANTIATE(3)
#undef BRIM_INSTANTIATE

}  // namespace brim::inline BRIM_FLAVOUR
