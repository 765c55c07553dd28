// Surfaces, pictures and films of a run, as their users make them.
#include "command.h"
#include "io/bgeo.h"
#include "io/mesh_files.h"
#include "io/png.h"
#include "io/vtp.h"

namespace brim {
namespace {

class Look : public Command {
 protected:
  void runs(const std::string& more = "") { ASSERT_EQ(brim("run scenes/dam.toml --quiet --out out " + more).code, 0); }
  fs::file_time_type timeOf(const char* file) { return fs::last_write_time(folder / file); }
};

TEST_F(Look, RenderMakesAPictureOfEveryFrameAndTheSecondTimeNothing) {
  runs();
  const Outcome o = brim("render out --size 320x200");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "3 pictures in out/pictures")) << o.out;
  const Image image = readPng(folder / "out/pictures/water_000002.png");
  EXPECT_EQ(image.width, 320);
  EXPECT_EQ(image.height, 200);
  // A quarter of a tank of water, as blue as it gets.
  int blue = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) blue += image.at(x, y)[2] > image.at(x, y)[0] + 50;
  EXPECT_GT(blue, 320 * 200 / 20);

  const auto before = timeOf("out/pictures/water_000002.png");
  fs::remove(folder / "out/pictures/water_000001.png");
  EXPECT_EQ(brim("render out --size 320x200").code, 0);
  EXPECT_TRUE(fs::exists(folder / "out/pictures/water_000001.png"));
  EXPECT_EQ(timeOf("out/pictures/water_000002.png"), before);
  EXPECT_EQ(brim("render out --size 320x200 --style speed").code, 0);  // pictures of another kind do not touch these
  EXPECT_EQ(timeOf("out/pictures/water_000002.png"), before);
  EXPECT_EQ(brim("render out --size 300x200").code, 0);
  EXPECT_EQ(readPng(folder / "out/pictures/water_000002.png").width, 300);
}

TEST_F(Look, AFilmWithoutFfmpegNamesThePackage) {
  runs();
  const Outcome o = brim("render out --size 128x96 --film --quiet", "PATH=/nowhere");
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "Debian's package ffmpeg")) << o.err;
  EXPECT_TRUE(fs::exists(folder / "out/pictures/water_000002.png"));
}

TEST_F(Look, AFilmIsAnMp4) {
  if (std::system("ffmpeg -version >/dev/null 2>&1") != 0) GTEST_SKIP() << "ffmpeg is not installed (tools/setup tests)";
  runs();
  const Outcome o = brim("render out --size 129x97 --film --quiet --style speed");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(contentOf(folder / "out/pictures/speed.mp4").substr(4, 4), "ftyp");
}

TEST_F(Look, SurfacesComeFromSavedFrames) {
  std::ofstream(folder / "scenes/drop.toml") << "version = 1\n[domain]\nmax = [0.5, 0.5, 0.5]\n[resolution]\nspacing = 0.05\n"
                                                "[[fluid.blocks]]\nkind = \"sphere\"\ncentre = [0.25, 0.3, 0.25]\nradius = 0.15\n"
                                                "[time]\nuntil = 0.1\n[output]\nframes_per_second = 10\n";
  ASSERT_EQ(brim("run scenes/drop.toml --quiet --out out").code, 0);
  const Outcome o = brim("surface out --format ply,obj --threads 1");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "2 surfaces in out/surface"));
  const std::string one = contentOf(folder / "out/surface/surface_000001.ply");
  EXPECT_TRUE(has(contentOf(folder / "out/surface/surface_000001.obj"), "\nf "));
  EXPECT_TRUE(has(one, "property float vz"));
  EXPECT_EQ(brim("surface out --threads 2 --force").code, 0);
  EXPECT_EQ(contentOf(folder / "out/surface/surface_000001.ply"), one);  // the same bytes for any number of threads
}

// A crate that falls half a second: the mesh of the last frame lies g t^2 / 2 below that of the first.
TEST_F(Look, BodiesComeFromTheirTable) {
  std::ofstream(folder / "scenes/crate.toml")
      << "version = 1\n[domain]\nmax = [1, 2, 1]\n[resolution]\nspacing = 0.1\n"
         "[[fluid.blocks]]\nkind = \"box\"\nmin = [0, 0, 0]\nmax = [1, 0.2, 1]\n"
         "[[bodies]]\nname = \"crate\"\nkind = \"box\"\nmin = [0.4, 1.6, 0.4]\nmax = [0.6, 1.8, 0.6]\n"
         "[time]\nuntil = 0.3\n[output]\nframes_per_second = 10\n";
  const Outcome ran = brim("run scenes/crate.toml --quiet --out out");
  ASSERT_EQ(ran.code, 0) << ran.err;
  ASSERT_EQ(brim("surface out --quiet").code, 0);
  const auto lowest = [&](const char* file) {
    double low = 1e9;
    for (const Vector& x : readSurfacePly(folder / file).mesh.points) low = std::min(low, x[1]);
    return low;
  };
  const double fallen = lowest("out/surface/bodies_000000.ply") - lowest("out/surface/bodies_000003.ply");
  // Steps of at most 5 ms are off by less than g t dt / 2.
  EXPECT_NEAR(fallen, 9.81 * 0.3 * 0.3 / 2, 9.81 * 0.3 * 0.005 / 2 + 1e-6);
}

