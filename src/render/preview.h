// preview.png: a run at a glance.
#pragma once
#include "brim/snapshot.h"
#include "render/spheres.h"

namespace brim {

Panel panelOf(const Snapshot&, const Scene&);

/// The box to draw and the fastest speed, from what the panels show.
Look lookOf(const std::vector<Panel>&, const Scene&);

/// The panels side by side, each with its time, one scale of colours for all.
Image previewStrip(const std::vector<Panel>&, const Scene&, const Look&, int panelWidth);
Image previewStrip(const std::vector<Panel>&, const Scene&, int panelWidth = 460);

}  // namespace brim
