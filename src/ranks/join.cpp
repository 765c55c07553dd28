// Finds the module that speaks MPI and loads it.
#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "brim/error.h"
#include "ranks/team.h"

namespace brim::ranks {

namespace fs = std::filesystem;

static Team* joined = nullptr;

Team* team() { return joined; }

Team& join() {
  if (joined) return *joined;
  std::error_code ignored;
  const fs::path command = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const fs::path places[] = {command / "libbrim_ranks.so", command / "../" BRIM_LIBRARY_FOLDER "/brim/libbrim_ranks.so"};
  for (const fs::path& file : places) {
    if (!fs::exists(file, ignored)) continue;
    // Open MPI's own plugins look for its symbols among those of the process.
    void* const module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!module)
      throw Failure(fmt::format("--ranks needs MPI, and {} could not be loaded: {}. Install Debian's package openmpi-bin",
                                file.lexically_normal().string(), ::dlerror()));
    const auto make = reinterpret_cast<Team* (*)()>(::dlsym(module, "brimJoinRanks"));
    if (!make) throw Failure(fmt::format("{} is not of this brim", file.string()));
    return *(joined = make());
  }
  throw Failure(
      "this brim was built without MPI, which --ranks needs: install Debian's packages libopenmpi-dev and openmpi-bin, and build "
      "again (docs/ranks.md)");
}

}  // namespace brim::ranks
