// Closed triangle meshes: reading, checking, measuring.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "brim/mesh.h"

namespace brim {

/// Reads OBJ, PLY or STL, joins equal points, scales, then moves. Throws SceneError at `at` unless the surface is closed and
/// orientable; a surface that is inside out is turned.
Mesh readMesh(const std::string& file, double scale, const Vector& translate, const Location& at);

/// The same for surfaces that may be open.
Mesh readSurface(const std::string& file, double scale, const Vector& translate, const Location& at);

/// Joins points with equal coordinates and drops triangles that have become lines.
void joinEqualPoints(Mesh&);

/// What keeps a mesh from bounding a solid, in words ("the mesh has 3 holes ..."); empty if nothing does.
std::string defect(const Mesh&);

double volume(const Mesh&);  // [m^3] negative if the triangles face inwards

/// Corners of the bounding box.
std::array<Vector, 2> bounds(const std::vector<Vector>&);

}  // namespace brim
