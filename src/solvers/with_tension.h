// A particle solver with surface tension (grid/tension/particles.h): it acts on the velocities that a step begins with, as
// gravity does, so that every pressure solve balances it.
#pragma once
#include "grid/density/density.h"
#include "grid/tension/particles.h"
#include "solvers/solver.h"

namespace brim::inline BRIM_FLAVOUR {

template <int D>
class WithTension : public Solver<D> {
 public:
  WithTension(const Scene& scene, std::unique_ptr<Solver<D>> solver)
      : solver_(std::move(solver)), tension_(scene.fluid.surface_tension) {}

  void declareState(SolverState<D>& state) override { solver_->declareState(state); }
  double reach(const World<D>& w) const override { return solver_->reach(w); }
  std::size_t bytes() const override { return solver_->bytes() + tension_.bytes() + (grid_ ? grid_->bytes() : 0); }

  TimeLimit limit(const World<D>& w) const override {
    const TimeLimit own = solver_->limit(w), waves = {tension_.limit(w), "surface_tension"};
    return own.dt < waves.dt ? own : waves;
  }

  void step(StepContext<D>& c) override {
    World<D>& w = c.world;
    c.placeBoundaryAt(c.start);
    if (!grid_) {
      const double side = ParticleTension<D>::cell * w.spacing;
      const GridGeometry<D> geometry(side / GridGeometry<D>::perSide, w.extent, w.walled);
      grid_ = std::make_unique<GridState<D>>(geometry, movingBodies(w.solids, w.scene()));
    }
    // The surface's smoothed edge, and what is found of it, end within 8 cells of the particles.
    grid_->sort(w.fluid, w.solids, 8);
    p2gDensity(*grid_, w.fluid);
    bool closed = w.solids.placed().size() == 0 && !w.bodies && !w.soft.any();
    for (int k = 0; k < D; ++k) closed = closed && !w.walled[k];
    tension_.kick(*grid_, w, c.dt, closed);
    c.stage("surface_tension");
    solver_->step(c);
  }

 private:
  std::unique_ptr<Solver<D>> solver_;
  std::unique_ptr<GridState<D>> grid_;
  ParticleTension<D> tension_;
};

}  // namespace brim::inline BRIM_FLAVOUR
