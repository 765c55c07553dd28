#include "view/kept.h"

#include <algorithm>

namespace brim::view {

void KeptStates::add(KeptState state) {
  bytes_ += state.state.size();
  all_.push_back(std::move(state));
  while (all_.size() > 2 && (all_.size() > most_ || bytes_ > most_bytes_)) {
    std::deque<KeptState> half;  // with the first, where a run begins
    bytes_ = 0;
    for (std::size_t k = 0; k < all_.size(); k += 2) {
      bytes_ += all_[k].state.size();
      half.push_back(std::move(all_[k]));
    }
    all_ = std::move(half);
    interval_ *= 2;
  }
}

void KeptStates::forgetAfter(double time) {
  while (!all_.empty() && all_.back().time > time) {
    bytes_ -= all_.back().state.size();
    all_.pop_back();
  }
}

void KeptStates::clear() { *this = KeptStates(most_, most_bytes_); }

std::vector<double> KeptStates::times() const {
  std::vector<double> times;
  for (const KeptState& s : all_) times.push_back(s.time);
  return times;
}

void History::add(double time, nlohmann::json report) {
  if (!rows_.empty() && rows_.back()["time"].get<double>() >= time) return;
  report["time"] = time;
  rows_.push_back(std::move(report));
  if (rows_.size() <= most_) return;
  std::vector<nlohmann::json> kept;
  for (std::size_t k = 0; k < rows_.size(); ++k)
    if (k > most_ / 2 || k % 2 == 0) kept.push_back(std::move(rows_[k]));
  rows_ = std::move(kept);
}

void History::forgetAfter(double time) {
  std::erase_if(rows_, [&](const nlohmann::json& row) { return row["time"].get<double>() > time; });
}

}  // namespace brim::view
