// The frames of a run that is over, or still writes them, played back from its folder.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/file.h"
#include "observe/checkpoint.h"
#include "observe/frames.h"
#include "view/body_track.h"
#include "view/describe.h"
#include "view/measured.h"
#include "view/server.h"
#include "view/session.h"

namespace brim::view {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

namespace {

double secondsSince(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

// The numbers of the frames that are there.
std::vector<int> numbersIn(const std::string& folder, std::string& format) {
  std::vector<int> numbers;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const auto parts = frameName(name);
    if (!parts || parts->what != "frame" || (parts->format != "vtp" && parts->format != "ply")) continue;
    if (format.empty()) format = parts->format;
    if (parts->format == format) numbers.push_back(parts->number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// Times as frames.pvd lists them.
std::map<int, double> timesIn(const std::string& folder) {
  std::map<int, double> times;
  std::error_code ignored;
  const std::string file = folder + "/frames.pvd";
  if (!fs::exists(file, ignored)) return times;
  const std::string text = readFile(file);
  for (std::size_t at = text.find("timestep="); at != text.npos; at = text.find("timestep=", at + 1)) {
    double time = 0;
    int number = 0;
    if (std::sscanf(text.c_str() + at, "timestep=\"%lf\" group=\"\" part=\"0\" file=\"frame_%9d.", &time, &number) == 2)
      times[number] = time;
  }
  return times;
}

class Playback final : public Session {
 public:
  explicit Playback(std::string folder) : folder_(std::move(folder)) {
    look();
    if (numbers_.empty())
      throw Failure(
          fmt::format("{} has no frames to play back (frames/frame_000000.vtp and so on, as brim run leaves them)", folder_));
    readFrame(0);
    readScene();
  }
  ~Playback() override { stop(); }

 private:
  void work() override {
    tellAll();
    publish();
    while (!stopping()) {
      for (const Command& c : take(waitFor())) obey(c);
      if (running_ && waitFor() <= 0) advance();
      if (pending_ && audience().ready()) publish();
      if (!running_ && secondsSince(looked_) > 2) grow();
    }
  }

  double waitFor() const {
    if (!running_) return pending_ ? 0.01 : 0.2;
    const double due = pace_ > 0 ? (timeOf(at_ + 1) - startTime_) / pace_ - secondsSince(start_) : 0;
    return std::clamp(due, pending_ ? 0.002 : 0., 0.2);
  }

  void obey(const Command& c) {
    using enum Command::Kind;
    switch (c.kind) {
      case run:
        if (at_ + 1 >= numbers_.size()) show(0);
        running_ = true;
        break;
      case pause:
        running_ = false;
        break;
      case step:
        running_ = false;
        show(std::min(at_ + std::size_t(c.index), numbers_.size() - 1));
        break;
      case reset:
        running_ = false;
        show(0);
        break;
      case seek:
        show(std::min(std::size_t(c.index), numbers_.size() - 1));
        break;
      case colour:
        quantity_ = c.quantity;
        pending_ = true;
        break;
      case arrows:
        arrows_ = c.on ? mostArrows : 0;
        pending_ = true;
        break;
      case loop:
        loop_ = c.on;
        break;
      case tell:
        tellAll();
        break;
      case pace:
        pace_ = c.number;
        break;
      case seen:
        return;
      case solver:
      case set:
      case drag:
      case motor:
      case advance:
        audience().note(noteOf("error", "a run that is played back cannot be changed; view its scene file instead"));
        break;
    }
    keepPace();
    tellStatus();
  }

  void keepPace() {
    start_ = Clock::now();
    startTime_ = timeOf(at_);
  }

  // Past the last frame when its time is over: it is shown as long as the one before it.
  double timeOf(std::size_t k) const {
    if (k >= numbers_.size() && numbers_.size() > 1) return 2 * timeOf(numbers_.size() - 1) - timeOf(numbers_.size() - 2);
    k = std::min(k, numbers_.size() - 1);
    const auto known = times_.find(numbers_[k]);
    const double fps = scene_ && scene_->output.frames_per_second > 0 ? scene_->output.frames_per_second : 30;
    return known == times_.end() ? numbers_[k] / fps : known->second;
  }

  // To the frame that is due; those that nobody had time to see are passed over.
  void advance() {
    std::size_t next = at_ + 1;
    if (pace_ > 0)
      while (next + 1 < numbers_.size() && (timeOf(next + 1) - startTime_) / pace_ <= secondsSince(start_)) ++next;
    else if (!audience().ready())
      return;
    if (next >= numbers_.size()) {
      grow();
      if (at_ + 1 >= numbers_.size()) {
        running_ = loop_;
        if (loop_) show(0), keepPace();
      }
      return tellStatus();
    }
    show(next);
    tellStatus();
  }

  void show(std::size_t k) {
    try {
      readFrame(k);
      at_ = k;
      pending_ = true;
    } catch (const std::exception& e) {
      running_ = false;
      audience().note(noteOf("error", e.what()));
    }
  }

  void publish() {
    pending_ = false;
    std::vector<Pose<double>> poses;
    if (scene_) poses = posesOf(*scene_, shapes_, snapshot_);
    audience().frame(encodeFrameMessage(snapshot_, corner_, quantity_, poses, std::uint32_t(at_), arrows_));
    tellStatus();
  }

  void look() {
    numbers_ = numbersIn(folder_ + "/frames", format_);
    times_ = timesIn(folder_ + "/frames");
    readHealth();
    looked_ = Clock::now();
  }

  // A run that is still under way leaves more of them.
  void grow() {
    const std::size_t before = numbers_.size();
    const auto old = numbers_;
    look();
    if (numbers_.empty()) numbers_ = old;
    at_ = std::min(at_, numbers_.size() - 1);
    if (numbers_.size() != before) tellAll();
  }

  void readFrame(std::size_t k) {
    const Frames::Settings settings{folder_ + "/frames", {format_}, 0, false};
    auto frame = Frames::read(settings, numbers_.at(k), -1);
    if (!frame) throw Failure(fmt::format("frame {} is not in {} any more", numbers_[k], folder_));
    snapshot_ = std::move(*frame);
    snapshot_.bodies = track_.at(snapshot_.time);
  }

  // The checkpoint knows the scene that was run; without it the frames alone are shown.
  void readScene() {
    try {
      std::vector<std::string> ignored;
      const std::string own = folder_ + "/scene.toml";
      scene_ =
          fs::exists(own) ? brim::readScene(own) : parseScene(checkpointAt(folder_, ignored).physics, folder_ + "/scene.toml");
      corner_ = scene_->domain.min;
    } catch (const std::exception&) {
      scene_.reset();
    }
    if (!scene_) return guessScene();
    try {
      shapes_ = solidShapes(*scene_);
      track_ = BodyTrack(folder_ + "/bodies.csv", *scene_, shapes_);
      snapshot_.bodies = track_.at(snapshot_.time);
    } catch (const std::exception&) {
      shapes_.clear();  // a mesh that has gone
    }
  }

  void guessScene() {
    Scene s;
    s.dimension = snapshot_.dimension;
    s.domain.min = {1e300, 1e300, 1e300}, s.domain.max = {-1e300, -1e300, -1e300};
    double volume = 1;
    for (int k = 0; k < s.dimension; ++k) {
      for (std::size_t i = 0; i < snapshot_.size(); ++i) {
        s.domain.min[k] = std::min(s.domain.min[k], snapshot_.position[3 * i + std::size_t(k)]);
        s.domain.max[k] = std::max(s.domain.max[k], snapshot_.position[3 * i + std::size_t(k)]);
      }
      if (s.domain.min[k] > s.domain.max[k]) s.domain.min[k] = 0, s.domain.max[k] = 1;
      volume *= std::max(s.domain.max[k] - s.domain.min[k], 1e-9);
    }
    if (s.dimension == 2) s.domain.min[2] = s.domain.max[2] = 0;
    s.resolution.spacing = std::pow(volume / std::max<std::size_t>(snapshot_.size(), 1), 1. / s.dimension);
    corner_ = s.domain.min;
    scene_ = s;
  }

  void tellAll() {
    std::vector<double> times;
    for (std::size_t k = 0; k < numbers_.size(); ++k) times.push_back(timeOf(k));
    json scene = describeScene(*scene_);
    scene["until"] = times.back();
    if (scene_->title.empty()) scene["title"] = fs::path(folder_ + "/.").parent_path().filename().string();
    const json hello = {{"type", "hello"},
                        {"mode", "playback"},
                        {"file", folder_},
                        {"generation", 0},
                        {"scene", scene},
                        {"measured", describeMeasured(*scene_)},
                        {"frames", times},
                        {"solvers", json::array()},
                        {"controls", json::array()},
                        {"solids", describeSolids(*scene_, shapes_)}};
    audience().hello(hello.dump(-1, ' ', false, json::error_handler_t::replace));
    tellStatus();
  }

  void tellStatus() {
    const bool end = at_ + 1 >= numbers_.size();
    audience().status(json{{"type", "status"},
                           {"state", running_ ? "running"
                                     : end    ? "finished"
                                              : "paused"},
                           {"generation", 0},
                           {"ruined", ruined_},
                           {"pace", pace_},
                           {"loop", loop_},
                           {"frame", at_},
                           {"time", timeOf(at_)},
                           {"step", snapshot_.step},
                           {"particles", snapshot_.size()},
                           {"rate", running_ ? pace_ : 0.}}
                          .dump());
  }

  // What health checks said of the run, once it has ended.
  void readHealth() {
    const std::string file = folder_ + "/summary.json";
    if (!fs::exists(file)) return;
    const json summary = json::parse(readFile(file), nullptr, false);
    if (!summary.is_object() || !summary.contains("health") || !summary["health"].is_object()) return;
    const json all = summary["health"].value("ruined", json::array());
    if (!all.is_array()) return;
    ruined_ = json::array();
    for (const json& one : all)
      if (one.is_object()) ruined_.push_back({{"kind", wordOf(one, "kind")}, {"text", wordOf(one, "text")}});
  }
  static std::string wordOf(const json& one, const char* name) {
    return one.contains(name) && one[name].is_string() ? one[name].get<std::string>() : "";
  }

  json ruined_ = json::array();
  std::string folder_, format_;
  std::vector<int> numbers_;
  std::map<int, double> times_;  // [s]
  std::optional<Scene> scene_;
  std::vector<SolidShape> shapes_;
  BodyTrack track_;
  Vector corner_ = {0, 0, 0};
  Snapshot snapshot_;
  std::size_t at_ = 0;
  bool running_ = false, pending_ = true, loop_ = false;
  std::size_t arrows_ = 0;
  Quantity quantity_ = Quantity::speed;
  double pace_ = 1, startTime_ = 0;
  Clock::time_point start_, looked_;
};

}  // namespace

std::unique_ptr<Session> playback(const std::string& folder) { return std::make_unique<Playback>(folder); }

}  // namespace brim::view
