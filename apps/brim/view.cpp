// brim view: a scene or a run in the browser.
#include "brim/view.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "commands.h"
#include "signals.h"

extern char** environ;

namespace brim::command {

namespace fs = std::filesystem;

namespace {

constexpr unsigned short usualPort = 8642;

// Without a display there is nothing to open; without xdg-open (Debian: xdg-utils) the address must do.
void openBrowser(const std::string& address) {
  if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY")) return;
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  for (const int fd : {1, 2}) posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_WRONLY, 0);
  std::string words[] = {"xdg-open", address};
  char* argv[] = {words[0].data(), words[1].data(), nullptr};
  pid_t child;
  posix_spawnp(&child, "xdg-open", &quiet, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&quiet);
}

Viewer viewerOf(const ViewArguments& a) {
  ViewSettings settings;
  settings.address = a.bind;
  settings.port = a.port < 0 ? usualPort : static_cast<unsigned short>(a.port);
  settings.tries = a.port < 0 ? 20 : 1;
  std::error_code ignored;
  const bool folder = fs::is_directory(a.scene.file, ignored);
  if (folder) {
    if (!a.scene.set.empty() || !a.scene.solver.empty() || !a.scene.until.empty() || !a.scene.framesPerSecond.empty())
      throw Failure(
          fmt::format("{} is the folder of a run, which is played back as it is; a scene file can be changed", a.scene.file));
    return Viewer::playback(a.scene.file, settings);
  }
  requireScene(a.scene.file);
  knownFlavour(a.machine.flavour);
  read(a.scene);  // tells mistakes and warnings here, before a page opens
  return Viewer::live(a.scene.file, settingsOf(a.scene), a.machine, a.paused, settings);
}

}  // namespace

int view(const ViewArguments& a) {
  Viewer viewer = viewerOf(a);
  Signals::watch();
  fmt::print("{}\n", viewer.address());
  if (viewer.open())
    fmt::print(
        stderr,
        "warning: other machines can reach this page; whoever has the address with its token can steer the simulation, and "
        "nothing is encrypted\n");
  fmt::print("Ctrl+C ends it.\n");
  std::fflush(stdout);
  viewer.start();
  if (!a.noOpen) openBrowser(viewer.address());
  while (!Signals::stop()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return ok;
}

}  // namespace brim::command
