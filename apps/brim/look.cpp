#include "look.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "brim/files.h"
#include "brim/picture.h"
#include "brim/surface.h"
#include "commands.h"

namespace brim::command {

namespace {

std::vector<std::string> listOf(const std::string& text, const std::vector<std::string>& known, const char* option) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) {
    if (std::find(known.begin(), known.end(), word) == known.end())
      throw Failure(fmt::format("{} {} is not known; there are {}", option, word, fmt::join(known, ", ")));
    words.push_back(word);
  }
  if (words.empty()) throw Failure(fmt::format("{} needs one of {}", option, fmt::join(known, ", ")));
  return words;
}

std::string fileOf(const std::string& out, const char* what, int frame, const std::string& format) {
  return fmt::format("{}/{}_{:06}.{}", out, what, frame, format);
}

std::string folderFor(const FramesArguments& a, const RunFolder& run, const std::string& name) {
  return a.out.empty() ? run.path() + "/" + name : a.out;
}

std::vector<std::string> filesOf(const std::string& out, const char* what, int frame, const std::vector<std::string>& formats) {
  std::vector<std::string> files;
  for (const auto& format : formats) files.push_back(fileOf(out, what, frame, format));
  return files;
}

// At most eight, evenly over the run: enough to choose colours and the part of the domain to show.
std::vector<Snapshot> someOf(const RunFolder& run, const std::vector<int>& frames) {
  std::vector<Snapshot> some;
  const std::size_t n = std::min<std::size_t>(frames.size(), 8);
  for (std::size_t k = 0; k < n; ++k) some.push_back(run.read(frames[n > 1 ? k * (frames.size() - 1) / (n - 1) : 0]));
  return some;
}

}  // namespace

int surface(const SurfaceArguments& a) {
  const RunFolder run(a.frames.folder);
  const auto frames = chosen(run, a.frames.frames);
  const auto formats = listOf(a.formats, {"ply", "obj", "vdb"}, "--format");
  listOf(a.method, surfaceMethods(), "--method");
  if (std::find(formats.begin(), formats.end(), "vdb") != formats.end() && !vdbAvailable())
    throw Failure("this brim was built without OpenVDB; install Debian's package libopenvdb-dev, configure and build again");
  if (run.scene().dimension == 2)
    throw Failure(fmt::format("{} is a run in 2D, which has no surface of triangles; brim render draws its outline", run.path()));
  const std::string out = folderFor(a.frames, run, "surface");
  const MovingMeshes moving(run.scene());
  const double spacing = run.scene().resolution.spacing;
  const int code = overFrames(
      a.frames, run, frames, out, "surface", fmt::format("method {}\nvoxel {}\n", a.method, a.voxel),
      [&](int frame) { return filesOf(out, "surface", frame, formats); },
      [&](int frame, const Snapshot& s) {
        const LiquidSurface liquid = surfaceOf(s, spacing, {a.method, a.voxel});
        for (const auto& format : formats) {
          const std::string file = fileOf(out, "surface", frame, format);
          if (format == "ply") writeSurfacePly(file, liquid, s.time);
          if (format == "obj") writeSurfaceObj(file, liquid, s.time);
          if (format == "vdb") writeSurfaceVdb(file, liquid, a.voxel * spacing, s.time);
        }
        // What moves beside the liquid, as meshes that belong to the same frames.
        for (const auto& [name, mesh] : {std::pair("cloth", moving.cloth(s)), std::pair("bodies", moving.bodies(s))})
          if (!mesh.triangles.empty()) {
            const LiquidSurface still{mesh, std::vector<std::array<float, 3>>(mesh.points.size(), {0, 0, 0})};
            writeSurfacePly(fileOf(out, name, frame, "ply"), still, s.time);
          }
      });
  if (code == ok && !a.frames.quiet) fmt::print("{} surfaces in {}\n", frames.size(), out);
  return code;
}

int render(const RenderArguments& a) {
  const RunFolder run(a.frames.folder);
  const auto frames = chosen(run, a.frames.frames);
  listOf(a.style, pictureStyles(), "--style");
  PictureOptions options;
  options.style = a.style;
  options.eye = eyeFrom(a.view);
  options.label = !a.noLabel;
  int used = 0;
  if (std::sscanf(a.size.c_str(), "%dx%d%n", &options.width, &options.height, &used) != 2 || std::size_t(used) != a.size.size() ||
      options.width < 64 || options.height < 64 || options.width > 8192 || options.height > 8192)
    throw Failure(fmt::format("--size {} is not understood; give WIDTHxHEIGHT in pixels, 64x64 to 8192x8192", a.size));
  const Pictures pictures = [&] {
    const auto some = someOf(run, frames);
    if (a.style == "density" && std::all_of(some.begin(), some.end(), [](const Snapshot& s) { return s.density.empty(); }))
      throw Failure(fmt::format("the frames of {} hold no density", run.path()));
    return Pictures(run.scene(), options, some);
  }();
  const std::string out = folderFor(a.frames, run, "pictures");
  const std::string name = a.style;
  const auto pictureOf = [&](int frame) { return fileOf(out, name.c_str(), frame, "png"); };
  const std::string settings = fmt::format("view {}\nsize {}\nlabel {}\ncolours of {} from {} to {}\n", a.view, a.size,
                                           options.label, a.style, pictures.options().least, pictures.options().most);
  const int code = overFrames(
      a.frames, run, frames, out, name, settings, [&](int frame) { return std::vector<std::string>{pictureOf(frame)}; },
      [&](int frame, const Snapshot& s) { pictures.write(pictureOf(frame), s); });
  if (code != ok) return code;
  if (!a.frames.quiet) fmt::print("{} pictures in {}\n", frames.size(), out);
  if (a.film) {
    std::vector<std::string> files;
    for (const int frame : frames) files.push_back(pictureOf(frame));
    // As fast as it happened, as long as that is a film.
    const double rate = run.scene().output.frames_per_second;
    const std::string film = fmt::format("{}/{}.mp4", out, name);
    writeFilm(film, files, std::clamp(rate > 0 ? rate : 30., 1., 120.));
    if (!a.frames.quiet) fmt::print("  film        {}\n", film);
  }
  return ok;
}

int exportFrames(const ExportArguments& a) {
  const RunFolder run(a.frames.folder);
  const auto frames = chosen(run, a.frames.frames);
  const auto formats = listOf(a.formats, {"bgeo", "ply", "vtp"}, "--format");
  const std::string out = folderFor(a.frames, run, "export");
  const double spacing = run.scene().resolution.spacing;
  const int code = overFrames(
      a.frames, run, frames, out, "particles", "particles\n",
      [&](int frame) { return filesOf(out, "particles", frame, formats); },
      [&](int frame, const Snapshot& s) {
        for (const auto& format : formats) {
          const std::string file = fileOf(out, "particles", frame, format);
          if (format == "bgeo") writeBgeo(file, s);
          if (format == "ply") writePly(file, s, spacing);
          if (format == "vtp") writeVtp(file, s, spacing);
        }
      });
  if (code == ok && !a.frames.quiet) fmt::print("{} frames in {}\n", frames.size(), out);
  return code;
}

}  // namespace brim::command
