// The commands that turn a run's folder into something to look at.
#pragma once
#include "frames.h"

namespace brim::command {

struct SurfaceArguments {
  FramesArguments frames;
  std::string method = "anisotropic";
  std::string formats = "ply";  // ply, obj, vdb, with commas between
  double voxel = 0.5;           // [spacings]
};

struct RenderArguments {
  FramesArguments frames;
  std::string style = "water", view, size = "1280x720";
  bool film = false, noLabel = false;
};

struct ExportArguments {
  FramesArguments frames;
  std::string formats = "bgeo";  // bgeo, ply, vtp
};

int surface(const SurfaceArguments&);
int render(const RenderArguments&);
int exportFrames(const ExportArguments&);

}  // namespace brim::command
