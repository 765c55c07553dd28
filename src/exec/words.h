// The words that mark functions which run on every machine.
#pragma once
#if defined(__CUDACC__)
#define BRIM_FN __host__ __device__ inline
#else
#define BRIM_FN [[gnu::always_inline]] inline
#endif
