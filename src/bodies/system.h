// All rigid bodies of a scene with their joints, motors and contacts: one complementarity problem a step, solved by projected
// Gauss-Seidel (Constraint Fluids, Alg. VII.1) without ever forming its matrix. A fluid's rows may join the same sweeps.
#pragma once
#include <vector>

#include "bodies/contact.h"
#include "bodies/joint.h"
#include "brim/scene.h"
#include "brim/snapshot.h"
#include "math/time_average.h"
#include "scene/tank.h"

namespace brim {

/// What acts on a body.
struct Load {
  Vector force = {0, 0, 0};   // [N]
  Vector torque = {0, 0, 0};  // [N m]
  double motor = 0;           // [N m] or [N], the part of a joint's motor along its axis
};
Load& operator+=(Load&, const Load&);
Load operator*(double, const Load&);
Load operator/(const Load&, double);

class BodySystem {
 public:
  /// `shapes` are those of scene.solids, then those of scene.bodies.
  BodySystem(const Scene&, const std::vector<SolidShape>& shapes);
  BodySystem(const BodySystem&) = delete;
  BodySystem& operator=(const BodySystem&) = delete;

  int size() const { return int(bodies_.size()); }
  bool empty() const { return bodies_.empty(); }
  const BodyState& body(int b) const { return bodies_[b]; }
  Pose<double> pose(int b) const { return bodies_[b].pose(); }
  double maxSpeed() const;  // [m/s] of any point of a body

  /// What the fluid does to body b from the next step on, until it is said again: force [N], and torque [N m] about the centre of
  /// mass.
  void setForce(int b, const Vector& force, const Vector& torque) { force_[b] = {force, torque}; }
  const BodyVelocity& force(int b) const { return force_[b]; }  // as it was said last
  /// What acts on body b besides gravity, fluid, joints and contacts until it is said again: force [N] on the centre of mass and
  /// torque [N m]. It is not counted among the fluid's.
  void setLoad(int b, const Vector& force, const Vector& torque) { load_[b] = {force, torque}; }
  /// Puts a body somewhere else: the pose of the shape's frame, with the velocity of the centre of mass and the spin.
  void place(int b, const Vector& position, const Matrix& rotation, const BodyVelocity&);
  void setMotor(int joint, double speed, double limit) { joints_[joint].setMotor(speed, limit); }
  /// An impulse [N s] of the fluid, and its moment [N m s] about the centre of mass, that the next step adds.
  void push(int b, const Vector& impulse, const Vector& moment);

  /// Where the solids of the scene are, in their order, with velocities. Who owns their motions says so at every step: motions
  /// may change during a run.
  using SolidPoses = std::vector<Pose<double>>;

  /// What a tank that turns does in a step of dt [s] to bodies whose places and velocities are relative to it; but not the
  /// acceleration of its centre, which comes with gravity.
  void turnWithTank(const TurningTank&, double dt);

  // A step in parts. begin: velocities with gravity and what was pushed, rows of joints and contacts at the present places.
  void begin(double time, double dt, const Vector& gravity, const SolidPoses& solids);
  /// Once over all rows.
  void sweep();
  /// Moves the bodies with the velocities found; reads reactions.
  void finish();
  /// All of it, with so many sweeps.
  void step(double time, double dt, const Vector& gravity, const SolidPoses& solids, int sweeps = 60);

  /// Within a step: a body's velocity and what an impulse changes in it, counted as the fluid's.
  const BodyVelocity& velocity(int b) const { return bodies_[b].u; }
  void pushNow(int b, const Vector& impulse, const Vector& moment);
  /// The same for an impulse that acts at the step's start: the body also moves by what dt [s] make of it. After finish.
  void nudge(int b, const Vector& impulse, const Vector& moment, double dt);
  /// max |G v + Sigma lambda - c| over the rows (Eq. 33), of those at a bound only what they may still change [m/s, rad/s].
  double residual() const;
  /// The sum of r^2/(D + Sigma) over the rows [J]: in this measure rows of lengths, angles and densities add up.
  double residualEnergy() const;
  const std::vector<Row>& rows() const { return rows_; }

  /// Places and reactions for snapshots and bodies.csv; forces are means since restartAverages.
  std::vector<BodyReport> reports() const;
  std::vector<JointReport> jointReports() const;
  void restartAverages();

  std::vector<double> save();
  /// False if the numbers are not of this scene.
  bool restore(const std::vector<double>&);

  // Part of the last impulses that the next step starts with.
  double warm = 0.8;           // of joints
  double warmContacts = 0.95;  // of a pile's, which have many sweeps' way to the floor

 private:
  struct Obstacle {  // a solid of the scene
    const SolidShape* shape;
    std::vector<ContactPoint> points;
    double size = 0;  // [m]
  };
  struct Wall {
    Vector normal;
    double offset;  // [m]
  };
  void findContacts(const SolidPoses&);
  void contact(const Contact&, const ContactKey&, const Pose<double>& solid, double mu);
  void prepare(Row&) const;
  void apply(const Row&, double change);
  double valueOf(const Row&) const;
  double missing(const Row&) const;  // change of lambda that would solve the row alone
  bool jointed(int a, int b) const;
  template <class T>
  void walk(T& tape);

  const Scene scene_;
  std::vector<SolidShape> shapes_;
  std::vector<BodyState> bodies_;
  std::vector<std::vector<ContactPoint>> points_;  // of each body; none: it does not collide
  std::vector<double> reach_;                      // [m] of each body from the centre of mass
  std::vector<Obstacle> obstacles_;
  std::vector<Wall> walls_;
  std::vector<JointRows> joints_;
  std::vector<std::pair<int, int>> pairs_;  // joined bodies do not collide
  std::vector<Row> rows_;
  struct Touching {
    ContactKey key;
    int row, rows;  // of the normal in rows_, and how many with those of friction
  };
  std::vector<Touching> contacts_;  // of the present step
  ContactMemory memory_;
  std::vector<BodyVelocity> force_, pushed_;  // of the fluid: force and torque; impulse and moment
  std::vector<BodyVelocity> load_;            // force and torque from outside
  double dt_ = 0;
  std::vector<TimeAverage<Load>> fluid_, joint_;  // the fluid's on each body, each joint's on its first; one window for all
};

}  // namespace brim
