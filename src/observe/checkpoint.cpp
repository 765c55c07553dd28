#include "observe/checkpoint.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "io/file.h"
#include "observe/health_json.h"
#include "scene/write.h"

namespace brim {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t version = 1;

struct Preamble {
  char magic[8] = {'b', 'r', 'i', 'm', 's', 't', 'a', 't'};
  std::uint64_t version = 0, headerBytes = 0, headerSum = 0, stateBytes = 0, stateSum = 0;
};

// Eight bytes at a time, so that summing a large state costs less than writing it.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = 0x9ae16a3b2f90404f ^ bytes.size();
  const auto mix = [&](std::uint64_t word) {
    sum = (sum ^ word) * 0x9ddfea08eb382d69;
    sum ^= sum >> 29;
  };
  std::size_t k = 0;
  for (; k + 8 <= bytes.size(); k += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + k, 8);
    mix(word);
  }
  std::uint64_t last = 0;
  if (k < bytes.size()) std::memcpy(&last, bytes.data() + k, bytes.size() - k);
  mix(last);
  return sum;
}

Preamble preambleOf(std::string_view header, std::string_view state) {
  Preamble p;
  p.version = version;
  p.headerBytes = header.size(), p.headerSum = checksum(header);
  p.stateBytes = state.size(), p.stateSum = checksum(state);
  return p;
}

}  // namespace

std::string sealedCheckpoint(std::string_view header, std::string_view state) {
  const Preamble preamble = preambleOf(header, state);
  std::string bytes(reinterpret_cast<const char*>(&preamble), sizeof preamble);
  return bytes.append(header).append(state);
}

std::string physicsOf(const Scene& scene) {
  Scene s = scene;
  s.title.clear();
  s.time.until = TimeControl().until;
  s.output = Output();
  return toToml(s);
}

std::string difference(const std::string& physicsThere, const std::string& physicsHere) {
  std::istringstream there(physicsThere), here(physicsHere);
  std::string table;
  for (;;) {
    std::string a, b;
    const bool moreThere = bool(std::getline(there, a)), moreHere = bool(std::getline(here, b));
    if (!moreThere && !moreHere) return {};
    if (a != b || moreThere != moreHere)
      return fmt::format("{}{} there, {} here", table, moreThere ? a : "nothing", moreHere ? b : "nothing");
    if (a.starts_with('[')) table = a + " ";
  }
}

static void write(const std::string& path, const Checkpoint& c, const std::string& previous) {
  json header;
  header["scene"] = c.sceneText;
  header["physics"] = c.physics;
  header["precision"] = c.precision;
  header["flavour"] = c.flavour;
  header["time"] = c.time;
  header["step"] = c.step;
  header["totals"] = toJson(c.totals);
  header["frames"] = c.frames;
  header["warnings"] = c.warnings;
  header["cut_for"] = c.cutFor;
  header["health"] = toJson(c.health);
  header["ruined"] = toJson(c.ruined);
  const std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);

  const std::string_view state(c.state.data(), c.state.size());
  const Preamble preamble = preambleOf(text, state);
  NewFile file(path, sizeof preamble + text.size() + c.state.size());
  file.write(&preamble, sizeof preamble);
  file.write(text);
  file.write(state);
  file.commit(previous);
}

void writeCheckpoint(const std::string& folder, const Checkpoint& c) {
  write(folder + "/state.brim", c, folder + "/state.previous.brim");
}

void writeStraight(const std::string& folder, const Checkpoint& c) { write(folder + "/state.straight.brim", c, {}); }

std::optional<Checkpoint> readStraight(const std::string& folder) {
  const std::string file = folder + "/state.straight.brim";
  return fs::exists(file) ? std::optional(readCheckpoint(file)) : std::nullopt;
}

Checkpoint readCheckpoint(const std::string& file) {
  const std::string content = readFile(file);
  const auto damaged = [&](const char* what) { return Failure(fmt::format("checkpoint {} is damaged: {}", file, what)); };
  Preamble preamble;
  if (content.size() < sizeof preamble || std::memcmp(content.data(), preamble.magic, sizeof preamble.magic) != 0)
    throw damaged("it does not begin as a checkpoint does");
  std::memcpy(&preamble, content.data(), sizeof preamble);
  if (preamble.version != version)
    throw Failure(fmt::format("checkpoint {} has version {}, this Brim reads version {}", file, preamble.version, version));
  const std::string_view rest = std::string_view(content).substr(sizeof preamble);
  if (preamble.headerBytes > rest.size() || preamble.stateBytes != rest.size() - preamble.headerBytes)
    throw damaged("its size is wrong");
  const auto text = rest.substr(0, preamble.headerBytes), state = rest.substr(preamble.headerBytes);
  if (checksum(text) != preamble.headerSum || checksum(state) != preamble.stateSum) throw damaged("its checksum is wrong");

  try {
    const json header = json::parse(text);
    Checkpoint c;
    header.at("scene").get_to(c.sceneText);
    header.at("physics").get_to(c.physics);
    header.at("precision").get_to(c.precision);
    header.at("flavour").get_to(c.flavour);
    header.at("time").get_to(c.time);
    c.step = wholeFrom(header.at("step"), 0, std::int64_t(1) << 53);
    c.totals = totalsFrom(header.at("totals"));
    for (const json& frame : header.at("frames"))
      c.frames.emplace(int(wholeFrom(frame.at(0), 0, 999999999)), frame.at(1).get<double>());
    header.at("warnings").get_to(c.warnings);
    c.cutFor = header.value("cut_for", 0.0);
    if (header.contains("health")) c.health = healthFrom(header["health"]);
    if (header.contains("ruined")) c.ruined = healthWarningsFrom(header["ruined"]);
    c.state.assign(state.begin(), state.end());
    return c;
  } catch (const json::exception& e) {
    throw damaged(e.what());
  } catch (const std::range_error& e) {
    throw damaged(e.what());
  }
}

std::optional<Checkpoint> latestCheckpoint(const std::string& folder, std::vector<std::string>& warnings) {
  const std::string newest = folder + "/state.brim", previous = folder + "/state.previous.brim";
  if (!fs::exists(previous)) return fs::exists(newest) ? std::optional(readCheckpoint(newest)) : std::nullopt;
  // Without a newest one, the run was killed between the two renames: the previous one is as good.
  if (!fs::exists(newest)) return readCheckpoint(previous);
  try {
    return readCheckpoint(newest);
  } catch (const Failure& e) {
    Checkpoint c = readCheckpoint(previous);
    warnings.push_back(fmt::format("{}; went on from the one before it, at t = {} s", e.what(), c.time));
    return c;
  }
}

Checkpoint checkpointAt(const std::string& fileOrFolder, std::vector<std::string>& warnings) {
  if (!fs::exists(fileOrFolder)) throw Failure(fmt::format("there is no checkpoint {}", fileOrFolder));
  if (!fs::is_directory(fileOrFolder)) return readCheckpoint(fileOrFolder);
  for (const std::string& folder : {fileOrFolder + "/checkpoint", fileOrFolder})
    if (auto c = latestCheckpoint(folder, warnings)) return std::move(*c);
  throw Failure(fmt::format("{} holds no checkpoint; give a run's folder or a state.brim", fileOrFolder));
}

}  // namespace brim
