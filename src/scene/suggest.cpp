#include "brim/suggest.h"

#include <algorithm>

namespace brim {

// Slips of a keyboard: letters lost, added, replaced, or two neighbours swapped (optimal string alignment).
static std::size_t slips(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before, above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  // One slip in three letters is still the same word; more is another one.
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  if (word.size() > 60) return best;
  for (const auto& candidate : candidates) {
    if (const std::size_t n = slips(word, candidate); n < least && n < candidate.size()) {
      best = candidate;
      least = n;
    }
  }
  return best;
}

std::string didYouMean(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? "" : "; did you mean \"" + best + "\"?";
}

std::string listed(const std::vector<std::string>& words) {
  std::string all;
  for (const auto& w : words) all += (all.empty() ? "" : ", ") + w;
  return all;
}

}  // namespace brim
