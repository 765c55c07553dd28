#include "signals.h"

#include <unistd.h>

#include <csignal>
#include <ctime>

namespace brim::command {

namespace {

std::atomic<bool> stopping = false, isBuilding = false;
std::atomic<double> firstSignal = 0;  // [s]
volatile std::sig_atomic_t signalled = 0;
static_assert(std::atomic<bool>::is_always_lock_free &&
              std::atomic<double>::is_always_lock_free);  // all that a handler may touch

double clockNow() {
  timespec t = {};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Wrappers such as timeout(1) signal the process and then its group, so what follows within half a second still is the first.
void onSignal(int s) {
  if (isBuilding) {
    static const char text[] = "interrupted while a scene was built; what was there before is as it was\n";
    [[maybe_unused]] const auto told = ::write(STDERR_FILENO, text, sizeof text - 1);
    _exit(128 + s);
  }
  if (!stopping) {
    firstSignal = clockNow();
    signalled = s;
    stopping = true;
  } else if (clockNow() - firstSignal > 0.5) {
    _exit(128 + s);
  }
}

}  // namespace

void Signals::building(bool yes) { isBuilding = yes; }

void Signals::watch(bool building) {
  isBuilding = building;
  struct sigaction action = {};
  action.sa_handler = onSignal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

const std::atomic<bool>& Signals::stop() { return stopping; }

int Signals::exitCode() { return 128 + signalled; }

}  // namespace brim::command
