// What a frame must be before it is drawn or converted, whoever wrote its file.
#pragma once
#include <string>

#include "brim/snapshot.h"

namespace brim {

/// Throws a Failure that names the file unless columns have one entry a particle, numbers are finite, and ids are not below 0 and
/// no two the same.
void checkFrame(const std::string& path, const Snapshot&);

}  // namespace brim
