// Joints between bodies, or between a body and the world, as rows.
#pragma once
#include <vector>

#include "bodies/body.h"

namespace brim {

/// A joint of the scene with its anchors in the frames of its bodies.
class JointRows {
 public:
  /// `a` and `b` are indices of bodies, -1 for the world.
  JointRows(const Joint&, int a, int b, const std::vector<BodyState>&, bool flat);

  int a() const { return a_; }
  int b() const { return b_; }
  /// Appends this step's rows; lambdas start at `warm` times those of the last step.
  void append(const std::vector<BodyState>&, double time, double dt, double warm, std::vector<Row>&);
  /// Takes the solved lambdas back.
  void read(const std::vector<Row>&, double dt);

  /// The speed [rad/s] or [m/s] and the strength [N m] or [N] of the motor from the next step on.
  void setMotor(double speed, double limit) { joint_.motor_speed = speed, joint_.motor_limit = limit; }

  // Of the last step.
  Vector force = {0, 0, 0};   // [N] on a
  Vector torque = {0, 0, 0};  // [N m] on a, about the joint, the motor's included
  double motor = 0;           // [N m] (slider: [N]) of the motor on a, along the axis
  double position = 0;        // hinge: angle [rad]; slider: way [m]; distance: length [m]; else 0
  double error = 0;           // [m] distance between the two anchors across what the joint leaves free

  /// What a checkpoint keeps: the lambdas and the step they were found with.
  std::vector<double> lambda;
  double lastDt = 0;  // [s]

 private:
  struct Frame {  // one of the two bodies, or the world
    Vector x;
    Quaternion q;
    Matrix rotation;
    BodyVelocity u;
  };
  Frame frameOf(const std::vector<BodyState>&, int) const;
  enum class Sort { lock, motor };
  Row& add(std::vector<Row>&, Sort, const Vector& linear, const Vector& armA, const Vector& armB);
  void equation(std::vector<Row>&, double g, const Vector& linear, const Vector& armA, const Vector& armB);
  void limits(std::vector<Row>&, double value, const Vector& linear, const Vector& armA, const Vector& armB);
  void drive(std::vector<Row>&, double time, const Vector& linear, const Vector& armA, const Vector& armB);

  Joint joint_;
  int a_, b_;
  bool flat_;
  Vector pointA_, pointB_;  // [m] anchors in the bodies' frames
  Vector axisA_, axisB_;    // of hinge and slider
  Vector sideA_, sideB_;    // at right angles to it, equal at the start: what the angle is read from
  Quaternion between_;      // qa^-1 qb at the start
  double length_ = 0;       // [m] of a distance
  // Of the present step.
  Frame A_, B_;
  Vector at_ = {0, 0, 0};
  double dt_ = 0, warm_ = 0;
  std::size_t first_ = 0;
  std::vector<Sort> sorts_;
};

}  // namespace brim
