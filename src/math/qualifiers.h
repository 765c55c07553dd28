// Qualifiers of functions and loops that are compiled for every machine.
//   BRIM_FN         a function that host and device call
//   BRIM_DEVICE_FN  a function that kernels alone call
//   BRIM_ELEMENT_FN one that reads elements of views: kernels call it, and tests that may read them on the host
//   (BRIM_HOST_ACCESS) BRIM_KERNEL     before a kernel's parameters: [=] BRIM_KERNEL(Index i) {...} BRIM_UNROLL     before a loop
//   with a short constant length BRIM_BY_FOUR    before a loop over neighbours: unrolled by four, so that a GPU's thread has four
//   loads in flight.
//                   On a CPU the lanes do that.
#pragma once
#if defined(__CUDACC__)
#define BRIM_FN __host__ __device__ inline
#else
#define BRIM_FN [[gnu::always_inline]] inline
#endif

#if BRIM_CUDA
#define BRIM_KERNEL __device__
#define BRIM_DEVICE_FN __device__ inline
#if BRIM_HOST_ACCESS
#define BRIM_ELEMENT_FN __host__ __device__ inline
#else
#define BRIM_ELEMENT_FN BRIM_DEVICE_FN
#endif
#ifdef __CUDA_ARCH__
#define BRIM_UNROLL _Pragma("unroll")
#else
#define BRIM_UNROLL  // the host's compiler sees kernels too
#endif
#define BRIM_BY_FOUR _Pragma("unroll 4")
#else
#define BRIM_KERNEL
#define BRIM_DEVICE_FN [[gnu::always_inline]] inline
#define BRIM_ELEMENT_FN BRIM_DEVICE_FN
#define BRIM_UNROLL _Pragma("GCC unroll 8")
#define BRIM_BY_FOUR
#endif
