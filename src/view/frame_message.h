// The fluid at one time as the page receives it: bytes that go to the graphics card as they are.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "brim/snapshot.h"
#include "scene/primitive.h"

namespace brim::view {

/// What colours the particles.
enum class Quantity : std::uint8_t { speed, density, pressure };

/// Little-endian, in this order:
///   char[4]  "BRF2"
///   u8       dimension D        u8  quantity        u16  solids m
///   u32      particles n        u32  number of the frame
///   f64      time [s]           f64  step
///   f32[3]   low [m], from the domain's corner      f32[3]  size [m]: the box around the particles
///   f32      least value        f32  largest value  [m/s], [kg/m^3] or [Pa]; what is far off all others is shown as these
///   f32      low value          f32  high value     1 % of the values lie outside of these two, for the ends of the colours
///   f32[12]  per solid: its turn (row-major) and its place [m] from the domain's corner
///   u16[D]   per particle: (x - low) / size * 65535, then zeros up to a multiple of 4 bytes
///   u16      per particle: (value - least) / (largest - least) * 65535, then zeros up to a multiple of 4 bytes
///   u32      sheets and soft bodies, and of each:
///   u32      corners of an element (2, 3)    u32  vertices v    u32  indices e
///   f32[3]   per vertex [m] from the domain's corner            u32  per index
///   u32      arrows, and of each:  f32[3]  place [m] from the domain's corner   f32[3]  velocity [m/s]
/// 16 bits of the box around the fluid are 0.03 mm in 2 m: far below a particle. What is not finite is shown at 0.
/// Arrows are velocities of at most so many particles, evenly picked.
std::string encodeFrameMessage(const Snapshot&, const Vector& corner, Quantity, const std::vector<Pose<double>>& solids,
                               std::uint32_t number, std::size_t arrows = 0);

constexpr std::size_t frameMessageHeader = 72;  // bytes before the solids
constexpr std::size_t mostArrows = 3000;

}  // namespace brim::view
