#include "scene/ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "brim/suggest.h"
#include "scene/declare.h"

namespace brim {

namespace {

class Ranges : public SceneVisitor {
 public:
  Ranges(const Scene& scene, Mistakes& mistakes) : scene_(scene), mistakes_(mistakes) {}

  void key(const char* name, Value value, const Doc& doc, const Use& use) override {
    if (std::string(name) == "kind") kind_ = *std::get<std::string*>(value);
    const std::string path = path_ + name;
    if (!use.readBy(kind_) || !mistakes_.trusts(path)) return;
    std::visit([&](auto member) { check(path, doc, member); }, value);
  }

  void table(const char* name, const char*, const std::function<void()>& inside) override {
    const std::string around = path_, kind = std::exchange(kind_, "");
    path_ += std::string(name) + ".";
    inside();
    path_ = around, kind_ = kind;
  }

  void list(const char* name, const char*, const Tables& items) override {
    const std::string around = path_, kind = std::exchange(kind_, "");
    for (std::size_t i = 0; i < items.size; ++i, kind_.clear()) {
      path_ = fmt::format("{}{}[{}].", around, name, i);
      items.visit(i, *this);
    }
    path_ = around, kind_ = kind;
  }

  void solver(SolverChoice& choice) override {
    if (!mistakes_.trusts("solver.name")) return;
    const SolverInfo* chosen = findSolver(choice.name);
    if (!chosen)
      return add("solver.name", fmt::format("solver \"{}\" is not known{}  (brim list solvers)", choice.name,
                                            didYouMean(choice.name, solverNames())));
    const auto parameters = parametersOf(*chosen);
    std::vector<std::string> names;
    for (const Parameter& p : parameters) names.push_back(p.name);
    const auto find = [&](const std::string& name, bool word) -> const Parameter* {
      for (const Parameter& p : parameters)
        if (p.name == name && std::holds_alternative<std::string>(p.value) == word) return &p;
      add("solver." + name, fmt::format("{} has no {} \"{}\"{}  (brim list parameters {})", choice.name, word ? "word" : "number",
                                        name, didYouMean(name, names), choice.name));
      return nullptr;
    };
    for (const auto& [name, value] : choice.numbers)
      if (const Parameter* p = find(name, false)) add("solver." + name, complaint("solver." + name, value, p->doc));
    for (const auto& [name, word] : choice.choices)
      if (const Parameter* p = find(name, true)) add("solver." + name, complaint("solver." + name, word, p->doc));
  }

 private:
  void add(const std::string& path, const std::string& what) {
    if (!what.empty()) mistakes_.add(path, scene_.at(path), what);
  }

  void check(const std::string& path, const Doc& doc, double* x) { add(path, complaint(path, *x, doc)); }
  void check(const std::string& path, const Doc& doc, int* x) { add(path, complaint(path, *x, doc)); }
  void check(const std::string&, const Doc&, bool*) {}
  void check(const std::string& path, const Doc& doc, std::string* x) { add(path, complaint(path, *x, doc)); }
  void check(const std::string& path, const Doc& doc, Turn x) { check(path, doc, x.v); }

  void check(const std::string& path, const Doc& doc, Vector* x) {
    for (int k = 0; k < 3; ++k) {
      if (const auto what = complaint(fmt::format("{}[{}]", path, k), (*x)[k], doc); !what.empty()) return add(path, what);
    }
  }

  void check(const std::string& path, const Doc& doc, Course x) {
    check(path, doc, x.constant);
    check(path, doc, x.keys);
  }

  void check(const std::string& path, const Doc& doc, PerAxis* x) {
    for (int k = 0; k < std::clamp(scene_.dimension, 2, 3); ++k) {
      if (const auto what = complaint(path, (*x)[k], doc); !what.empty()) return add(fmt::format("{}[{}]", path, k), what);
    }
  }

  void check(const std::string& path, const Doc& doc, std::vector<Vector>* x) {
    for (std::size_t k = 0; k < x->size(); ++k) check(fmt::format("{}[{}]", path, k), doc, &(*x)[k]);
  }

  void check(const std::string& path, const Doc& doc, std::vector<std::string>* x) {
    for (std::size_t k = 0; k < x->size(); ++k) add(fmt::format("{}[{}]", path, k), complaint(path, (*x)[k], doc));
  }

  void check(const std::string& path, const Doc& doc, std::vector<Keyframe>* x) {
    for (std::size_t k = 0; k < x->size(); ++k) {
      const std::string at = fmt::format("{}[{}]", path, k);
      check(at + ".time", {"s", ""}, &(*x)[k].time);
      check(at + ".value", doc, &(*x)[k].value);
      if (k > 0 && !((*x)[k].time > (*x)[k - 1].time))
        add(at + ".time",
            fmt::format("{}.time is {:g} s; it must come after the keyframe before, {:g} s", at, (*x)[k].time, (*x)[k - 1].time));
    }
  }

  void check(const std::string& path, const Doc& doc, TurnKeys x) { check(path, doc, x.keys); }

  void check(const std::string& path, const Doc& doc, Slip* x) {
    add(path, x->kind == "length" ? complaint(path, x->length, doc) : complaint(path, x->kind, doc));
  }

  const Scene& scene_;
  Mistakes& mistakes_;
  std::string path_, kind_;
};

}  // namespace

void checkRanges(const Scene& scene, Mistakes& mistakes) {
  Ranges ranges(scene, mistakes);
  Scene walked = scene;  // the declaration walks scenes that may be written to; this walk only looks
  declare(ranges, walked);
}

}  // namespace brim
