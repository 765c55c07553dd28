// Spray, foam and bubbles: particles that show where a liquid takes in air, made from the frames of a run (Ihmsen, Akinci, Akinci
// & Teschner 2012, Unified spray, foam and bubbles for particle-based fluids). They are seen and push nothing.
#pragma once
#include <memory>

#include "brim/parameter.h"
#include "brim/snapshot.h"

namespace brim {

/// The diffuse particles at one time.
struct Foam {
  enum Kind : std::int32_t { spray = 0, foam = 1, bubble = 2 };
  int dimension = 3;
  double time = 0;                 // [s]
  std::vector<std::int64_t> id;    // its own for every particle of a run
  std::vector<double> position;    // [m] three a particle
  std::vector<float> velocity;     // [m/s] three a particle
  std::vector<std::int32_t> kind;  // Kind
  std::vector<float> age;          // [s] since it was made
  std::vector<float> left;         // [s] that it still has as foam
  std::size_t size() const { return id.size(); }
};

/// How much foam there is, and how it moves. `speed`, `lifetime` and `most` are chosen from the run where they are 0.
struct FoamOptions {
  double speed = 0;               // [m/s]
  double trapped_air_rate = 60;   // [1/s]
  double trapped_air_min = 0.03;  // of `speed`
  double trapped_air_max = 0.20;  // of `speed`
  double crest_rate = 60;         // [1/s]
  double crest_min = 0.08;        // of the largest sum
  double crest_max = 0.30;        // of the largest sum
  double energy_min = 0.25;       // of `speed`
  double energy_max = 0.75;       // of `speed`
  double spray_below = 0.18;      // of a full neighbourhood
  double bubbles_above = 0.6;     // of a full neighbourhood
  double bubble_speed = 0.25;     // [m/s]
  double bubble_buoyancy = 2;     // of gravity
  double lifetime = 0;            // [s]
  double lifetime_weakest = 0.2;  // of `lifetime`
  int most = 0;
  int seed = 1;

  void visit(ParameterVisitor&);
};

/// Makes the foam of a run, frame by frame. The same bits for any number of threads.
class FoamMaker {
 public:
  /// `some` of the frames, or all: what the options leave open is chosen from them. Throws Failure where a frame has no
  /// velocities.
  FoamMaker(const Scene&, const FoamOptions&, const std::vector<Snapshot>& some);
  ~FoamMaker();
  /// With what was chosen.
  const FoamOptions& options() const;

  /// No foam, at the time of the frame.
  Foam none(const Snapshot&) const;
  /// The foam at `to`, a frame later than `now`, which belongs to `from`. `frame` numbers the interval.
  Foam next(const Foam& now, const Snapshot& from, const Snapshot& to, int frame) const;

 private:
  struct Content;
  std::unique_ptr<const Content> content_;
};

/// ParaView: points with velocity, kind, age and left. Reads back to the same bits.
void writeFoam(const std::string& path, const Foam&, double spacing);
Foam readFoam(const std::string& path);
/// [s] of such a file, without the rest of it.
double timeOfFoam(const std::string& path);
/// What ParaView opens: the frames' files, which lie beside it, with their times [s].
void writeFoamCollection(const std::string& path, const std::vector<std::pair<double, std::string>>& frames);

}  // namespace brim
