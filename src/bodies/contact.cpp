#include "bodies/contact.h"

#include <algorithm>
#include <numbers>

#include "math/whole.h"
#include "scene/sampling.h"

namespace brim {

using namespace vectors;

namespace {

constexpr int perEdge = 8;  // pieces an edge is cut into

void addEdge(std::vector<ContactPoint>& out, const Vector& a, const Vector& b) {
  for (int k = 0; k < perEdge; ++k) out.push_back({a + (double(k) / perEdge) * (b - a), 0});
}

// The outermost, so that a face that lies on another is held at its ends and corners, whichever point is deepest at the moment;
// and the deepest.
std::vector<Contact> reduced(const std::vector<Contact>& all, int most) {
  if (int(all.size()) <= most) return all;
  Vector middle = {0, 0, 0};
  std::size_t deepest = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    middle = middle + (1.0 / double(all.size())) * all[k].point;
    if (all[k].gap < all[deepest].gap) deepest = k;
  }
  const auto apart = [](const Vector& a, const Vector& b) { return dot(a - b, a - b); };
  std::vector<double> far;
  for (const Contact& c : all) far.push_back(apart(c.point, middle));
  std::vector<Contact> kept;
  bool held = false;
  for (int n = 0; n < most; ++n) {
    const std::size_t next = std::size_t(std::max_element(far.begin(), far.end()) - far.begin());
    held = held || next == deepest;
    kept.push_back(all[next]);
    for (std::size_t k = 0; k < all.size(); ++k) {
      const double to = apart(all[k].point, all[next].point);
      far[k] = n == 0 ? to : std::min(far[k], to);
    }
  }
  if (!held) kept.push_back(all[deepest]);
  return kept;
}

}  // namespace

std::vector<ContactPoint> contactPointsOf(const SolidShape& shape) {
  const Primitive<double>& p = shape.primitive();
  std::vector<ContactPoint> out;
  const double r = p.size[0], l = p.size[1];
  switch (p.kind) {
    case Kind::sphere:
      return {{{0, 0, 0}, r}};
    case Kind::capsule: {
      const int n = 1 + whole(std::ceil(2 * l / r));
      for (int k = 0; k <= n; ++k) out.push_back({{-l + 2 * l * k / n, 0, 0}, r});
      return out;
    }
    case Kind::cylinder:
      for (int k = 0; k < 4 * perEdge; ++k) {
        const double a = 2 * std::numbers::pi * k / (4 * perEdge);
        for (const double x : {-l, l}) out.push_back({{x, r * std::cos(a), r * std::sin(a)}, 0});
      }
      return out;
    case Kind::box: {
      const Vector s = {p.size[0], p.size[1], p.size[2]};
      if (p.dimension == 2) {
        const Vector corner[4] = {{-s[0], -s[1], 0}, {s[0], -s[1], 0}, {s[0], s[1], 0}, {-s[0], s[1], 0}};
        for (int k = 0; k < 4; ++k) addEdge(out, corner[k], corner[(k + 1) % 4]);
        return out;
      }
      // Every edge from its lower end; the far corner ends three of them.
      for (int axis = 0; axis < 3; ++axis)
        for (int c = 0; c < 4; ++c) {
          Vector a, b;
          a[axis] = -s[axis], b[axis] = s[axis];
          const int u = (axis + 1) % 3, v = (axis + 2) % 3;
          a[u] = b[u] = c & 1 ? s[u] : -s[u];
          a[v] = b[v] = c & 2 ? s[v] : -s[v];
          addEdge(out, a, b);
        }
      for (int c = 0; c < 8; ++c) out.push_back({{c & 1 ? s[0] : -s[0], c & 2 ? s[1] : -s[1], c & 4 ? s[2] : -s[2]}, 0});
      return out;
    }
    case Kind::polygon:
      for (int i = 0, j = p.count - 1; i < p.count; j = i++)
        addEdge(out, {p.points[2 * j], p.points[2 * j + 1], 0}, {p.points[2 * i], p.points[2 * i + 1], 0});
      return out;
    case Kind::mesh: {
      const Mesh& mesh = *shape.mesh();
      PointGrid taken(length(shape.bodyHigh()) / 16);
      for (const Vector& x : mesh.points) taken.addIfFree(x, length(shape.bodyHigh()) / 64);
      for (const Vector& x : samplePoissonDisk(mesh, length(shape.bodyHigh()) / 16))
        taken.addIfFree(x, length(shape.bodyHigh()) / 16);
      for (const Vector& x : taken.points()) out.push_back({x, 0});
      return out;
    }
    case Kind::plane:
      break;
  }
  return out;
}

std::vector<Contact> contactsWith(const std::vector<ContactPoint>& points, const Pose<double>& at, const Primitive<double>& other,
                                  const Pose<double>& there, double margin, double size, int most) {
  std::vector<Contact> all;
  for (int k = 0; k < int(points.size()); ++k) {
    const ContactPoint& f = points[k];
    Vector x, y, n;
    at.toWorld(f.centre.data(), x.data());
    there.toBody(x.data(), y.data());
    const double gap = other.distance(y.data()) - f.radius;
    if (!(gap < margin)) continue;
    other.normal(y.data(), 1e-5 * size, n.data());
    if (n == Vector{0, 0, 0}) continue;
    there.directionToWorld(n.data(), n.data());
    all.push_back({x - (f.radius + gap / 2) * n, n, gap, k});
  }
  return reduced(all, most);
}

std::vector<Contact> contactsWithPlane(const std::vector<ContactPoint>& points, const Pose<double>& at, const Vector& normal,
                                       double offset, double margin, int most) {
  std::vector<Contact> all;
  for (int k = 0; k < int(points.size()); ++k) {
    const ContactPoint& f = points[k];
    Vector x;
    at.toWorld(f.centre.data(), x.data());
    const double gap = dot(normal, x) - offset - f.radius;
    if (gap < margin) all.push_back({x - (f.radius + gap / 2) * normal, normal, gap, k});
  }
  return reduced(all, most);
}

Vector ContactMemory::impulse(const ContactKey& key) const {
  const auto at = std::lower_bound(all.begin(), all.end(), key, [](const Kept& k, const ContactKey& x) { return k.key < x; });
  return at != all.end() && at->key == key ? at->impulse : Vector{0, 0, 0};
}

void ContactMemory::keep(std::vector<Kept> contacts, double step) {
  all = std::move(contacts);
  std::sort(all.begin(), all.end(), [](const Kept& a, const Kept& b) { return a.key < b.key; });
  dt = step;
}

}  // namespace brim