TEST_F(Look, FoamGoesOnWhereItStoppedAndPicturesShowIt) {
  runs();
  ASSERT_EQ(brim("render out --size 320x200 --quiet").code, 0);
  const std::string without = contentOf(folder / "out/pictures/water_000002.png");
  const Outcome o = brim("foam out --speed 0.5 --trapped-air-rate 2000 --crest-rate 2000 --threads 1");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "3 frames in out/foam")) << o.out;
  EXPECT_TRUE(has(contentOf(folder / "out/foam/foam.pvd"), "foam_000002.vtp"));
  const std::string last = contentOf(folder / "out/foam/foam_000002.vtp");
  EXPECT_TRUE(has(last, "Name=\"kind\"") && has(last, "Name=\"age\""));
  EXPECT_GT(readVtp(folder / "out/foam/foam_000002.vtp").size(), 100u);

  // Nothing is made twice, and what was interrupted goes on to the same bytes.
  const auto before = timeOf("out/foam/foam_000001.vtp");
  fs::remove(folder / "out/foam/foam_000002.vtp");
  EXPECT_EQ(brim("foam out --speed 0.5 --trapped-air-rate 2000 --crest-rate 2000 --threads 2 --quiet").code, 0);
  EXPECT_EQ(timeOf("out/foam/foam_000001.vtp"), before);
  EXPECT_EQ(contentOf(folder / "out/foam/foam_000002.vtp"), last);

  ASSERT_EQ(brim("render out --size 320x200 --quiet").code, 0);
  EXPECT_NE(contentOf(folder / "out/pictures/water_000002.png"), without);
  ASSERT_EQ(brim("render out --size 320x200 --quiet --no-foam").code, 0);
  EXPECT_EQ(contentOf(folder / "out/pictures/water_000002.png"), without);

  const std::pair<const char*, const char*> wrong[] = {{"foam nowhere", "no folder nowhere"},
                                                       {"foam out --crest-rate -1", "not in its range, 0 to"},
                                                       {"foam out --bubble-speed 0", "above 0"},
                                                       {"foam out --most x", "no number"}};
  for (const auto& [command, told] : wrong) {
    const Outcome w = brim(command);
    EXPECT_EQ(w.code, 2) << command;
    EXPECT_TRUE(has(w.err + w.out, told)) << w.err << w.out;
  }
}

TEST_F(Look, ACameraFliesAndItsMistakesHaveTheirLine) {
  std::ofstream(folder / "scenes/drop.toml") << "version = 1\n[domain]\nmax = [0.5, 0.5, 0.5]\n[resolution]\nspacing = 0.05\n"
                                                "[[fluid.blocks]]\nkind = \"sphere\"\ncentre = [0.25, 0.3, 0.25]\nradius = 0.15\n"
                                                "[[solids]]\nname = \"post\"\nkind = \"box\"\nmin = [0.4, 0, 0.4]\n"
                                                "max = [0.5, 0.4, 0.5]\n[time]\nuntil = 0.1\n[output]\nframes_per_second = 10\n";
  ASSERT_EQ(brim("run scenes/drop.toml --quiet --out out").code, 0);
  const std::string header = "time,eye_x,eye_y,eye_z,target_x,target_y,target_z,fov\n";
  std::ofstream(folder / "path.csv") << header << "0,2,1,2,0.25,0.2,0.25,30\n0.1,1,1,2,0.25,0.2,0.25,30\n";
  const Outcome o = brim(
      "render out --size 160x120 --camera path.csv --shutter 0.5 --f-number 0.2 --focus 0.25,0.2,0.25 --colour post=#ff0000");
  EXPECT_EQ(o.code, 0) << o.err;
  const Image image = readPng(folder / "out/pictures/water_000001.png");
  int red = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) red += image.at(x, y)[0] > image.at(x, y)[1] + 80;
  EXPECT_GT(red, 50);  // the post
  // Still pictures of another time show other places.
  EXPECT_NE(contentOf(folder / "out/pictures/water_000000.png"), contentOf(folder / "out/pictures/water_000001.png"));

  std::ofstream(folder / "bad.csv") << header << "0,2,1,2,0.25,0.2,0.25,30\n0,1,1,2,0.25,0.2,0.25\n";
  const std::pair<const char*, const char*> wrong[] = {{"render out --camera bad.csv", "bad.csv:3:1: the row has 7 values"},
                                                       {"render out --camera none.csv", "cannot read none.csv"},
                                                       {"render out --camera path.csv --view top", "either --camera or --view"},
                                                       {"render out --focus 0,0,0", "needs --f-number"},
                                                       {"render out --f-number 2 --focus 0,0", "X,Y,Z in metres"},
                                                       {"render out --colour post=red", "NAME=#rrggbb"},
                                                       {"render out --colour pots=#ff0000", "bodies, cloth, post, solids"}};
  for (const auto& [command, told] : wrong) {
    const Outcome w = brim(command);
    EXPECT_EQ(w.code, 2) << command;
    EXPECT_TRUE(has(w.err, told)) << w.err;
  }
  ASSERT_EQ(brim("run scenes/dam.toml --quiet --out flat").code, 0);
  EXPECT_TRUE(has(brim("render flat --camera path.csv").err, "3D"));
}

