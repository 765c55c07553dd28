// The table of solvers. A new one: its file beside this one, two declarations and a row here.
#include "solvers/with_tension.h"

namespace brim::inline BRIM_FLAVOUR {

void apicParameters(ParameterVisitor&);
void constraintParameters(ParameterVisitor&);
void dfsphParameters(ParameterVisitor&);
void flipParameters(ParameterVisitor&);
void iisphParameters(ParameterVisitor&);
void pbfParameters(ParameterVisitor&);
void pcisphParameters(ParameterVisitor&);
void projectiveParameters(ParameterVisitor&);
void wcsphParameters(ParameterVisitor&);
template <int D>
std::unique_ptr<Solver<D>> makeApic(const Scene&);
template <int D>
std::unique_ptr<Solver<D>> makeConstraint(const Scene&);
template <int D>
std::unique_ptr<Solver<D>> makeDfsph(const Scene&);
template <int D>
std::unique_ptr<Solver<D>> makeFlip(const Scene&);
template <int D>
std::unique_ptr<Solver<D>> makeIisph(const Scene&);
template <int D>
std::unique_ptr<Solver<D>> makePbf(const Scene&);
template <int D>
std::unique_ptr<Solver<D>> makePcisph(const Scene&);
template <int D>
std::unique_ptr<Solver<D>> makeProjective(const Scene&);
template <int D>
std::unique_ptr<Solver<D>> makeWcsph(const Scene&);

const std::vector<Entry>& registry() {
  static const std::vector<Entry> table = {
      {"pbf",
       "Macklin & Müller 2013",
       "Position Based Fluids: density constraints solved by position projection; large time steps.",
       pbfParameters,
       makePbf<2>,
       makePbf<3>,
       {.periodic_sides = true,
        .rigid_bodies = true,
        .two_way_bodies = true,
        .cloth = true,
        .cloth_with_bodies = true,
        .surface_tension = true}},
      {"pcisph",
       "Solenthaler & Pajarola 2009",
       "Predictive-corrective incompressible SPH: pressure from iterations on predicted densities.",
       pcisphParameters,
       makePcisph<2>,
       makePcisph<3>,
       {.periodic_sides = true, .rigid_bodies = true, .two_way_bodies = true, .surface_tension = true}},
      {"projective",
       "Weiler, Koschier & Bender 2016",
       "Projective Fluids: implicit time steps; density constraints and cloth in one energy minimisation.",
       projectiveParameters,
       makeProjective<2>,
       makeProjective<3>,
       {.periodic_sides = true, .rigid_bodies = true, .two_way_bodies = true, .cloth = true, .surface_tension = true}},
      {"wcsph",
       "Becker & Teschner 2007",
       "Weakly compressible SPH: pressure from a stiff equation of state; small explicit time steps.",
       wcsphParameters,
       makeWcsph<2>,
       makeWcsph<3>,
       {.periodic_sides = true, .rigid_bodies = true, .two_way_bodies = true, .surface_tension = true}},
      {"dfsph",
       "Bender & Koschier 2015",
       "divergence-free SPH: one solve keeps velocities free of compression, one keeps densities",
       dfsphParameters,
       makeDfsph<2>,
       makeDfsph<3>,
       {.periodic_sides = true, .rigid_bodies = true, .two_way_bodies = true, .surface_tension = true}},
      {"iisph",
       "Ihmsen et al. 2014",
       "implicit incompressible SPH: one linear system for the pressures of a step",
       iisphParameters,
       makeIisph<2>,
       makeIisph<3>,
       {.periodic_sides = true, .rigid_bodies = true, .two_way_bodies = true, .surface_tension = true}},
      {"constraint",
       "Bodin, Lacoursière & Servin 2012",
       "Constraint Fluids: density constraints, rigid bodies, joints and motors in one complementarity problem.",
       constraintParameters,
       makeConstraint<2>,
       makeConstraint<3>,
       {.periodic_sides = true, .rigid_bodies = true, .two_way_bodies = true, .surface_tension = true}},
      {"flip",
       "Kugelstadt et al. 2019",
       "FLIP on a sparse grid with implicit density projection; very large time steps.",
       flipParameters,
       makeFlip<2>,
       makeFlip<3>,
       {.grid = true, .periodic_sides = true, .rigid_bodies = true, .two_way_bodies = true, .surface_tension = true}},
      {"apic",
       "Kugelstadt et al. 2019",
       "APIC on a sparse grid with implicit density projection; less noise than FLIP.",
       apicParameters,
       makeApic<2>,
       makeApic<3>,
       {.grid = true, .periodic_sides = true, .rigid_bodies = true, .two_way_bodies = true, .surface_tension = true}},
  };
  return table;
}

template <int D>
std::unique_ptr<Solver<D>> makeSolver(const Scene& scene) {
  for (const Entry& e : registry())
    if (e.name == scene.solver.name) {
      std::unique_ptr<Solver<D>> solver;
      if constexpr (D == 2)
        solver = e.make2(scene);
      else
        solver = e.make3(scene);
      if (scene.fluid.surface_tension > 0 && !e.capabilities.grid)
        return std::make_unique<WithTension<D>>(scene, std::move(solver));
      return solver;
    }
  std::string known;
  for (const Entry& e : registry()) known += std::string(known.empty() ? "" : ", ") + e.name;
  throw SceneError({{scene.at("solver.name"),
                     "solver \"" + scene.solver.name + "\" does not run on " + BRIM_FLAVOUR_NAME + "; these do: " + known}});
}
template std::unique_ptr<Solver<2>> makeSolver<2>(const Scene&);
template std::unique_ptr<Solver<3>> makeSolver<3>(const Scene&);

}  // namespace brim::inline BRIM_FLAVOUR
