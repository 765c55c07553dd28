#include "look.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "brim/files.h"
#include "brim/picture.h"
#include "brim/surface.h"
#include "commands.h"

namespace brim::command {

namespace fs = std::filesystem;

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

Colours coloursOf(const std::vector<std::string>& words) {
  Colours colours;
  for (const std::string& word : words) {
    const auto at = word.rfind('=');
    unsigned rgb = 0;
    int used = 0;
    if (at == word.npos || word.size() != at + 8 || std::sscanf(word.c_str() + at, "=#%6x%n", &rgb, &used) != 1 || used != 8)
      throw Failure(fmt::format("--colour {} is not understood; give NAME=#rrggbb, for example obstacle=#c04020", word));
    for (std::size_t c = 0; c < 3; ++c) colours[word.substr(0, at)][c] = float(rgb >> (16 - 8 * c) & 255) / 255;
  }
  return colours;
}

void readLens(PictureOptions& options, const RenderArguments& a, const Scene& scene) {
  if (!a.camera.empty() && !a.view.empty()) throw Failure("give either --camera or --view");
  const bool flat = scene.dimension == 2;
  for (const auto& [given, name] :
       {std::pair(!a.camera.empty(), "--camera"), {a.fNumber > 0, "--f-number"}, {!a.focus.empty(), "--focus"}})
    if (flat && given) throw Failure(fmt::format("{} is for scenes in 3D, and this run is in 2D", name));
  if (!a.camera.empty()) options.path = readCameraPath(a.camera);
  const double rate = scene.output.frames_per_second;
  options.shutter = rate > 0 ? a.shutter / rate : 0;
  options.fNumber = a.fNumber;
  options.focused = !a.focus.empty();
  if (!options.focused) return;
  if (!(a.fNumber > 0)) throw Failure("--focus needs --f-number: without it all is sharp");
  int used = 0;
  Vector& x = options.focus;
  if (std::sscanf(a.focus.c_str(), "%lf,%lf,%lf%n", &x[0], &x[1], &x[2], &used) != 3 || std::size_t(used) != a.focus.size())
    throw Failure(fmt::format("--focus {} is not understood; give a point of the scene as X,Y,Z in metres", a.focus));
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
        const auto write = [&](const char* name, const LiquidSurface& mesh) {
          if (!mesh.mesh.triangles.empty()) writeSurfacePly(fileOf(out, name, frame, "ply"), mesh, s.time);
        };
        const Mesh cloth = moving.cloth(s);
        write("cloth", {cloth, std::vector<std::array<float, 3>>(cloth.points.size(), {0, 0, 0})});
        write("bodies", moving.bodies(s));
        // What never moves is there once.
        if (moving.solidsMove() || frame == run.frames().front()) write("solids", moving.solids(s));
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
  options.colours = coloursOf(a.colours);
  readLens(options, a, run.scene());
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
  const auto foamOf = [&](int frame) -> std::string {
    const std::string file = foamFile(run, frame);
    return !a.noFoam && (a.style == "water" || a.style == "particles") && fs::exists(file) ? file : "";
  };
  std::string settings = fmt::format("view {}\nsize {}\nlabel {}\ncolours of {} from {} to {}\n", a.view, a.size, options.label,
                                     a.style, pictures.options().least, pictures.options().most);
  settings += fmt::format("shutter {} f {} focus {} colours {}\n", a.shutter, a.fNumber, a.focus, fmt::join(a.colours, " "));
  if (!a.camera.empty()) settings += readFile(a.camera);
  // Other foam makes other pictures.
  if (!foamOf(frames.back()).empty()) settings += "foam\n" + readFile(run.path() + "/foam/foam.settings.txt");
  const int code = overFrames(
      a.frames, run, frames, out, name, settings, [&](int frame) { return std::vector<std::string>{pictureOf(frame)}; },
      [&](int frame, const Snapshot& s) {
        const std::string foam = foamOf(frame);
        const Foam beside = foam.empty() ? Foam() : readFoam(foam);
        pictures.write(pictureOf(frame), s, foam.empty() ? nullptr : &beside);
      });
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
