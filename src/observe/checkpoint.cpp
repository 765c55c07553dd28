#include "observe/checkpoint.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "io/file.h"
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

}  // namespace

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

void writeCheckpoint(const std::string& folder, const Checkpoint& c) {
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
  const std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);

  Preamble preamble;
  preamble.version = version;
  preamble.headerBytes = text.size();
  preamble.headerSum = checksum(text);
  preamble.stateBytes = c.state.size();
  preamble.stateSum = checksum({c.state.data(), c.state.size()});

  NewFile file(folder + "/state.brim", sizeof preamble + text.size() + c.state.size());
  file.write(&preamble, sizeof preamble);
  file.write(text);
  file.write(c.state.data(), c.state.size());
  file.commit(folder + "/state.previous.brim");
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
    header.at("step").get_to(c.step);
    c.totals = totalsFrom(header.at("totals"));
    header.at("frames").get_to(c.frames);
    header.at("warnings").get_to(c.warnings);
    c.state.assign(state.begin(), state.end());
    return c;
  } catch (const json::exception& e) {
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
