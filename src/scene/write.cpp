#include "scene/write.h"

#include <fmt/format.h>

#include <utility>

namespace brim {

namespace {

// Without the sign of a zero: "-0" would be read as the integer 0.
std::string text(double x) { return fmt::format("{}", x + 0.0); }
std::string text(bool x) { return x ? "true" : "false"; }

std::string text(const std::string& x) {
  std::string quoted = "\"";
  for (const char c : x) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      quoted += c;
  }
  return quoted + "\"";
}

template <class Items, class F>
std::string bracketed(const Items& items, std::size_t n, F&& each) {
  std::string all = "[";
  for (std::size_t k = 0; k < n; ++k) all += (k ? ", " : "") + each(items[k]);
  return all + "]";
}

struct Format {
  std::size_t D;
  std::string vector(const Vector& v, std::size_t n) const {
    return bracketed(v, n, [](double x) { return text(x); });
  }

  std::string operator()(const double* x) const { return text(*x); }
  std::string operator()(const int* x) const { return fmt::format("{}", *x); }
  std::string operator()(const bool* x) const { return text(*x); }
  std::string operator()(const std::string* x) const { return text(*x); }
  std::string operator()(const Vector* x) const { return vector(*x, D); }
  std::string operator()(const Turn& x) const { return vector(*x.v, 3); }
  std::string operator()(const Course& x) const {
    return !x.file->empty() ? text(*x.file) : x.keys->empty() ? vector(*x.constant, D) : (*this)(x.keys);
  }
  std::string operator()(const PerAxis* x) const {
    return bracketed(*x, D, [](const std::string& w) { return text(w); });
  }
  std::string operator()(const std::vector<Vector>* x) const {
    return bracketed(*x, x->size(), [&](const Vector& v) { return vector(v, D); });
  }
  std::string operator()(const std::vector<std::string>* x) const {
    return bracketed(*x, x->size(), [](const std::string& w) { return text(w); });
  }
  std::string keys(const std::vector<Keyframe>& x, std::size_t n) const {
    return bracketed(x, x.size(), [&](const Keyframe& k) {
      return fmt::format("{{time = {}, value = {}}}", text(k.time), vector(k.value, n));
    });
  }
  std::string operator()(const std::vector<Keyframe>* x) const { return keys(*x, D); }
  std::string operator()(const TurnKeys& x) const { return keys(*x.keys, 3); }
  std::string operator()(const Slip* x) const { return x->kind == "length" ? text(x->length) : text(x->kind); }
};

class Writer : public SceneVisitor {
 public:
  explicit Writer(int dimension) : dimension_(dimension) {}
  std::string out;

  void key(const char* name, Value value, const Doc&, const Use& use) override {
    if (std::string(name) == "kind") kind_ = *std::get<std::string*>(value);
    if (use.readBy(kind_)) out += fmt::format("{} = {}\n", name, tomlValue(value, dimension_));
  }

  void table(const char* name, const char*, const std::function<void()>& inside) override {
    const std::string kind = std::exchange(kind_, "");
    below(name, "[", "]", inside);
    kind_ = kind;
  }

  void list(const char* name, const char*, const Tables& items) override {
    const std::string kind = std::exchange(kind_, "");
    for (std::size_t i = 0; i < items.size; ++i, kind_.clear()) below(name, "[[", "]]", [&] { items.visit(i, *this); });
    kind_ = kind;
  }

  void solver(SolverChoice& choice) override {
    out += fmt::format("\n[solver]\nname = {}\n", text(choice.name));
    const SolverInfo* chosen = findSolver(choice.name);
    if (!chosen) return;
    for (const Parameter& p : parametersOf(*chosen)) {
      const auto number = choice.numbers.find(p.name);
      const auto word = choice.choices.find(p.name);
      if (number != choice.numbers.end())
        out += fmt::format("{} = {}\n", p.name,
                           std::holds_alternative<bool>(p.value) ? text(number->second != 0) : text(number->second));
      if (word != choice.choices.end()) out += fmt::format("{} = {}\n", p.name, text(word->second));
    }
  }

 private:
  void below(const char* name, const char* open, const char* close, const std::function<void()>& inside) {
    const std::string around = path_;
    path_ += (around.empty() ? "" : ".") + std::string(name);
    out += fmt::format("\n{}{}{}\n", open, path_, close);
    inside();
    path_ = around;
  }

  int dimension_;
  std::string path_, kind_;
};

}  // namespace

std::string tomlValue(const Value& value, int dimension) {
  return std::visit(Format{static_cast<std::size_t>(dimension)}, value);
}

std::string toToml(const Scene& scene) {
  Writer writer(scene.dimension);
  Scene walked = scene;
  declare(writer, walked);
  return writer.out;
}

}  // namespace brim
