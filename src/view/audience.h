// Who watches a session: the server's clients, or a test.
#pragma once
#include <string>

namespace brim::view {

/// Every call may come from any thread and returns at once. Of each sort of message only the latest matters: who is slow gets
/// fewer of them.
class Audience {
 public:
  virtual ~Audience() = default;
  virtual void hello(std::string json) = 0;   // the scene and all that can be changed
  virtual void status(std::string json) = 0;  // time, state, statistics
  virtual void note(std::string json) = 0;    // something for people to read
  virtual void frame(std::string bytes) = 0;  // encodeFrameMessage
  /// Whether anybody would take another frame now; making one for nobody is wasted.
  virtual bool ready() const = 0;
};

}  // namespace brim::view
