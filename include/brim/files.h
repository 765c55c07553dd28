// Folders and files of results, and particles in the formats of other programs.
#pragma once
#include <string>
#include <string_view>

#include "brim/snapshot.h"

namespace brim {

/// The whole file at once: neither a reader nor a crash nor a full disk ever leaves half of it there. Throws Failure.
void writeFile(const std::string& path, std::string_view content);

/// Throws Failure for a device, and for what has more than `most` bytes.
std::string readFile(const std::string& path, std::size_t most = std::size_t(-1) / 2);

/// Makes the folder and those above it. Throws Failure where its name is that of a link.
void makeFolder(const std::string& path);

/// Makes the folder and marks it as Brim's (by a file .brim), so that results may be replaced there. Throws a Failure if it is
/// neither new nor empty nor marked nor holds `trace`, by which folders of earlier versions are known: no file of somebody else
/// is ever replaced.
void claimFolder(const std::string& path, const std::string& trace = "checkpoint/state.brim");

/// Holds a folder for one writer, until it goes out of scope or its process ends, however that ends. Throws a Failure while
/// another holds it; file systems that know no locks let everybody in.
class FolderLock {
 public:
  explicit FolderLock(const std::string& path);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_;
};

/// ParaView: points with one vertex each and the arrays velocity, density, pressure, id (those that the snapshot has), as raw
/// little-endian bytes. Positions are Float32 while their rounding stays below 1e-4 of `spacing` [m], and Float64 otherwise.
void writeVtp(const std::string& path, const Snapshot&, double spacing);

/// Binary PLY: x y z, then vx vy vz, density, pressure (those that the snapshot has) and id; time and step are comments.
/// Positions are float or double by the rule of writeVtp.
void writePly(const std::string& path, const Snapshot&, double spacing);

/// Houdini's classic binary geometry: P (with w = 1), v, density, pressure (those that the snapshot has) and id. Partio and
/// others read it too.
void writeBgeo(const std::string& path, const Snapshot&);

}  // namespace brim
