// preview.png: a run at a glance.
#pragma once
#include "brim/snapshot.h"
#include "render/spheres.h"

namespace brim {

Panel panelOf(const Snapshot&, const Scene&);

/// The panels side by side, each with its time, one scale of colours for all.
Image previewStrip(const std::vector<Panel>&, const Scene&, int panelWidth = 460);

}  // namespace brim
