#include "view/frame_message.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace brim::view {

static_assert(std::endian::native == std::endian::little);  // numbers are sent as they lie in memory

namespace {

class Bytes {
 public:
  explicit Bytes(std::size_t size) { out_.reserve(size); }
  template <class T>
  void put(T value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  /// Room for `count` numbers, aligned to four bytes.
  std::uint16_t* room(std::size_t count) {
    const std::size_t at = (out_.size() + 3) / 4 * 4;
    out_.resize(at + 2 * count);
    return reinterpret_cast<std::uint16_t*>(out_.data() + at);
  }
  /// Zeros up to a multiple of four bytes.
  void align() { out_.resize((out_.size() + 3) / 4 * 4); }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

std::vector<float> valuesOf(const Snapshot& s, Quantity quantity) {
  const std::size_t n = s.size();
  if (quantity == Quantity::density && s.density.size() == n) return s.density;
  if (quantity == Quantity::pressure && s.pressure.size() == n) return s.pressure;
  std::vector<float> v(n);
  if (quantity == Quantity::speed && s.velocity.size() == 3 * n)
    for (std::size_t i = 0; i < n; ++i) v[i] = std::hypot(s.velocity[3 * i], s.velocity[3 * i + 1], s.velocity[3 * i + 2]);
  return v;
}

struct Range {
  double low = 1e300, high = -1e300;
  void add(double x) {
    if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
  }
  void settle() {
    if (low > high) low = high = 0;
  }
  std::uint16_t place(double x) const {
    const double u = high > low ? (x - low) / (high - low) : 0;
    return std::uint16_t(u > 0 ? std::lround(65535 * std::min(u, 1.)) : 0);  // not a number: 0
  }
};

// The range that most values lie in, by a sample of them: one wild particle says nothing about the others.
Range commonRange(const std::vector<float>& values) {
  constexpr std::size_t enough = 20000;
  const std::size_t stride = values.size() / enough + 1;
  std::vector<float> sample;
  for (std::size_t i = 0; i < values.size(); i += stride)
    if (std::isfinite(values[i])) sample.push_back(values[i]);
  Range common;
  if (sample.empty()) return common.settle(), common;
  const auto quantile = [&](double part) {
    const auto at = sample.begin() + std::ptrdiff_t(part * double(sample.size() - 1) + 0.5);
    std::nth_element(sample.begin(), at, sample.end());
    return double(*at);
  };
  common.low = quantile(0.005), common.high = quantile(0.995);
  return common;
}

void putArrows(Bytes& out, const Snapshot& s, const Vector& corner, std::size_t most) {
  const std::size_t n = s.velocity.size() == s.position.size() ? s.velocity.size() / 3 : 0;
  const std::size_t stride = most > 0 ? (n + most - 1) / most : 0;
  out.put(std::uint32_t(stride > 0 ? (n + stride - 1) / stride : 0));
  for (std::size_t i = 0; stride > 0 && i < n; i += stride) {
    for (std::size_t k = 0; k < 3; ++k) out.put(float(s.position[3 * i + k] - corner[k]));
    for (std::size_t k = 0; k < 3; ++k) out.put(s.velocity[3 * i + k]);
  }
}

}  // namespace

std::string encodeFrameMessage(const Snapshot& s, const Vector& corner, Quantity quantity,
                               const std::vector<Pose<double>>& solids, std::uint32_t number, std::size_t arrows) {
  const std::size_t n = s.position.size() == 3 * s.size() ? s.size() : 0, D = s.dimension == 2 ? 2 : 3;
  const std::vector<float> value = valuesOf(s, quantity);
  Range box[3], range;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < D; ++k) box[k].add(s.position[3 * i + k] - corner[k]);
  for (const float v : value) range.add(v);
  // The ends as the page will know them, in single precision; a hair wider, so that rounding leaves nothing outside.
  for (Range& r : box) {
    r.settle();
    const double hair = 1e-6 * (r.high - r.low);
    r.low = float(r.low - hair), r.high = double(float(r.low)) + float(r.high - r.low + 2 * hair);
  }
  range.settle();
  // Sixteen bits are spent on what most particles have.
  const Range common = commonRange(value);
  if (const double room = 4 * (common.high - common.low); room > 0)
    range.low = std::max(range.low, common.low - room), range.high = std::min(range.high, common.high + room);

  Bytes out(frameMessageHeader + 48 * solids.size() + 2 * n * (D + 1) + 12 + 24 * arrows);
  for (const char c : {'B', 'R', 'F', '2'}) out.put(c);
  out.put(std::uint8_t(D)), out.put(quantity), out.put(std::uint16_t(solids.size()));
  out.put(std::uint32_t(n)), out.put(number);
  out.put(s.time), out.put(double(s.step));
  for (const Range& r : box) out.put(float(r.low));
  for (const Range& r : box) out.put(float(r.high - r.low));
  out.put(float(range.low)), out.put(float(range.high));
  out.put(float(common.low)), out.put(float(common.high));
  for (const Pose<double>& pose : solids) {
    for (const double r : pose.rotation) out.put(float(r));
    for (std::size_t k = 0; k < 3; ++k) out.put(float(pose.position[k] - corner[k]));
  }
  std::uint16_t* x = out.room(D * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < D; ++k) *x++ = box[k].place(s.position[3 * i + k] - corner[k]);
  std::uint16_t* v = out.room(n);
  for (std::size_t i = 0; i < n; ++i) *v++ = range.place(value[i]);
  out.align();
  // An index beyond the vertices, as a damaged file may have it, would stop the page's drawing.
  std::vector<const Surface*> sheets;
  for (const Surface& sheet : s.surfaces) {
    const auto fine = [&](int index) { return index >= 0 && std::size_t(index) < sheet.vertex.size() / 3; };
    if (std::all_of(sheet.element.begin(), sheet.element.end(), fine)) sheets.push_back(&sheet);
  }
  out.put(std::uint32_t(sheets.size()));
  for (const Surface* sheet : sheets) {
    const std::size_t vertices = sheet->vertex.size() / 3;
    out.put(std::uint32_t(sheet->corners)), out.put(std::uint32_t(vertices)), out.put(std::uint32_t(sheet->element.size()));
    for (std::size_t k = 0; k < 3 * vertices; ++k) out.put(float(sheet->vertex[k] - corner[k % 3]));
    for (const int index : sheet->element) out.put(std::uint32_t(index));
  }
  putArrows(out, s, corner, n > 0 ? arrows : 0);
  return out.take();
}

}  // namespace brim::view
