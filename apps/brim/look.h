// The commands that turn a run's folder into something to look at.
#pragma once
#include "brim/foam.h"
#include "frames.h"

namespace CLI {
class App;
}

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
  bool film = false, noLabel = false, noFoam = false;
  std::string camera;                // a file with its path; "": --view
  double shutter = 0;                // of the time between two frames
  double fNumber = 0;                // 0: all is sharp
  std::string focus;                 // "X,Y,Z" [m]; "": the middle of the picture
  std::vector<std::string> colours;  // NAME=#rrggbb
};

struct FoamArguments {
  FramesArguments frames;
  FoamOptions options;
};

struct ExportArguments {
  FramesArguments frames;
  std::string formats = "bgeo";  // bgeo, ply, vtp
};

int surface(const SurfaceArguments&);
void addFoam(CLI::App&, FoamArguments&);
int foam(const FoamArguments&);
/// Where the foam of a frame is, if it was made.
std::string foamFile(const RunFolder&, int frame);
int render(const RenderArguments&);
int exportFrames(const ExportArguments&);

}  // namespace brim::command
