// Every key that a scene declares: written, read back, refused, documented; and files that hold them all, damaged.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "brim/catalogue.h"
#include "brim/parameter.h"
#include "scene/declare.h"
#include "scene/parse.h"
#include "scene/write.h"
#include "small_dam.h"

namespace brim {
namespace {

// Gives every value it meets another one that is in range, and every list one table of `kind` where it has that kind.
class Scramble : public SceneVisitor {
 public:
  explicit Scramble(std::size_t kind) : kind_(kind) {}
  void key(const char*, Value value, const Doc& doc, const Use&) override {
    std::visit([&](auto member) { change(doc, member); }, value);
  }
  void table(const char*, const char*, const std::function<void()>& inside) override { inside(); }
  void list(const char*, const char*, const Tables& items) override {
    items.resize(1);
    items.visit(0, *this);
  }
  void solver(SolverChoice& choice) override {
    choice.name = solvers()[kind_ % solvers().size()].name;
    for (Parameter& p : parametersOf(*findSolver(choice.name))) {
      if (auto* word = std::get_if<std::string>(&p.value)) {
        change(p.doc, word);
        choice.choices[p.name] = *word;
      } else if (std::holds_alternative<bool>(p.value)) {
        choice.numbers[p.name] = !std::get<bool>(p.value);
      } else {
        double x = 0;
        change(p.doc, &x);
        choice.numbers[p.name] = std::holds_alternative<int>(p.value) ? std::ceil(x) : x;
      }
    }
  }

 private:
  void change(const Doc& doc, double* x) {
    *x = doc.high < 1e300 ? (doc.low + doc.high) / 2 : std::max(doc.low, 0.0) + ++n_ + 0.125;
  }
  void change(const Doc& doc, int* x) { *x = static_cast<int>(doc.high); }
  void change(const Doc&, bool* x) { *x = !*x; }
  void change(const Doc& doc, std::string* x) { *x = doc.words.empty() ? "a \"b\" \\ \n" : doc.words[kind_ % doc.words.size()]; }
  void change(const Doc&, Vector* x) { *x = {1.5 + ++n_, -0.1, 1e-7}; }
  void change(const Doc& doc, Turn x) { change(doc, x.v); }
  void change(const Doc& doc, Course x) {
    kind_ % 3 == 0 ? change(doc, x.constant) : kind_ % 3 == 1 ? change(doc, x.keys) : change({}, x.file);
  }
  void change(const Doc& doc, TurnKeys x) { change(doc, x.keys); }
  void change(const Doc&, PerAxis* x) { *x = {"periodic", "open", "walls"}; }
  void change(const Doc&, std::vector<Vector>* x) { *x = {{0, 1, 2}, {3, 4.5, 5}}; }
  void change(const Doc&, std::vector<std::string>* x) { *x = {"ply"}; }
  void change(const Doc&, std::vector<Keyframe>* x) { *x = {{0, {1, 2, 3}}, {0.5, {3, 2, 1}}}; }
  void change(const Doc& doc, Slip* x) {
    *x = kind_ % 2 ? Slip{"length", ++n_ + 0.125} : Slip{doc.words[kind_ / 2 % doc.words.size()], 0};
  }
  std::size_t kind_;
  int n_ = 0;
};

TEST(Scene, EveryDeclaredKeyIsReadBackAsItWasWritten) {
  for (std::size_t kind = 0; kind < 14; ++kind) {
    Scene scene;
    Scramble scramble(kind);
    declare(scramble, scene);
    const std::string text = toToml(scene);
    const Draft draft = draftScene(text, "written.toml", {});
    for (const Mistake& m : draft.mistakes.inOrder()) ADD_FAILURE() << describe(m) << "\n" << text;
    EXPECT_EQ(toToml(draft.scene), text);
    EXPECT_EQ(draft.scene.solver.numbers, scene.solver.numbers);
    EXPECT_EQ(draft.scene.solver.choices, scene.solver.choices);
  }
}

TEST(Scene, EveryDeclaredKeyRefusesAValueOfTheWrongType) {
  Scene scene;
  Scramble scramble(0);
  declare(scramble, scene);
  const std::string text = toToml(scene);
  const auto where = draftScene(text, "written.toml", {}).scene.where;
  EXPECT_GT(where.size(), 60u);  // every key of a box, an emitter, a sink, a solid, the tables and the solver: about 90
  for (const auto& [path, at] : where) {
    const Setting wrong = {path, "{nonsense = 1}"};
    const auto told = draftScene(text, "written.toml", {wrong}).mistakes.inOrder();
    ASSERT_FALSE(told.empty()) << path;
    EXPECT_EQ(told.back().at.file, "--set " + path + "={nonsense = 1}");
  }
}

TEST(Scene, EveryDeclaredKeyIsInTheCatalogueWithASentence) {
  const auto sections = catalogue();
  std::size_t parameters = 0;
  for (const auto& section : sections)
    for (const auto& row : section.rows) {
      EXPECT_FALSE(row.text.empty()) << section.path << "." << row.name;
      EXPECT_FALSE(row.fallback.empty()) << section.path << "." << row.name;
      EXPECT_NE(catalogueText(section.path).find("  " + row.name + " "), std::string::npos) << section.path << "." << row.name;
      parameters += section.path.starts_with("solver.");
    }
  std::size_t declared = 0;
  for (const SolverInfo& s : solvers()) declared += parametersOf(s).size();
  EXPECT_EQ(parameters, declared);
  EXPECT_EQ(catalogueText("no such name"), "");
}

TEST(Scene, DamagedFilesAreReadOrRefusedButNeverCrash) {
  Scene full;
  Scramble scramble(0);
  declare(scramble, full);
  const std::string texts[] = {smallDam + "[time]\nuntil = 1\n", toToml(full)};
  std::mt19937 random(7);
  int refused = 0;
  const int rounds = 2000;
  for (int round = 0; round < rounds; ++round) {
    std::string text = texts[round % 2];
    for (int n = 1 + static_cast<int>(random() % 3); n > 0; --n) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          text.erase(at, 1 + random() % 5);
          break;
        case 2:
          text.insert(at, 1, "[]{}\"=.,#\n-9e"[random() % 13]);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 20));
      }
    }
    try {
      parseScene(text, "damaged.toml");
    } catch (const SceneError& e) {
      ++refused;
      EXPECT_FALSE(e.mistakes().empty());
    }
  }
  EXPECT_GT(refused, rounds / 2);  // the second text does not make sense even undamaged
  EXPECT_LT(refused, rounds);      // some damage hits a comment, a title or a harmless digit
}

}  // namespace
}  // namespace brim
