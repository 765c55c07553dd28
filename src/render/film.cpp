#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "brim/error.h"
#include "brim/picture.h"
#include "io/file.h"

namespace brim {

namespace {

/// ffmpeg with a pipe to its input.
struct Process {
  pid_t id = -1;
  int input = -1;
};

// Its messages go to `log`. A program that cannot be started is told from one that fails by the closed pipe `started`.
Process start(const std::vector<std::string>& words, const std::string& log) {
  int input[2], started[2];
  if (::pipe2(input, O_CLOEXEC) != 0 || ::pipe2(started, O_CLOEXEC) != 0) refuse("start", words[0], errno);
  std::vector<char*> arguments;
  for (const auto& w : words) arguments.push_back(const_cast<char*>(w.c_str()));
  arguments.push_back(nullptr);
  const pid_t id = ::fork();
  if (id < 0) refuse("start", words[0], errno);
  if (id == 0) {
    ::dup2(input[0], STDIN_FILENO);
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0666);
    if (out >= 0) ::dup2(out, STDOUT_FILENO), ::dup2(out, STDERR_FILENO);
    ::execvp(arguments[0], arguments.data());
    const int error = errno;
    [[maybe_unused]] const auto told = ::write(started[1], &error, sizeof error);
    ::_exit(127);
  }
  ::close(input[0]);
  ::close(started[1]);
  int error = 0;
  const auto n = ::read(started[0], &error, sizeof error);
  ::close(started[0]);
  if (n > 0) {
    ::close(input[1]);
    ::waitpid(id, nullptr, 0);
    if (error == ENOENT)
      throw Failure(
          "films are made by ffmpeg, which was not found; install Debian's package ffmpeg (apt-get install ffmpeg). "
          "The pictures are there, and brim render --film goes on from them");
    refuse("start", words[0], error);
  }
  return {id, input[1]};
}

}  // namespace

void writeFilm(const std::string& path, const std::vector<std::string>& pictures, double rate) {
  const std::string made = path + ".tmp.mp4", log = path + ".log";
  ::unlink(made.c_str());  // ffmpeg would follow a link of that name
  const Process ffmpeg = start({"ffmpeg", "-hide_banner", "-loglevel", "error", "-y", "-f", "image2pipe", "-framerate",
                                fmt::format("{}", rate), "-c:v", "png", "-i", "-",
                                // Sides of H.264 are even; 4:2:0 is what players know.
                                "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-preset", "medium", "-crf", "20",
                                "-pix_fmt", "yuv420p", "-movflags", "+faststart", made},
                               log);
  // A film maker that gives up must not end this program.
  struct sigaction ignore = {}, before;
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);
  bool taken = true;
  for (const auto& picture : pictures) {
    const std::string content = readFile(picture);
    for (std::size_t at = 0; at < content.size() && taken;) {
      const auto n = ::write(ffmpeg.input, content.data() + at, content.size() - at);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0)
        taken = false;
      else
        at += std::size_t(n);
    }
  }
  ::close(ffmpeg.input);
  ::sigaction(SIGPIPE, &before, nullptr);
  int status = 0;
  while (::waitpid(ffmpeg.id, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    ::unlink(made.c_str());
    throw Failure(fmt::format("ffmpeg could not make {}; its messages are in {}", path, log));
  }
  ::unlink(log.c_str());
  if (::rename(made.c_str(), path.c_str()) != 0) refuse("write", path, errno);
}

}  // namespace brim
