// The one declaration of everything a scene file may say: the parser, the writer, the checks, `brim list parameters` and
// docs/scene_format.md all walk it.
#pragma once
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "brim/parameter.h"
#include "brim/scene.h"

namespace brim {

/// One vector, keyframes of it, or the name of a file with keyframes.
struct Course {
  Vector* constant;
  std::vector<Keyframe>* keys;
  std::string* file;
};

/// Keyframes of angles: three numbers, in 2D also one, which then belongs to the third axis.
struct TurnKeys {
  std::vector<Keyframe>* keys;
};

/// Angles or an axis: three numbers, in 2D also one, which then belongs to the third axis.
struct Turn {
  Vector* v;
};

using PerAxis = std::array<std::string, 3>;

/// The member that a key sets.
using Value = std::variant<double*, int*, bool*, std::string*, Vector*, Turn, Course, PerAxis*, std::vector<Vector>*,
                           std::vector<std::string>*, std::vector<Keyframe>*, TurnKeys, Slip*>;

/// When a key may and when it must be given.
struct Use {
  bool required = false;
  std::vector<std::string> kinds = {};  // the kinds of the table that read it; empty: all
  bool readBy(const std::string& kind) const;
};

class SceneVisitor;

/// A list of tables of one sort.
struct Tables {
  std::size_t size;                                       // now
  std::function<void(std::size_t)> resize;                // new ones are default-made
  std::function<void(std::size_t, SceneVisitor&)> visit;  // one of them
  std::function<void(SceneVisitor&)> visitDefault;        // one that is in no scene, for documentation
};

class SceneVisitor {
 public:
  virtual ~SceneVisitor() = default;
  virtual void key(const char* name, Value, const Doc&, const Use& = {}) = 0;
  virtual void table(const char* name, const char* text, const std::function<void()>& inside) = 0;
  virtual void list(const char* name, const char* text, const Tables&) = 0;
  /// The table `solver`: its keys are those of the solvers' own declarations.
  virtual void solver(SolverChoice&) = 0;
};

/// Walks `scene` in the order in which a reader should meet its parts.
void declare(SceneVisitor&, Scene&);

/// A solver's parameter as its declaration has it.
struct Parameter {
  std::string name;
  std::variant<double, int, bool, std::string> value;  // the default
  Doc doc;
};

std::vector<Parameter> parametersOf(const SolverInfo&);
/// The default word of a solver's parameter that is one of several words; "" if the solver has none of that name.
std::string declaredChoice(const std::string& solver, const std::string& parameter);
const SolverInfo* findSolver(const std::string& name);  // null: not known
std::vector<std::string> solverNames();
/// The smoothing kernel that the scene names, or else the default of its solver; "cubic" for solvers that declare none.
std::string kernelName(const Scene&);
/// Its radius in spacings: that of the scene, half as much again for the quintic spline, whose smoothing length is then the same.
double supportOf(const Scene&);

/// "above 0", "1 to 100", "at least 0"; "" where everything is allowed.
std::string rangeText(const Doc&);

/// What is wrong with a number or a word; "" if nothing.
std::string complaint(const std::string& name, double value, const Doc&);
std::string complaint(const std::string& name, const std::string& value, const Doc&);

}  // namespace brim
