// brim run --ranks: the same run, shared among the processes that mpirun started.
#pragma once
#include "commands.h"

namespace brim::command {

int runOnRanks(const RunArguments&);

}  // namespace brim::command
