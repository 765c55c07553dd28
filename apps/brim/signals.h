// What a long command does when it is asked to stop.
#pragma once
#include <atomic>

namespace brim::command {

/// The first signal asks the run to end after its step, with a checkpoint; another one ends it at once. While a scene is built
/// there is nothing to keep: the first signal ends it.
struct Signals {
  /// `building`: until underWay() is called.
  static void watch(bool building = false);
  static void underWay() { building(false); }
  static void building(bool);
  static const std::atomic<bool>& stop();
  /// 128 + the signal, as shells do.
  static int exitCode();
};

}  // namespace brim::command
