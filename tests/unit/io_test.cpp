#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "io/bgeo.h"
#include "io/file.h"
#include "io/ply.h"
#include "io/png.h"
#include "io/vtp.h"

using namespace brim;
namespace fs = std::filesystem;

namespace {

class Files : public testing::Test {
 protected:
  fs::path folder = fs::temp_directory_path() / ("brim_io_test_" + std::to_string(getpid()));
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }
  std::string in(const std::string& name) const { return (folder / name).string(); }

  template <class F>
  static std::string failure(F f) {
    try {
      f();
    } catch (const Failure& e) {
      return e.what();
    }
    return "";
  }
};

Snapshot fewParticles(double offset = 0) {
  Snapshot s;
  s.dimension = 3;
  s.time = 0.1 + 0.2;  // no short decimal
  s.step = 77;
  for (int i = 0; i < 5; ++i) {
    s.id.push_back(10 - i);
    for (int a = 0; a < 3; ++a) {
      s.position.push_back(offset + 0.02 * i + 0.001 * a);
      s.velocity.push_back(float(1.5 * i - a));
    }
    s.density.push_back(1000.f + float(i));
    s.pressure.push_back(-3.25f * float(i));
  }
  return s;
}

void expectSame(const Snapshot& a, const Snapshot& b, double tolerance) {
  EXPECT_EQ(a.dimension, b.dimension);
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.density, b.density);
  EXPECT_EQ(a.pressure, b.pressure);
  ASSERT_EQ(a.position.size(), b.position.size());
  for (std::size_t k = 0; k < a.position.size(); ++k) EXPECT_NEAR(a.position[k], b.position[k], tolerance);
}

/// Limits the size of files while it lives; a write past it fails as on a full disk.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) {
    previous_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit small = {bytes, limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, previous_);
  }

 private:
  rlimit limit_;
  void (*previous_)(int);
};

}  // namespace

// Half of float's epsilon at 0.1 m.
TEST_F(Files, VtpReadsBackWhatWasWritten) {
  const auto s = fewParticles();
  writeVtp(in("a.vtp"), s, 0.02);
  expectSame(s, readVtp(in("a.vtp")), 4e-9);
}

TEST_F(Files, PlyReadsBackWhatWasWritten) {
  const auto s = fewParticles();
  writePly(in("a.ply"), s, 0.02);
  expectSame(s, readPly(in("a.ply")), 4e-9);
}

TEST_F(Files, FarFromTheOriginPositionsAreDoublesAndLoseNothing) {
  const auto s = fewParticles(1e5);
  writeVtp(in("a.vtp"), s, 0.02);
  writePly(in("a.ply"), s, 0.02);
  expectSame(s, readVtp(in("a.vtp")), 0);
  expectSame(s, readPly(in("a.ply")), 0);
  EXPECT_NE(readFile(in("a.vtp")).find("type=\"Float64\" Name=\"Points\""), std::string::npos);
  EXPECT_NE(readFile(in("a.ply")).find("property double x"), std::string::npos);
}

TEST_F(Files, LargeIdsSurviveInPly) {
  auto s = fewParticles();
  s.id[2] = (std::int64_t(1) << 40) + 1;
  writePly(in("a.ply"), s, 0.02);
  EXPECT_EQ(readPly(in("a.ply")).id, s.id);
}

// What ParaView relies on: offsets count from the byte after "_", and every block begins with its length.
TEST_F(Files, VtpHeaderLeadsToTheBlocks) {
  const auto s = fewParticles();
  writeVtp(in("a.vtp"), s, 0.02);
  const std::string file = readFile(in("a.vtp"));
  const auto data = file.find("<AppendedData encoding=\"raw\">\n_") + std::strlen("<AppendedData encoding=\"raw\">\n_");
  const auto block = [&](const std::string& name) {
    const auto tag = file.find("Name=\"" + name + "\"");
    EXPECT_NE(tag, std::string::npos) << name;
    const auto key = file.find("offset=\"", tag) + 8;
    return data + std::stoul(file.substr(key));
  };
  const auto lengthAt = [&](std::size_t at) {
    std::uint64_t length;
    std::memcpy(&length, file.data() + at, 8);
    return length;
  };
  EXPECT_EQ(lengthAt(block("Points")), 5u * 3 * 4);
  EXPECT_EQ(lengthAt(block("velocity")), 5u * 3 * 4);
  EXPECT_EQ(lengthAt(block("id")), 5u * 8);
  EXPECT_EQ(lengthAt(block("connectivity")), 5u * 4);
  std::int32_t ends[5];
  std::memcpy(ends, file.data() + block("offsets") + 8, sizeof ends);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ends[i], i + 1);
  EXPECT_NE(file.find("byte_order=\"LittleEndian\" header_type=\"UInt64\""), std::string::npos);
  EXPECT_NE(file.find("NumberOfPoints=\"5\" NumberOfVerts=\"5\""), std::string::npos);
  EXPECT_TRUE(file.ends_with("</AppendedData>\n</VTKFile>\n"));
}

