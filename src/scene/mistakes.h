// Collects what is wrong with a scene, by path, so that one slip is told once and not through its consequences too.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "brim/error.h"

namespace brim {

class Mistakes {
 public:
  void add(const std::string& path, const Location&, const std::string& what);
  /// Marks a path as wrong without telling it: the slip has been told under another name.
  void distrust(const std::string& path) { paths_.insert(path); }
  /// Nothing at or below `path` is wrong.
  bool trusts(const std::string& path) const;
  /// In the order of the file; those without a place last.
  std::vector<Mistake> inOrder() const;

 private:
  std::vector<Mistake> all_;
  std::set<std::string> paths_;
};

}  // namespace brim
