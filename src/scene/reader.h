// Walks the declaration of a scene and takes each value from a TOML tree, noting its place.
#pragma once
#include <toml++/toml.h>

#include <map>

#include "scene/declare.h"
#include "scene/mistakes.h"

namespace brim {

class Reader : public SceneVisitor {
 public:
  /// `given`: paths whose values came from settings, and the label of each. `what` the file is, for messages.
  Reader(const toml::table& root, Scene&, Mistakes&, const std::map<std::string, std::string>& given, const char* what = "scene");
  void key(const char* name, Value, const Doc&, const Use&) override;
  void table(const char* name, const char* text, const std::function<void()>& inside) override;
  void list(const char* name, const char* text, const Tables&) override;
  void solver(SolverChoice&) override;
  /// The node of a key that belongs to the open table; null if it is not there.
  const toml::node* find(const char* name);
  void wrongType(const std::string& path, const toml::node&, const std::string& expected);
  /// Complains about what nobody asked for.
  void finish() { leave(); }

 private:
  struct Frame {
    const toml::table* table;
    std::string path;
    std::string kind = {};                    // once it is read and known
    std::vector<std::string> known = {};      // keys that belong here
    std::vector<std::string> unfitting = {};  // keys of other kinds than this table's
  };

  void enter(const toml::table& table, const std::string& path) { frames_.push_back({&table, path}); }
  void leave();
  std::string join(const std::string& name) const;
  Location locate(const std::string& path, const toml::source_region&) const;

  bool read(const std::string& path, const toml::node&, const Doc&, double*);
  bool read(const std::string& path, const toml::node&, const Doc&, int*);
  bool read(const std::string& path, const toml::node&, const Doc&, bool*);
  bool read(const std::string& path, const toml::node&, const Doc&, std::string*);
  bool read(const std::string& path, const toml::node&, const Doc&, Vector*);
  bool read(const std::string& path, const toml::node&, const Doc&, Turn);
  bool read(const std::string& path, const toml::node&, const Doc&, Course);
  bool read(const std::string& path, const toml::node&, const Doc&, PerAxis*);
  bool read(const std::string& path, const toml::node&, const Doc&, std::vector<Vector>*);
  bool read(const std::string& path, const toml::node&, const Doc&, std::vector<std::string>*);
  bool read(const std::string& path, const toml::node&, const Doc&, std::vector<Keyframe>*);
  bool read(const std::string& path, const toml::node&, const Doc&, TurnKeys);
  bool read(const std::string& path, const toml::node&, const Doc&, Slip*);
  template <class V>
  bool readKeys(const std::string& path, const toml::node&, const Doc&, std::vector<Keyframe>*);
  bool readNumbers(const std::string& path, const toml::node&, const Doc&, Vector*, bool three);

  void entries(const std::string& path, const toml::array&, const Tables&);
  void ownTable(const SolverInfo&, const toml::node&, SolverChoice*);

  Scene& scene_;
  Mistakes& mistakes_;
  const std::map<std::string, std::string>& given_;
  std::string what_;
  std::vector<Frame> frames_;
};

/// What is wrong with a text that is no TOML.
std::string syntaxComplaint(const toml::parse_error&);

}  // namespace brim
