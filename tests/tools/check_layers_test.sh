#!/bin/bash
# tools/check_layers finds every kind of mistake that it is there for: in a small tree, and in a copy of Brim's own.
# Usage: check_layers_test.sh SOURCE
set -u
source=$1
tool=$source/tools/check_layers
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# Three layers that are in order: include < math < {left, right} < grid < grid/tiles < simulation < apps.
plant() {
  rm -rf "$tree"/*
  mkdir -p "$tree"/{docs,include/brim,apps/brim,src/math/cuda,src/left,src/right,src/grid/tiles}
  echo 'Layers, lowest first: include < math < {left, right} < grid < grid/tiles < simulation < apps' >"$tree/docs/architecture.md"
  echo '#pragma once' >"$tree/include/brim/api.h"
  echo '#include "brim/api.h"' >"$tree/src/math/vec.h"
  echo '#include "math/vec.h"' >"$tree/src/math/cuda/vec.cpp"
  echo '#include "math/vec.h"' >"$tree/src/left/left.h"
  echo '#include "math/vec.h"' >"$tree/src/right/right.h"
  printf '#include <vector>\n#include "left/left.h"\n' >"$tree/src/grid/grid.h"
  echo '#include "grid/grid.h"' >"$tree/src/grid/tiles/tile.h"
  echo '#include "grid/tiles/tile.h"' >"$tree/src/flavour.cpp"
  printf '#include <brim/api.h>\n' >"$tree/apps/brim/main.cpp"
}

# expect STATUS TEXT: the tool ends so and says so.
expect() {
  local said status
  said=$("$tool" "$tree" 2>&1)
  status=$?
  if [ $status -ne "$1" ] || [[ "$said" != *"$2"* ]]; then
    echo "expected exit $1 and \"$2\"; got exit $status and:"
    echo "$said"
    failures=$((failures + 1))
  fi
}

plant
expect 0 'point down'

plant
echo '#include "grid/grid.h"' >>"$tree/src/math/vec.h"
expect 1 'src/math/vec.h:2: math includes src/grid/grid.h of grid, which is above it'

plant
echo '#include "right/right.h"' >>"$tree/src/left/left.h"
expect 1 'src/left/left.h:2: left includes src/right/right.h of right, which has the same rank'

plant # a folder with a slash in its name is above its parent here, a cuda/ folder is its parent
echo '#include "grid/tiles/tile.h"' >>"$tree/src/grid/grid.h"
expect 1 'src/grid/grid.h:3: grid includes src/grid/tiles/tile.h of grid/tiles, which is above it'

plant
echo '#include "math/vec.h"' >>"$tree/apps/brim/main.cpp"
expect 1 'apps/brim/main.cpp:2: apps includes src/math/vec.h of math; programs include only include/'

plant
mkdir "$tree/src/attic"
touch "$tree/src/attic/old.h"
expect 1 'src/attic: not among the layers'

plant
rm -r "$tree/src/right"
expect 1 'layer right has no files'

plant # within one layer there is no up, and yet no cycle
echo '#include "math/b.h"' >"$tree/src/math/a.h"
echo '#include "math/a.h"' >"$tree/src/math/b.h"
expect 1 'cycle of includes: src/math/a.h -> src/math/b.h -> src/math/a.h'

plant
echo 'no such line' >"$tree/docs/architecture.md"
expect 1 'has no line'

rm -rf "$tree"/*
mkdir "$tree/docs"
cp "$source/docs/architecture.md" "$tree/docs"
cp -r "$source"/{include,src,apps} "$tree"
echo '#include "brim/simulation.h"' >>"$tree/src/math/vec.h"
echo '#include "machine.h"' >>"$tree/src/math/vec.h"
expect 1 "src/math/vec.h:$(wc -l <"$tree/src/math/vec.h"): math includes src/machine.h of simulation, which is above it"

[ $failures -eq 0 ] && echo "check_layers finds every mistake"
exit $((failures > 0))
