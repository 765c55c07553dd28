// Options of the commands that look at a run's frames: surface, render, foam, export.
#include <fmt/format.h>

#include "options.h"

namespace brim::command {

static void addFrames(CLI::App& command, FramesArguments& a, const char* out) {
  command.add_option("DIR", a.folder, "Folder of a run (brim run), also while it is running")->required();
  command.add_option("--frames", a.frames, "Only these: N, FIRST:LAST or FIRST:LAST:STEP")->type_name("RANGE");
  command.add_option("--out", a.out, fmt::format("Folder of the results (default: DIR/{})", out))->type_name("DIR");
  command.add_option("--threads", a.threads, "Threads; 0: all cores. The result does not depend on it")
      ->type_name("N")
      ->check(CLI::Range(0, 4096));
  command.add_flag("--force", a.force, "Make all files again, also those that are up to date");
  command.add_flag("--quiet", a.quiet, "Print no progress, only errors");
}

void addLook(CLI::App& app, LookArguments& a) {
  auto* surface = app.add_subcommand("surface", "Triangle meshes of the liquid's surface, from the frames of a run");
  surface->footer(R"(Methods:
  anisotropic  kernels stretched along the surface (Yu & Turk 2013): smooth, keeps thin sheets
  spheres      round kernels at the particles (Mueller et al. 2003): fast, bumpy
  levelset     distance to the mean position of nearby particles (Zhu & Bridson 2005): smooth, fills dents
Meshes are closed and keep the volume of the liquid. PLY files also hold velocities (vx vy vz). Files that are up to date are kept.)");
  addFrames(*surface, a.surface.frames, "surface");
  surface->add_option("--method", a.surface.method, "anisotropic, spheres or levelset")->type_name("NAME");
  surface->add_option("--format", a.surface.formats, "ply, obj, vdb, separated by commas")->type_name("A,B");
  surface->add_option("--voxel", a.surface.voxel, "Side of a grid cell, in particle spacings")
      ->type_name("X")
      ->check(CLI::Range(0.1, 2.0));

  auto* render = app.add_subcommand("render", "Pictures and a film of a run, without a display");
  render->footer(R"(Views of 3D scenes: front, side, top, iso, or AZIMUTH,ELEVATION[,ZOOM] in degrees (default: 24,17).
Films need ffmpeg and play in real time. Pictures that are up to date are kept, unless an option changed.
Foam and spray are shown where brim foam made them. A path of the camera is a CSV file with a row for each keyframe and the
columns time [s], eye_x, eye_y, eye_z, target_x, target_y, target_z [m] and, if you like, fov [deg].)");
  addFrames(*render, a.render.frames, "pictures");
  render->add_option("--style", a.render.style, "water, particles, density or speed")->type_name("NAME");
  render->add_option("--view", a.render.view, "Where the camera is")->type_name("VIEW");
  render->add_option("--size", a.render.size, "Size of a picture [px]")->type_name("WxH");
  render->add_option("--camera", a.render.camera, "A path of the camera, instead of --view (CSV)")->type_name("FILE");
  render->add_option("--shutter", a.render.shutter, "Motion blur: how long the shutter is open, over the time between two frames")
      ->type_name("X")
      ->check(CLI::Range(0.0, 1.0));
  render
      ->add_option("--f-number", a.render.fNumber,
                   "Depth of field of a lens behind which pictures are 24 mm high; smaller: more blur; 0: all is sharp")
      ->type_name("N")
      ->check(CLI::Range(0.0, 64.0));
  render->add_option("--focus", a.render.focus, "The point that is sharp [m] (default: the middle of the picture)")
      ->type_name("X,Y,Z");
  render->add_option("--colour", a.render.colours, "Colour of a solid or body by its name, or of all: solids, bodies, cloth")
      ->type_name("NAME=#rrggbb")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  render->add_flag("--no-foam", a.render.noFoam, "Do not show what brim foam made");
  render->add_flag("--film", a.render.film, "Also make an mp4");
  render->add_flag("--no-label", a.render.noLabel, "Draw no time and no colour bar");

  addFoam(app, a.foam);

  auto* files = app.add_subcommand("export", "The particles of a run in another file format");
  addFrames(*files, a.files.frames, "export");
  files->add_option("--format", a.files.formats, "bgeo (Houdini), ply, vtp (ParaView), separated by commas")->type_name("A,B");
}

}  // namespace brim::command
