// Ranks compute on CPUs: this flavour has no part of a fluid, and world/ranks.h says so to the stages.
