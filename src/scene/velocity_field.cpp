#include "scene/velocity_field.h"

#include <fmt/format.h>
#include <muParser.h>

#include <cmath>
#include <numbers>

#include "scene/shape.h"
#include "scene/vector.h"

namespace brim {

using namespace vectors;

namespace {

constexpr std::size_t longestFormula = 1000;

Vector flat(const Scene& s, Vector x) {
  if (s.dimension == 2) x[2] = 0;
  return x;
}

Vector valueOf(const Scene& s, const VelocityField& f, const Vector& x) {
  const Vector r = x - flat(s, f.centre), along = unit(flat(s, f.direction));
  if (f.kind == "rotation") return f.rate * cross(s.dimension == 2 ? Vector{0, 0, 1} : unit(f.axis), r);
  if (f.kind == "shear") return f.rate * dot(r, unit(flat(s, f.gradient))) * along;
  if (f.kind == "strain") {
    const Vector part = dot(r, along) * along;
    return f.rate * (part - 1.0 / (s.dimension - 1) * (r - part));
  }
  const double k = 2 * std::numbers::pi / f.wavelength, c = f.speed * (s.dimension == 3 ? std::cos(k * r[2]) : 1);
  return {c * std::sin(k * r[0]) * std::cos(k * r[1]), -c * std::cos(k * r[0]) * std::sin(k * r[1]), 0};
}

}  // namespace

/// The formulas of a field, compiled.
struct BlockVelocity::Formulas {
  Formulas(const Scene& scene, const VelocityField& field, std::string where) : path(std::move(where)) {
    parsers.reserve(field.velocity.size());  // one that moves forgets what it has compiled
    for (std::size_t k = 0; k < field.velocity.size(); ++k) {
      const std::string& text = field.velocity[k];
      const std::string at = fmt::format("{}[{}]", path, k);
      const auto wrong = [&](const std::string& why) {
        return SceneError({Mistake{scene.at(at), fmt::format("cannot read the formula \"{}\": {}", text.substr(0, 60), why)}});
      };
      if (text.size() > longestFormula) throw wrong(fmt::format("it is longer than {} characters", longestFormula));
      // Assignments and texts are the parser's, but no part of a formula.
      for (std::size_t c = 0; c < text.size(); ++c)
        if (text[c] == '=' && !(c > 0 && std::string("<>!=").find(text[c - 1]) != std::string::npos) &&
            !(c + 1 < text.size() && text[c + 1] == '='))
          throw wrong("\"=\" assigns nothing here; == compares");
      if (text.find('"') != text.npos) throw wrong("a formula has no texts");
      mu::Parser& p = parsers.emplace_back();
      try {
        p.ClearConst();
        p.DefineConst("pi", std::numbers::pi);
        p.DefineConst("t", 0);
        const char* names[] = {"x", "y", "z"};
        for (int d = 0; d < scene.dimension; ++d) p.DefineVar(names[d], &place[d]);
        p.SetExpr(text);
        if (p.Eval(), p.GetNumResults() != 1) throw wrong("it has more than one result");
      } catch (const mu::Parser::exception_type& e) {
        throw wrong(e.GetMsg());
      }
    }
  }

  Vector at(const Scene& scene, const Vector& x) {
    std::copy(x.begin(), x.end(), place);
    Vector v = {0, 0, 0};
    for (std::size_t k = 0; k < parsers.size(); ++k) {
      v[k] = parsers[k].Eval();
      if (!std::isfinite(v[k]))
        throw SceneError({Mistake{scene.at(fmt::format("{}[{}]", path, k)),
                                  fmt::format("the formula gives {} at ({:.4g}, {:.4g}, {:.4g})", v[k], x[0], x[1], x[2])}});
    }
    return v;
  }

  std::string path;
  double place[3] = {0, 0, 0};
  std::vector<mu::Parser> parsers;
};

BlockVelocity::BlockVelocity(const Scene& scene, const Block& block, const std::string& path)
    : scene_(scene), block_(block), path_(path) {
  for (std::size_t i = 0; i < block.fields.size(); ++i)
    if (block.fields[i].kind == "expression")
      formulas_.push_back(std::make_unique<Formulas>(scene, block.fields[i], fmt::format("{}.fields[{}].velocity", path, i)));
}
BlockVelocity::BlockVelocity(BlockVelocity&&) noexcept = default;
BlockVelocity::~BlockVelocity() = default;

Vector BlockVelocity::at(const Vector& x) {
  Vector v = block_.velocity;
  std::size_t formula = 0;
  for (const VelocityField& f : block_.fields)
    v = v + (f.kind == "expression" ? formulas_[formula++]->at(scene_, x) : valueOf(scene_, f, x));
  return v;
}

double largestSpeed(const Scene& s, std::size_t block) {
  const Block& b = s.fluid.blocks[block];
  if (b.fields.empty()) return length(b.velocity);
  const std::string path = fmt::format("fluid.blocks[{}]", block);
  const SolidShape shape(s, b.shape, path);
  const Vector low = upper(shape.low(), s.domain.min), high = lower(shape.high(), s.domain.max);
  BlockVelocity field(s, b, path);
  double most = 0;
  const int n = 8;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j)
      for (int k = 0; k <= (s.dimension == 3 ? n : 0); ++k) {
        Vector x = low;
        for (int d = 0; d < s.dimension; ++d) x[d] += (d == 0 ? i : d == 1 ? j : k) / double(n) * (high[d] - low[d]);
        try {
          most = std::max(most, length(field.at(flat(s, x))));
        } catch (const SceneError&) {  // a place that no particle may have
        }
      }
  return most;
}

void checkFields(const Scene& s, Mistakes& mistakes) {
  const auto add = [&](const std::string& path, const std::string& what) { mistakes.add(path, s.at(path), what); };
  for (std::size_t i = 0; i < s.fluid.blocks.size(); ++i) {
    const std::string path = fmt::format("fluid.blocks[{}]", i);
    const Block& b = s.fluid.blocks[i];
    for (std::size_t k = 0; k < b.fields.size(); ++k) {
      const std::string at = fmt::format("{}.fields[{}]", path, k);
      const VelocityField& f = b.fields[k];
      if (!mistakes.trusts(at)) continue;
      const bool directed = f.kind == "shear" || f.kind == "strain";
      if (f.kind == "rotation" && s.dimension == 3 && f.axis == Vector{0, 0, 0})
        add(at + ".axis", "the axis of a rotation cannot be zero");
      else if (directed && flat(s, f.direction) == Vector{0, 0, 0})
        add(at + ".direction", "the direction cannot be zero");
      else if (f.kind == "shear" && flat(s, f.gradient) == Vector{0, 0, 0})
        add(at + ".gradient", "the direction of the gradient cannot be zero");
      else if (f.kind == "expression" && f.velocity.size() != std::size_t(s.dimension))
        add(at + ".velocity",
            fmt::format("a velocity in {}D needs {} formulas; there are {}", s.dimension, s.dimension, f.velocity.size()));
    }
    if (!mistakes.trusts(path + ".fields")) continue;
    try {
      BlockVelocity(s, b, path);
    } catch (const SceneError& e) {
      for (const Mistake& m : e.mistakes()) mistakes.add(path + ".fields", m.at, m.what);
    }
  }
}

}  // namespace brim
