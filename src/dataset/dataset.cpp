#include "brim/dataset.h"

#include <fmt/format.h>
#include <tbb/info.h>

#include <cmath>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>

#include "brim/files.h"
#include "dataset/layout.h"
#include "dataset/npz.h"
#include "dataset/trajectory.h"
#include "side_by_side.h"

namespace brim {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

std::uint64_t mixed(std::uint64_t z) {  // SplitMix64 (Steele, Lea & Flood 2014)
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

std::uint64_t hashOf(std::string_view bytes) {
  std::uint64_t h = bytes.size();
  for (std::size_t k = 0; k < bytes.size(); k += 8) {
    std::uint64_t word = 0;
    bytes.substr(k, 8).copy(reinterpret_cast<char*>(&word), 8);
    h = mixed(h ^ word);
  }
  return h;
}

std::string hex(std::uint64_t h) { return fmt::format("{:016x}", h); }

/// One trajectory to make.
struct Item {
  std::string split;
  int splitIndex, k;
};

// The draw depends on the seed and on which trajectory and attempt it is, not on what was made before.
std::vector<Setting> draw(const DatasetSpec& spec, std::uint64_t seed) {
  std::vector<Setting> all;
  for (std::size_t v = 0; v < spec.vary.size(); ++v) {
    const Drawn& d = spec.vary[v];
    const double u = double(mixed(seed + v) >> 11) * 0x1p-53;  // [0, 1)
    std::string text;
    if (!d.values.empty()) {
      text = d.values[std::size_t(u * double(d.values.size()))];
    } else if (d.whole) {
      text = fmt::format("{:.0f}", std::floor(std::ceil(d.low) + u * (std::floor(d.high) - std::ceil(d.low) + 1)));
    } else {
      const double x = d.log ? std::exp(std::log(d.low) + u * std::log(d.high / d.low)) : d.low + u * (d.high - d.low);
      text = fmt::format("{}", std::clamp(x, d.low, d.high));
    }
    all.push_back({d.path, text, fmt::format("{}: {} = {}", spec.file, d.path, text)});
  }
  return all;
}

class Maker {
 public:
  Maker(const DatasetSpec& spec, const DatasetOptions& options, const std::atomic<bool>& stop,
        const std::function<void(const DatasetTold&)>& told)
      : spec_(spec), options_(options), stop_(stop), tell_(told), base_(readScene(spec.scene, spec.set)) {
    if (!base_.fluid.emitters.empty() || !base_.fluid.sinks.empty())
      throw SceneError({{base_.at("fluid"), "a data set needs scenes whose particles stay: no emitters and no sinks"}});
    int index = 0;
    for (const auto& [split, n] : {std::pair("train", spec.train), {"valid", spec.valid}, {"test", spec.test}}) {
      for (int k = 0; k < n; ++k) items_.push_back({split, index, k});
      makeFolder(fmt::format("{}/npz/{}", options.out, split));
      ++index;
    }
    told_.of = int(items_.size());
  }

  bool make() {
    Options one;
    one.precision = options_.precision;
    const int atATime = options_.threads > 0 ? options_.threads : tbb::info::default_concurrency();
    sideBySide(items_.size(), atATime, [&](std::size_t k) {
      if (!stop_) trajectory(items_[k], one);
    });
    if (told_.done < told_.of) return false;
    writeLayout(spec_, base_, options_.out);
    writeManifest();
    return true;
  }

 private:
  static std::vector<Setting> joined(std::vector<Setting> a, const std::vector<Setting>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  void trajectory(const Item& item, const Options& one) {
    const std::string path = pathOf(options_.out, item.split, item.k);
    // The second file is written last: what has both is whole.
    if (fs::exists(path + ".json") && fs::exists(path + ".npz")) return finished(0, true);
    ordered_json ruined = ordered_json::array();
    for (int attempt = 0; attempt < spec_.attempts; ++attempt) {
      const std::uint64_t seed = mixed(mixed(mixed(std::uint64_t(spec_.seed)) + std::uint64_t(item.splitIndex)) +
                                       (std::uint64_t(item.k) << 20) + std::uint64_t(attempt));
      const std::vector<Setting> drawn = draw(spec_, seed);
      ordered_json values;
      for (const Setting& s : drawn) values[s.path] = s.value;
      std::optional<Trajectory> t(std::in_place);
      try {
        t = simulate(readScene(spec_.scene, joined(spec_.set, drawn)), spec_, one, stop_);
      } catch (const SceneError& e) {
        t->ruined = describe(e.mistakes().front());
      }
      if (!t) return;  // stopped
      if (!t->ruined.empty()) {
        ruined.push_back({{"seed", hex(seed)}, {"values", values}, {"why", t->ruined}});
        continue;
      }
      NpzWriter npz;
      const std::size_t D = std::size_t(t->dimension);
      npz.add("position", "<f4", {t->frames, t->particles, D}, t->position.data(), t->position.size() * sizeof(float));
      npz.add("particle_type", "<i4", {t->particles}, t->type.data(), t->type.size() * sizeof(int));
      const std::string file = npz.file();
      writeFile(path + ".npz", file);
      const ordered_json about = {{"split", item.split},      {"index", item.k},           {"seed", hex(seed)},
                                  {"values", values},         {"particles", t->particles}, {"state", hex(t->hash)},
                                  {"npz", hex(hashOf(file))}, {"ruined", ruined}};
      writeFile(path + ".json", about.dump(2) + "\n");
      return finished(int(ruined.size()), false);
    }
    throw Failure(fmt::format("{} trajectory {} was ruined {} times, the last time: {}", item.split, item.k, spec_.attempts,
                              ruined.back()["why"].get<std::string>()));
  }

  void finished(int replaced, bool kept) {
    const std::lock_guard guard(mutex_);
    ++told_.done;
    told_.replaced += replaced;
    told_.kept += kept;
    if (tell_) tell_(told_);
  }

  void writeManifest() {
    ordered_json trajectories = ordered_json::array();
    std::size_t ruined = 0;
    for (const Item& item : items_) {
      trajectories.push_back(ordered_json::parse(readFile(pathOf(options_.out, item.split, item.k) + ".json")));
      ruined += trajectories.back()["ruined"].size();
    }
    const ordered_json manifest = {{"seed", spec_.seed},
                                   {"specification", hex(hashOf(spec_.text))},
                                   {"scene", hex(hashOf(base_.text))},
                                   {"ruined", ruined},
                                   {"trajectories", trajectories}};
    writeFile(options_.out + "/manifest.json", manifest.dump(2) + "\n");
  }

  const DatasetSpec& spec_;
  const DatasetOptions& options_;
  const std::atomic<bool>& stop_;
  const std::function<void(const DatasetTold&)>& tell_;
  Scene base_;
  std::vector<Item> items_;
  std::mutex mutex_;
  DatasetTold told_;
};

}  // namespace

bool makeDataset(const DatasetSpec& spec, const DatasetOptions& options, const std::atomic<bool>& stop,
                 const std::function<void(const DatasetTold&)>& told) {
  if (spec.hdf5 && !hdf5Available())
    throw Failure("this brim was built without HDF5: install Debian's libhdf5-dev and build it again, or write \"hdf5 = false\"");
  claimFolder(options.out);
  const FolderLock alone(options.out);
  const std::string kept = options.out + "/dataset.toml";
  const std::string text = spec.text + "\n# scene:\n" + readFile(spec.scene) + "\n# precision: " + options.precision + "\n";
  if (fs::exists(kept) && readFile(kept) != text) {
    if (!options.overwrite)
      throw Failure(fmt::format("{} holds another data set; --overwrite replaces it, or give another --out", options.out));
    fs::remove_all(options.out + "/npz");
  } else if (options.overwrite) {
    fs::remove_all(options.out + "/npz");
  }
  Maker maker(spec, options, stop, told);
  writeFile(kept, text);
  return maker.make();
}

}  // namespace brim
