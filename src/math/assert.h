// BRIM_ASSERT(condition, message): what the code relies on and no user can cause. Debug and sanitizer builds (BRIM_CHECKED) stop
// where it does not hold and say where; other builds have no code for it. Mistakes of a scene are errors (brim/error.h) instead.
#pragma once
#if BRIM_CHECKED && !defined(__CUDA_ARCH__)
#include <cstdio>
#include <cstdlib>

namespace brim {
[[noreturn, gnu::cold, gnu::noinline]] inline void assertionFailed(const char* condition, const char* message, const char* file,
                                                                   int line) {
  std::fprintf(stderr, "%s:%d: %s (%s)\n", file, line, message, condition);
  std::abort();
}
}  // namespace brim
#define BRIM_ASSERT(condition, message) ((condition) ? void() : ::brim::assertionFailed(#condition, message, __FILE__, __LINE__))
#else
#define BRIM_ASSERT(condition, message) ((void)sizeof((condition) ? 1 : 0))
#endif