// The water, the crate in it and the floor, drawn by Blender from the files alone.
TEST_F(Look, BlenderBuildsTheSceneFromTheSurfaces) {
  if (std::system("blender --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "Blender is not installed (Debian's package blender)";
  std::ofstream(folder / "scenes/crate.toml")
      << "version = 1\n[domain]\nmax = [1, 1, 1]\n[resolution]\nspacing = 0.05\n"
         "[[fluid.blocks]]\nkind = \"box\"\nmin = [0, 0, 0]\nmax = [1, 0.3, 1]\n"
         "[[bodies]]\nname = \"crate\"\nkind = \"box\"\nmin = [0.3, 0.5, 0.3]\nmax = [0.7, 0.9, 0.7]\n"
         "[time]\nuntil = 0.1\n[output]\nframes_per_second = 10\n";
  ASSERT_EQ(brim("run scenes/crate.toml --quiet --out out").code, 0);
  ASSERT_EQ(brim("surface out --quiet").code, 0);
  ASSERT_EQ(brim("foam out --quiet").code, 0);
  const std::string command = "cd '" + folder.string() +
                              "' && blender --background --python-exit-code 1 --python '" BRIM_SOURCE
                              "/tools/blender_import.py' -- out --frame 1 --samples 1 --save all.blend --render picture.png";
  ASSERT_EQ(std::system((command + " >blender.txt 2>&1").c_str()), 0) << contentOf(folder / "blender.txt");
  EXPECT_TRUE(has(contentOf(folder / "blender.txt"), "2 frames at 10 a second; Water, Bodies, Foam;"))
      << contentOf(folder / "blender.txt");
  EXPECT_TRUE(fs::exists(folder / "all.blend"));
  const Image image = readPng(folder / "picture.png");
  int orange = 0;  // the crate
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) orange += image.at(x, y)[0] > image.at(x, y)[2] + 60;
  EXPECT_GT(orange, image.width * image.height / 100);

  // The saved scene reads its frames by itself, from the files: the crate falls.
  const std::string again = "cd '" + folder.string() +
                            "' && blender --background --enable-autoexec all.blend --python-exit-code 1 --python-expr \""
                            "import bpy\nz = []\nfor f in (0, 1):\n  bpy.context.scene.frame_set(f)\n"
                            "  z.append(min(v.co[2] for v in bpy.data.objects['Bodies'].data.vertices))\n"
                            "assert z[1] < z[0] - 0.02, z\nassert len(bpy.data.meshes) == 4, list(bpy.data.meshes)\n"
                            "assert bpy.context.scene.render.fps == 10\"";
  EXPECT_EQ(std::system((again + " >blender.txt 2>&1").c_str()), 0) << contentOf(folder / "blender.txt");
}

TEST_F(Look, FlatRunsHaveNoSurfaceAndAreToldWhatToUse) {
  runs();
  const Outcome o = brim("surface out");
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "2D") && has(o.err, "brim render")) << o.err;
}

TEST_F(Look, ExportWritesWhatTheFramesHold) {
  runs();
  EXPECT_EQ(brim("export out --frames 1:2 --format bgeo,ply").code, 0);
  EXPECT_FALSE(fs::exists(folder / "out/export/particles_000000.bgeo"));
  EXPECT_EQ(readBgeo(folder / "out/export/particles_000002.bgeo").velocity,
            readVtp(folder / "out/frames/frame_000002.vtp").velocity);
}

TEST_F(Look, MistakesAreTold) {
  runs();
  const std::pair<const char*, const char*> wrong[] = {{"render nowhere", "no folder nowhere"},
                                                       {"render scenes", "not the folder of a run"},
                                                       {"render out --style oil", "water, particles, density, speed"},
                                                       {"render out --view behind", "front, side, top, iso"},
                                                       {"render out --size 10", "WIDTHxHEIGHT"},
                                                       {"render out --frames 7:9", "has frames 0 to 2"},
                                                       {"render out --frames x", "FIRST:LAST"},
                                                       {"export out --format doc", "bgeo, ply, vtp"},
                                                       {"surface out --method magic", "anisotropic, spheres, levelset"}};
  for (const auto& [command, told] : wrong) {
    const Outcome o = brim(command);
    EXPECT_EQ(o.code, 2) << command;
    EXPECT_TRUE(has(o.err, told)) << o.err;
  }
}

// A run of an earlier version left no scene.toml.
TEST_F(Look, ARunIsKnownByItsCheckpointToo) {
  runs();
  fs::remove(folder / "out/scene.toml");
  EXPECT_EQ(brim("render out --size 128x96 --frames 1").code, 0);
}

}  // namespace
}  // namespace brim
