// What the page asks for. Whatever arrives is either one of these or refused with a reason.
#pragma once
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

#include "view/frame_message.h"

namespace brim::view {

struct Command {
  enum class Kind {
    run,      //                       go on
    pause,    //
    step,     // count                 so many steps (played back: frames), then pause
    reset,    //                       from the start, the scene file read again
    solver,   // name                  another method, from the present state
    set,      // path, value           a parameter, from the present state
    drag,     // solid, by             moves a solid by so many metres
    motor,    // joint, speed          drives a joint's motor, from the present state
    colour,   // by                    speed, density or pressure
    pace,     // limit                 simulated seconds per second at most; 0: as fast as it goes
    seek,     // frame                 played back: the index of a frame; of a simulation: of a kept state
    advance,  // time                  to that simulated time exactly, then pause
    loop,     // on                    played back: from the end to the start again
    arrows,   // on                    frames come with velocities
    tell,     //                       says everything anew
    seen,     //                       a frame was drawn, another may come
  };
  Kind kind = Kind::pause;
  std::string name;   // of the solver, or the path of the parameter
  std::string value;  // of the parameter, as TOML
  Quantity quantity = Quantity::speed;
  int index = 0;      // of the solid, the joint or the frame, or the number of steps
  double number = 0;  // the pace, a time [s] or a speed [rad/s or m/s]
  bool on = false;
  std::array<double, 3> by = {0, 0, 0};  // [m]
};

/// The message cannot be obeyed; the text says why, for the page's author.
class BadMessage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads one JSON object such as {"type": "set", "path": "solver.pbf.iterations", "value": 5}. Throws BadMessage for anything
/// else: other JSON, unknown types and members, missing ones, wrong types, numbers out of range.
Command parseCommand(std::string_view text);

/// Longer messages are not even read.
constexpr std::size_t longestMessage = 4096;  // bytes

}  // namespace brim::view
