#include "brim/batch.h"

#include <tbb/info.h>

#include <optional>

#include "side_by_side.h"

namespace brim {

struct Batch::Parts {
  std::vector<std::optional<Simulation>> tanks;
  std::vector<std::string> failures;
  Options one;  // of a tank
  int atATime = 1;
};

Batch::Batch(const std::vector<Scene>& scenes, const Options& options) : parts_(std::make_unique<Parts>()) {
  if (options.device != "cpu") throw Failure("a batch runs on CPUs only; device \"" + options.device + "\" is not possible");
  Parts& p = *parts_;
  p.one = options;
  p.one.threads = 0;
  p.atATime = options.threads > 0 ? options.threads : tbb::info::default_concurrency();
  p.tanks.resize(scenes.size());
  p.failures.resize(scenes.size());
  std::vector<Mistake> mistakes;
  for (std::size_t k = 0; k < scenes.size(); ++k)
    for (Mistake m : validate(scenes[k])) {
      m.what = "tank " + std::to_string(k) + ": " + m.what;
      mistakes.push_back(std::move(m));
    }
  if (!mistakes.empty()) throw SceneError(std::move(mistakes));
  sideBySide(scenes.size(), p.atATime, [&](std::size_t k) { p.tanks[k].emplace(scenes[k], p.one); });
}
Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;

std::size_t Batch::size() const { return parts_->tanks.size(); }
Simulation& Batch::operator[](std::size_t k) { return *parts_->tanks.at(k); }
const std::string& Batch::failure(std::size_t k) const { return parts_->failures.at(k); }

void Batch::each(const std::function<void(std::size_t)>& work) {
  Parts& p = *parts_;
  sideBySide(p.tanks.size(), p.atATime, [&](std::size_t k) {
    if (!p.failures[k].empty()) return;
    try {
      work(k);
    } catch (const Diverged& e) {
      p.failures[k] = e.what();
    } catch (const Failure& e) {
      p.failures[k] = e.what();
    }
  });
}
void Batch::advance(double limit) {
  each([&](std::size_t k) { (*this)[k].advance(limit); });
}
void Batch::advanceTo(double time) {
  each([&](std::size_t k) { (*this)[k].advanceTo(time); });
}
void Batch::replace(std::size_t k, const Scene& scene) {
  Simulation next(scene, parts_->one);
  parts_->tanks.at(k).emplace(std::move(next));
  parts_->failures[k].clear();
}

}  // namespace brim