TEST_F(Files, AnEmptyFrameIsAFrame) {
  Snapshot s;
  writeVtp(in("a.vtp"), s, 0.02);
  writePly(in("a.ply"), s, 0.02);
  EXPECT_EQ(readVtp(in("a.vtp")).size(), 0u);
  EXPECT_EQ(readPly(in("a.ply")).size(), 0u);
}

// One flipped bit anywhere.
TEST_F(Files, AChangedFrameIsRefused) {
  auto s = fewParticles();
  s.surfaces = {{"sheet", 3, {0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 1, 2}}};
  writeVtp(in("a.vtp"), s, 0.02);
  writePly(in("a.ply"), s, 0.02);
  writeSurfaces(in("cloth.vtp"), s);
  EXPECT_EQ(readSurfaces(in("cloth.vtp")).at(0).vertex, s.surfaces[0].vertex);
  for (const std::string name : {"a.vtp", "a.ply", "cloth.vtp"}) {
    const std::string good = readFile(in(name));
    for (std::size_t at = 0; at < good.size(); ++at) {
      std::string bad = good;
      bad[at] = char(bad[at] ^ (1 << at % 8));
      std::ofstream(in(name), std::ios::binary) << bad;
      const auto read = [&] {
        name == "a.ply" ? (void)readPly(in(name)) : name == "a.vtp" ? (void)readVtp(in(name)) : (void)readSurfaces(in(name));
      };
      ASSERT_NE(failure(read), "") << name << ", byte " << at;
    }
  }
}

// Files of earlier versions have no checksum: what they say is looked at.
TEST_F(Files, AFrameThatLiesIsRefused) {
  const auto s = fewParticles();
  const auto said = [&](Snapshot bad) {
    writeVtp(in("a.vtp"), bad, 0.02);
    std::string file = readFile(in("a.vtp"));
    const std::string mark = "<!-- crc32 ";
    file.erase(file.find(mark), mark.size() + 8 + std::strlen(" -->\n"));
    std::ofstream(in("a.vtp"), std::ios::binary) << file;
    return failure([&] { readVtp(in("a.vtp")); });
  };
  EXPECT_EQ(said(s), "");
  Snapshot bad = s;
  bad.id[1] = bad.id[0];
  EXPECT_NE(said(bad).find("two particles have the same id"), std::string::npos);
  bad = s, bad.id[1] = -1;
  EXPECT_NE(said(bad).find("an id is below 0"), std::string::npos);
  bad = s, bad.velocity.pop_back();
  EXPECT_NE(said(bad).find("do not match"), std::string::npos);
  bad = s, bad.position[4] = NAN;
  EXPECT_NE(said(bad).find("is not finite"), std::string::npos);
  bad = s, bad.dimension = 7;
  EXPECT_NE(said(bad).find("dimension"), std::string::npos);
}

TEST_F(Files, ATruncatedFrameIsToldByName) {
  const auto s = fewParticles();
  writeVtp(in("a.vtp"), s, 0.02);
  writePly(in("a.ply"), s, 0.02);
  fs::resize_file(in("a.vtp"), fs::file_size(in("a.vtp")) - 60);
  fs::resize_file(in("a.ply"), fs::file_size(in("a.ply")) - 1);
  EXPECT_NE(failure([&] { readVtp(in("a.vtp")); }).find("a.vtp cannot be read: its checksum is wrong"), std::string::npos);
  EXPECT_NE(failure([&] { readPly(in("a.ply")); }).find("a.ply cannot be read: its checksum is wrong"), std::string::npos);
}

TEST_F(Files, PvdListsTheFramesWithTheirTimes) {
  writePvd(in("frames.pvd"), {{0, "frame_000000.vtp"}, {1 / 30., "frame_000001.vtp"}});
  const std::string text = readFile(in("frames.pvd"));
  EXPECT_NE(text.find("timestep=\"0\" group=\"\" part=\"0\" file=\"frame_000000.vtp\""), std::string::npos);
  EXPECT_NE(text.find("timestep=\"0.03333333333333333\""), std::string::npos);
}

