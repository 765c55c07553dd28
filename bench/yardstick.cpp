// Yardstick: a deliberately plain, single-threaded, scalar SPH pressure iteration.
//
// Machines differ and are noisy, so Brim's CPU speed is stated as a ratio to this
// program, measured in the same minute on the same machine. It is not a model to
// imitate; it is a ruler. Build: g++ -O2 -std=c++20 yardstick.cpp -o yardstick
//
// One "pressure iteration" = density and constraint gradients over all neighbours,
// then the position correction over all neighbours (PBF, cubic spline, 3D,
// support = 4 particle radii, ~33 neighbours), on a jittered lattice.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <random>
#include <vector>

struct Vec {
  float x, y, z;
};

static double seconds() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char** argv) {
  const int side = argc > 1 ? std::atoi(argv[1]) : 48;
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 5;
  const int n = side * side * side;
  const float spacing = 0.05f, h = 2 * spacing, mass = 1000.0f * spacing * spacing * spacing;

  std::vector<Vec> x(n), dx(n);
  std::vector<float> lambda(n);
  std::mt19937 rng(7);
  std::uniform_real_distribution<float> jitter(-0.1f * spacing, 0.1f * spacing);
  for (int i = 0; i < n; ++i)
    x[i] = {(i % side) * spacing + jitter(rng), (i / side % side) * spacing + jitter(rng),
            (i / side / side) * spacing + jitter(rng)};

  const double tSearch = seconds();
  const int cells = side / 2 + 2;
  auto cellOf = [&](const Vec& p) {
    auto c = [&](float a) { return std::clamp(int((a + spacing) / h), 0, cells - 1); };
    return (c(p.z) * cells + c(p.y)) * cells + c(p.x);
  };
  std::vector<int> start(cells * cells * cells + 1, 0), order(n);
  for (const Vec& p : x) ++start[cellOf(p) + 1];
  for (size_t c = 1; c < start.size(); ++c) start[c] += start[c - 1];
  std::vector<int> fill(start.begin(), start.end() - 1);
  for (int i = 0; i < n; ++i) order[fill[cellOf(x[i])]++] = i;
  std::vector<int> first(n + 1, 0), neighbour;
  for (int i = 0; i < n; ++i) {
    const int c = cellOf(x[i]), cx = c % cells, cy = c / cells % cells, cz = c / cells / cells;
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int ex = -1; ex <= 1; ++ex) {
          const int X = cx + ex, Y = cy + dy, Z = cz + dz;
          if (X < 0 || Y < 0 || Z < 0 || X >= cells || Y >= cells || Z >= cells) continue;
          const int cc = (Z * cells + Y) * cells + X;
          for (int k = start[cc]; k < start[cc + 1]; ++k) {
            const int j = order[k];
            const float ax = x[i].x - x[j].x, ay = x[i].y - x[j].y, az = x[i].z - x[j].z;
            if (j != i && ax * ax + ay * ay + az * az < h * h) neighbour.push_back(j);
          }
        }
    first[i + 1] = int(neighbour.size());
  }
  const double searchNs = (seconds() - tSearch) / n * 1e9;

  const float k = 8.0f / (std::numbers::pi_v<float> * h * h * h), l = 6 * k / h;
  auto W = [&](float r) {
    const float q = r / h;
    return q <= 0.5f ? k * (6 * q * q * q - 6 * q * q + 1) : q < 1 ? 2 * k * (1 - q) * (1 - q) * (1 - q) : 0.0f;
  };
  auto gradOverR = [&](float r) {  // |grad W| / r, so that gradW = d * this
    const float q = r / h;
    return r < 1e-9f ? 0.0f : (q <= 0.5f ? l * q * (3 * q - 2) : q < 1 ? -l * (1 - q) * (1 - q) : 0.0f) / r;
  };

  double best = 1e30, checksum = 0;
  for (int it = 0; it < repeats; ++it) {
    const double t0 = seconds();
    for (int i = 0; i < n; ++i) {
      float rho = mass * W(0), gx = 0, gy = 0, gz = 0, sum = 0;
      for (int e = first[i]; e < first[i + 1]; ++e) {
        const int j = neighbour[e];
        const float ax = x[i].x - x[j].x, ay = x[i].y - x[j].y, az = x[i].z - x[j].z;
        const float r = std::sqrt(ax * ax + ay * ay + az * az), g = mass / 1000 * gradOverR(r);
        rho += mass * W(r);
        gx += g * ax;
        gy += g * ay;
        gz += g * az;
        sum += g * g * r * r;
      }
      const float c = std::max(rho / 1000 - 1, 0.0f);
      lambda[i] = -c / (sum + gx * gx + gy * gy + gz * gz + 1e-6f);
    }
    for (int i = 0; i < n; ++i) {
      Vec d{0, 0, 0};
      for (int e = first[i]; e < first[i + 1]; ++e) {
        const int j = neighbour[e];
        const float ax = x[i].x - x[j].x, ay = x[i].y - x[j].y, az = x[i].z - x[j].z;
        const float r = std::sqrt(ax * ax + ay * ay + az * az);
        const float s = mass / 1000 * (lambda[i] + lambda[j]) * gradOverR(r);
        d.x += s * ax;
        d.y += s * ay;
        d.z += s * az;
      }
      dx[i] = d;
    }
    const double t = seconds() - t0;
    best = std::min(best, t);
    for (int i = 0; i < n; ++i) checksum += dx[i].x;
  }

  std::vector<float> a(1 << 25, 1.0f), b(1 << 25, 2.0f);
  double copy = 1e30;
  for (int it = 0; it < 4; ++it) {
    const double t0 = seconds();
    for (size_t i = 0; i < a.size(); ++i) a[i] = b[i] + 0.5f * a[i];
    copy = std::min(copy, seconds() - t0);
  }
  std::printf(
      "{\"particles\": %d, \"neighbours\": %.2f, \"search_ns\": %.1f, \"iteration_ns\": %.1f, "
      "\"stream_gb_per_s\": %.2f, \"checksum\": %.6g}\n",
      n, double(neighbour.size()) / n, searchNs, best / n * 1e9, 3.0 * 4 * a.size() / copy / 1e9, checksum + a[5]);
}
