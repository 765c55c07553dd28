// What a long command does when it is asked to stop.
#pragma once
#include <atomic>

namespace brim::command {

/// The first signal asks the run to end after its step, with a checkpoint; another one ends it at once.
struct Signals {
  static void watch();
  static const std::atomic<bool>& stop();
  /// 128 + the signal, as shells do.
  static int exitCode();
};

}  // namespace brim::command
