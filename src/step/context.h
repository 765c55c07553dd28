// What the stages of one step share.
//
//   {
//     StepContext<D> c(world, memory, report, dt);
//     solver.step(c);
//   }
//
// The contract of a step:
//  - it begins with the particles, bodies and cloth of world.time, and with solids in any place: a solver that reads the boundary
//    says for which time, c.placeBoundaryAt(c.end);
//  - lists belong to the positions of the last c.search(); a step begins without any, unless c.listsMatch();
//  - whoever changes a column that lists point into calls c.refresh(column): periodic ghosts and other ranks hang on it;
//  - buffers are leased from c.scratch and go back when the lease ends, at the latest with the step;
//  - it ends with positions, velocities and densities of c.end, and with the pressure that users see.
#pragma once
#include "math/kernels.h"
#include "step/collide.h"
#include "step/exchange.h"
#include "step/neighbourhood.h"
#include "step/stage_timer.h"
#include "world/boundary.h"
#include "world/ranks.h"

namespace brim::inline BRIM_FLAVOUR {

/// What steps reuse and nobody needs between two of them: memory, lists, the clock. Throwing it away changes no result.
template <int D>
struct StepMemory {
  Scratch<D> scratch;
  Neighbourhood<D> neighbourhood;
  BoundaryReaction<D> reaction;
  Collision<D> collision;
  Exchange<D> exchange;
  StageTimer timer;
  std::size_t bytes() const { return scratch.bytes() + neighbourhood.bytes() + reaction.bytes(); }
};

template <int D>
class StepContext {
 public:
  StepContext(World<D>& w, StepMemory<D>& memory, StepReport& stepReport, double step)
      : world(w),
        scratch(memory.scratch),
        reaction(memory.reaction),
        report(stepReport),
        dt(step),
        start(w.time),
        end(w.time + step),
        gravity(w.apparentGravity(w.time, step)),
        memory_(memory) {}
  ~StepContext() { scratch.expectAllBack(); }
  StepContext(const StepContext&) = delete;
  StepContext& operator=(const StepContext&) = delete;

  World<D>& world;
  Scratch<D>& scratch;
  BoundaryReaction<D>& reaction;  // samples that the fluid pushes; found by search()
  StepReport& report;
  const double dt;          // [s]
  const double start, end;  // [s]
  const Vec<D> gravity;     // [m/s^2] at the start; in a moving tank the mean of what acts at its centre

  /// Calls body(W) with the scene's smoothing kernel.
  template <class F>
  void withKernel(F body) const {
    brim::withKernel<D>(world.kernel, world.support, body);
  }

  // Neighbours. nb() is for particles that are those, and in the order, of the last search.
  void search() { memory_.neighbourhood.search(world, scratch, reaction); }
  void searchAhead() { memory_.neighbourhood.searchAhead(world, scratch, reaction); }
  bool listsHold() { return memory_.neighbourhood.listsHold(world); }
  bool listsMatch() const { return memory_.neighbourhood.matches(world); }
  std::int64_t listGeneration() const { return memory_.neighbourhood.generation(); }
  NeighbourView nb() const {
    BRIM_ASSERT(listsMatch(), "the lists are of other particles: search() first");
    return memory_.neighbourhood.lists();
  }
  const Neighbourhood<D>& neighbourhood() const { return memory_.neighbourhood; }

  /// Brings what lists may point at beyond the fluid's own particles up to date, after a column changed.
  template <class T>
  void refresh(Array<T>& column, Holds holds = Holds::values) const {
    refreshHalo(world, column);
    if constexpr (std::is_same_v<T, Record<D>>)
      if (holds == Holds::positions) return memory_.neighbourhood.ghosts().refreshPositions(world.fluid, column);
    memory_.neighbourhood.ghosts().refresh(world.fluid, column);
  }

  // The boundary.
  void placeBoundaryAt(double t) { world.solids.moveTo(t); }
  void collide() { memory_.collision.collide(world, dt); }
  void collideAndRelease() { memory_.collision.collideAndRelease(world, dt); }
  void pushOut(double deepest = Collision<D>::unbounded) { memory_.collision.pushOut(world, deepest); }

  /// The stage that ends here, for the report.
  void stage(const char* name) { memory_.timer.mark(name); }

 private:
  StepMemory<D>& memory_;
};

}  // namespace brim::inline BRIM_FLAVOUR
