#include "scene/mistakes.h"

#include <algorithm>
#include <tuple>

namespace brim {

void Mistakes::add(const std::string& path, const Location& at, const std::string& what) {
  all_.push_back({at, what});
  paths_.insert(path);
}

bool Mistakes::trusts(const std::string& path) const {
  for (auto p = paths_.lower_bound(path); p != paths_.end() && p->compare(0, path.size(), path) == 0; ++p)
    if (p->size() == path.size() || (*p)[path.size()] == '.' || (*p)[path.size()] == '[') return false;
  return true;
}

std::vector<Mistake> Mistakes::inOrder() const {
  auto sorted = all_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Mistake& a, const Mistake& b) {
    return std::tuple(a.at.line == 0, a.at.line, a.at.column) < std::tuple(b.at.line == 0, b.at.line, b.at.column);
  });
  return sorted;
}

}  // namespace brim
