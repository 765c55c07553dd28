#include "surface/field.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "math/whole.h"

namespace brim {

namespace {

constexpr int side = Field::side;

std::size_t hash(const std::array<int, 3>& c) {
  std::uint64_t key = std::uint64_t(c[0]) * 0x9e3779b97f4a7c15u;
  key = (key ^ (key >> 29) ^ std::uint64_t(c[1])) * 0xbf58476d1ce4e5b9u;
  key = (key ^ (key >> 31) ^ std::uint64_t(c[2])) * 0x94d049bb133111ebu;
  return std::size_t(key >> 20);
}

int floorToBlock(int node) { return node >> 3 << 3; }

// visit(z, y, first x, last x, particle's offset from that row's first node) for the rows of a block that an ellipsoid reaches.
struct Window {
  int x0, x1, y0, y1, z0, z1;
};

Window windowOf(const Ellipsoid& e, const std::array<int, 3>& low, float voxel) {
  int a0[3], a1[3];
  for (int a = 0; a < 3; ++a) {
    const float r = e.extent[a] * kernelReach;
    a0[a] = std::max(0, whole(std::ceil((e.centre[a] - r) / voxel)) - low[a]);
    a1[a] = std::min(side - 1, whole(std::floor((e.centre[a] + r) / voxel)) - low[a]);
  }
  return {a0[0], a1[0], a0[1], a1[1], a0[2], a1[2]};
}

// add(row of the block, k[8]) with k = (1 - |G r|^2/4)_+^3 at its eight nodes.
template <class Add>
void forRows(const Ellipsoid& e, const std::array<int, 3>& low, float voxel, Add add) {
  const Window w = windowOf(e, low, voxel);
  if (w.x0 > w.x1) return;
  constexpr float r2 = 1 / (kernelReach * kernelReach);
  float dx[side];
  for (int x = 0; x < side; ++x) dx[x] = float(low[0] + x) * voxel - e.centre[0];
  for (int z = w.z0; z <= w.z1; ++z) {
    const float dz = float(low[2] + z) * voxel - e.centre[2];
    for (int y = w.y0; y <= w.y1; ++y) {
      const float dy = float(low[1] + y) * voxel - e.centre[1];
      const float c = 1 - r2 * (e.M[1] * dy * dy + 2 * e.M[5] * dy * dz + e.M[2] * dz * dz);
      const float b = -r2 * 2 * (e.M[3] * dy + e.M[4] * dz), a = -r2 * e.M[0];
      float k[side];
      for (int x = 0; x < side; ++x) {
        const float f = c + dx[x] * (b + a * dx[x]), g = f > 0 ? f : 0.f;
        k[x] = g * g * g;
      }
      add((z * side + y) * side, k, dx, dy, dz);
    }
  }
}

}  // namespace

int Field::find(const std::array<int, 3>& low) const {
  for (std::size_t at = hash(low);; ++at) {
    const int b = slots_[at & (slots_.size() - 1)];
    if (b < 0 || low_[std::size_t(b)] == low) return b;
  }
}

int Field::number(const std::array<int, 3>& low) {
  std::size_t at = hash(low);
  while (slots_[at & (slots_.size() - 1)] >= 0) {
    const int b = slots_[at & (slots_.size() - 1)];
    if (low_[std::size_t(b)] == low) return b;
    ++at;
  }
  const int b = int(low_.size());
  slots_[at & (slots_.size() - 1)] = b;
  low_.push_back(low);
  if (2 * low_.size() > slots_.size()) grow();
  return b;
}

void Field::grow() {
  slots_.assign(2 * slots_.size(), -1);
  for (std::size_t b = 0; b < low_.size(); ++b) {
    std::size_t at = hash(low_[b]);
    while (slots_[at & (slots_.size() - 1)] >= 0) ++at;
    slots_[at & (slots_.size() - 1)] = int(b);
  }
}

float Field::at(int x, int y, int z) const {
  const int b = find({floorToBlock(x), floorToBlock(y), floorToBlock(z)});
  return b < 0 ? 0.f : values(b)[((z & 7) * side + (y & 7)) * side + (x & 7)];
}

// The blocks that particles reach, and one node below: a cell of the lattice belongs to its first node, and whatever cell the
// surface passes through must belong to a block.
Field::Lists Field::makeBlocks(const std::vector<Ellipsoid>& all) {
  slots_.assign(1 << 10, -1);
  Lists lists;
  std::vector<std::array<int, 2>> touches;
  touches.reserve(all.size() * 8);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Ellipsoid& e = all[i];
    int first[3], last[3];
    bool reachable = true;
    for (int a = 0; a < 3; ++a) {
      const float r = e.extent[a] * kernelReach;
      reachable = reachable && std::abs(e.centre[a]) < 1e8f * voxel_;
      if (!reachable) break;
      first[a] = floorToBlock(whole(std::ceil((e.centre[a] - r) / voxel_)) - 1);
      last[a] = floorToBlock(whole(std::floor((e.centre[a] + r) / voxel_)));
    }
    if (!reachable) continue;
    if (flat_) first[2] = last[2] = 0;
    for (int z = first[2]; z <= last[2]; z += side)
      for (int y = first[1]; y <= last[1]; y += side)
        for (int x = first[0]; x <= last[0]; x += side) touches.push_back({number({x, y, z}), int(i)});
  }
  lists.begin.assign(low_.size() + 1, 0);
  for (const auto& t : touches) ++lists.begin[std::size_t(t[0]) + 1];
  for (std::size_t b = 1; b < lists.begin.size(); ++b) lists.begin[b] += lists.begin[b - 1];
  lists.particle.resize(touches.size());
  auto next = lists.begin;
  for (const auto& t : touches) lists.particle[std::size_t(next[std::size_t(t[0])]++)] = t[1];
  values_.assign(low_.size() * nodes, 0.f);
  return lists;
}