TEST_F(Files, PngKeepsEveryPixel) {
  Image image(7, 3);
  for (std::size_t k = 0; k < image.rgb.size(); ++k) image.rgb[k] = std::uint8_t(37 * k);
  writePng(in("a.png"), image);
  const Image read = readPng(in("a.png"));
  EXPECT_EQ(read.width, 7);
  EXPECT_EQ(read.height, 3);
  EXPECT_EQ(read.rgb, image.rgb);
}

TEST_F(Files, AWriteThatFailsLeavesTheOldFileAndNoOther) {
  writeFile(in("state"), "the old one");
  std::string told;
  {
    SmallFiles limit(100000);
    told = failure([&] { writeFile(in("state"), std::string(300000, 'x')); });
  }
  EXPECT_NE(told.find(in("state")), std::string::npos) << told;
  EXPECT_NE(told.find("needs 300000 bytes"), std::string::npos) << told;
  EXPECT_NE(told.find("bytes are free"), std::string::npos) << told;
  EXPECT_EQ(readFile(in("state")), "the old one");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST_F(Files, AFullDiskIsToldWithWhatIsNeeded) {
  const int full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  const std::string told = failure([&] { writeAll(full, in("statistics.csv"), "12345", 5); });
  ::close(full);
  EXPECT_NE(told.find("No space left on device; it needs 5 bytes"), std::string::npos) << told;
}

TEST_F(Files, AFrameThatFailsLeavesNothingBehind) {
  Snapshot s;
  s.id.assign(40000, 1);
  s.position.assign(120000, 0.5);
  SmallFiles limit(200000);
  EXPECT_NE(failure([&] { writeVtp(in("a.vtp"), s, 0.02); }), "");
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(Files, TheFileBeforeIsKeptWhereAsked) {
  for (const char* text : {"one", "two", "three"}) {
    NewFile file(in("state"));
    file.write(text);
    file.commit(in("previous"));
  }
  EXPECT_EQ(readFile(in("state")), "three");
  EXPECT_EQ(readFile(in("previous")), "two");
}

TEST_F(Files, AFolderThatCannotBeMadeIsNamed) {
  writeFile(in("taken"), "");
  EXPECT_NE(failure([&] { makeFolder(in("taken")); }).find("taken"), std::string::npos);
  EXPECT_NE(failure([&] { makeFolder(in("taken/below")); }).find("taken/below"), std::string::npos);
}

TEST_F(Files, BgeoIsReadBack) {
  const Snapshot s = fewParticles();
  writeBgeo(in("a.bgeo"), s);
  const Snapshot b = readBgeo(in("a.bgeo"));
  EXPECT_EQ(b.id, s.id);
  EXPECT_EQ(b.velocity, s.velocity);
  EXPECT_EQ(b.density, s.density);
  EXPECT_EQ(b.pressure, s.pressure);
  for (std::size_t k = 0; k < s.position.size(); ++k) EXPECT_EQ(b.position[k], double(float(s.position[k])));
}

// Houdini reads the bytes, not our reader: they are compared with the format as it is published.
TEST_F(Files, BgeoHasTheBytesOfTheFormat) {
  Snapshot s;
  s.id = {3};
  s.position = {1, 0, -2};
  writeBgeo(in("a.bgeo"), s);
  const unsigned char bytes[] = {
      'B',  'g',  'e', 'o', 'V', 0, 0,    0, 5,    0, 0, 0, 1,    0,    0, 0,  1, 0, 0, 0, 0, 0, 0, 0, 0,  // counts
      0,    0,    0,   1,   0,   0, 0,    0, 0,    0, 0, 0, 0,    0,    0, 0,     // one attribute, of points
      0,    2,    'i', 'd', 0,   1, 0,    0, 0,    1, 0, 0, 0,    0,              // an int, 0 if not given
      0x3f, 0x80, 0,   0,   0,   0, 0,    0, 0xc0, 0, 0, 0, 0x3f, 0x80, 0, 0,     // 1 0 -2 1
      0,    0,    0,   3,   0,   0, 0x80, 0, 0,    0, 0, 1, 0,    0,    0, 255};  // its id; one particle system
  EXPECT_EQ(readFile(in("a.bgeo")), std::string(reinterpret_cast<const char*>(bytes), sizeof bytes));
}

TEST_F(Files, ABrokenBgeoIsRefused) {
  writeBgeo(in("a.bgeo"), fewParticles());
  const std::string good = readFile(in("a.bgeo"));
  for (const std::size_t length : {std::size_t(0), std::size_t(4), std::size_t(20), std::size_t(60), good.size() / 2}) {
    writeFile(in("b.bgeo"), good.substr(0, length));
    EXPECT_NE(failure([&] { readBgeo(in("b.bgeo")); }), "") << length;
  }
}
