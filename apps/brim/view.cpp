// brim view: a scene or a run in the browser.
#include "brim/view.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>

#include "commands.h"
#include "signals.h"

extern char** environ;

namespace brim::command {

namespace fs = std::filesystem;

namespace {

constexpr unsigned short usualPort = 8642;

/// A page that only its owner can read and that leads to the address: with the address itself among its words, the browser's
/// command line would tell the token to all users of the machine. It is removed at the end.
class Door {
 public:
  explicit Door(const std::string& address) {
    const char* const folder = std::getenv("XDG_RUNTIME_DIR");
    path_ = fmt::format("{}/brim-view-XXXXXX.html", folder ? folder : fs::temp_directory_path().string());
    const int fd = ::mkostemps(path_.data(), 5, O_CLOEXEC);  // with mode 0600
    if (fd < 0) return;
    const std::string page = fmt::format("<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={}\">\n", address);
    good_ = ::write(fd, page.data(), page.size()) == ssize_t(page.size());
    ::close(fd);
  }
  ~Door() { ::unlink(path_.c_str()); }
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;
  explicit operator bool() const { return good_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool good_ = false;
};

// Without a display there is nothing to open; without xdg-open (Debian: xdg-utils) the address must do.
void openBrowser(const std::string& file) {
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  for (const int fd : {1, 2}) posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_WRONLY, 0);
  std::string words[] = {"xdg-open", file};
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
  std::optional<Door> door;
  if (!a.noOpen && (std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY"))) door.emplace(viewer.address());
  if (door && *door) openBrowser(door->path());
  while (!Signals::stop()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  door.reset();
  // A large scene that is being built would be waited for; there is nothing to keep.
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    std::_Exit(ok);
  }).detach();
  return ok;
}

}  // namespace brim::command
