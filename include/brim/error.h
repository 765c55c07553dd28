// What can go wrong, as types. The library throws these; it never prints and never exits.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace brim {

/// A place in a scene file. Scenes built in code have no file; then `file` is empty and line is 0.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
};

/// One mistake of the user, with the place where it was made.
struct Mistake {
  Location at;
  std::string what;
};

/// "dam.toml:14:12: solver ..." (without the place where there is none).
std::string describe(const Mistake&);

/// A scene that cannot be run: every mistake found in it, in the order of the file.
class SceneError : public std::runtime_error {
 public:
  explicit SceneError(std::vector<Mistake>);
  const std::vector<Mistake>& mistakes() const { return mistakes_; }

 private:
  std::vector<Mistake> mistakes_;
};

/// Something outside Brim refused: a folder that cannot be written, a full disk, a damaged checkpoint.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The state is no longer finite. The message names time, particle, place, last step and what limited it.
class Diverged : public std::runtime_error {
 public:
  Diverged(double time, std::int64_t step, std::int64_t particle, const std::string& what)
      : std::runtime_error(what), time(time), step(step), particle(particle) {}
  double time;            // [s]
  std::int64_t step;      // the step that failed
  std::int64_t particle;  // its id
};

}  // namespace brim