Field Field::density(const std::vector<Ellipsoid>& all, float voxel, int dimension) {
  Field f;
  f.voxel_ = voxel;
  f.flat_ = dimension == 2;
  const Lists lists = f.makeBlocks(all);
  // sigma of (1 - q^2)^3 over a ball or disc of radius h, for a particle of volume 1.
  const double h = kernelReach;
  const float sigma = float(dimension == 3 ? 315 / (64 * std::numbers::pi * h * h * h) : 4 / (std::numbers::pi * h * h));
  tbb::parallel_for(0, f.blocks(), [&](int b) {
    float sum[nodes] = {};
    for (int k = lists.begin[std::size_t(b)]; k < lists.begin[std::size_t(b) + 1]; ++k) {
      const Ellipsoid& e = all[std::size_t(lists.particle[std::size_t(k)])];
      const float weight = sigma * e.weight;
      forRows(e, f.low(b), voxel, [&](int row, const float* kernel, const float*, float, float) {
        for (int x = 0; x < side; ++x) sum[row + x] += weight * kernel[x];
      });
    }
    std::memcpy(&f.values_[std::size_t(b) * nodes], sum, sizeof sum);
  });
  return f;
}

Field Field::distance(const std::vector<Ellipsoid>& all, float voxel) {
  Field f;
  f.voxel_ = voxel;
  const Lists lists = f.makeBlocks(all);
  tbb::parallel_for(0, f.blocks(), [&](int b) {
    float sum[nodes] = {}, mx[nodes] = {}, my[nodes] = {}, mz[nodes] = {};
    for (int k = lists.begin[std::size_t(b)]; k < lists.begin[std::size_t(b) + 1]; ++k) {
      const Ellipsoid& e = all[std::size_t(lists.particle[std::size_t(k)])];
      forRows(e, f.low(b), voxel, [&](int row, const float* kernel, const float* dx, float dy, float dz) {
        for (int x = 0; x < side; ++x) {
          sum[row + x] += kernel[x];
          mx[row + x] += kernel[x] * dx[x], my[row + x] += kernel[x] * dy, mz[row + x] += kernel[x] * dz;
        }
      });
    }
    float* out = &f.values_[std::size_t(b) * nodes];
    for (int n = 0; n < nodes; ++n)
      out[n] = sum[n] > 0 ? std::max(0.f, 1 - std::sqrt(mx[n] * mx[n] + my[n] * my[n] + mz[n] * mz[n]) / sum[n]) : 0.f;
  });
  return f;
}

}  // namespace brim
