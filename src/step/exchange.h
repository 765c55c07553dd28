// What enters and leaves between two steps: emitters, sinks, the domain's open sides.
#pragma once
#include "world/world.h"

namespace brim::inline BRIM_FLAVOUR {

/// A sink as kernels see it, in the scene.
struct SinkShape {
  Primitive<double> shape;
  Pose<double> pose;
  double low[3], high[3];  // [m] a box around it
};

/// Some of many things: a bit for each, and how many are set before each word, or in it.
struct Marks {
  Array<std::uint32_t> word;
  Array<int> count;
};

template <int D>
class Exchange {
 public:
  /// Fluid that emitters let in and sinks take out at the present time; fluid outside the domain is removed and counted.
  void exchange(World<D>&);

  // Steps of the above; public because nvcc wants kernels there.
  void removeOutside(World<D>&);
  void emit(World<D>&, std::size_t emitter);

 private:
  Array<SinkShape> sinks_;
  ShapeData sinkData_;
  Marks marks_;
  Array<int> which_, last_, taken_;
};

}  // namespace brim::inline BRIM_FLAVOUR
