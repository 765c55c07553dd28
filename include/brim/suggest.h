// "did you mean ...?"
#pragma once
#include <string>
#include <vector>

namespace brim {

/// The candidate that `word` is most likely a slip of; "" if none is close.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// "; did you mean "pbf"?" or "".
std::string didYouMean(const std::string& word, const std::vector<std::string>& candidates);

/// "box, sphere, plane".
std::string listed(const std::vector<std::string>& words);

}  // namespace brim
