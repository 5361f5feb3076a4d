#include "CRegisters.h"

// The registers of a function call belong to the callee, so that clearing them harms nobody. A call that the dynamic
// linker resolves first, and a signal, store them on the stack, where nothing overwrites them.

#if defined(__x86_64__)
static int has_avx, has_avx512;

__attribute__((constructor)) static void find_registers(void) {
  __builtin_cpu_init();
  has_avx = __builtin_cpu_supports("avx");
  has_avx512 = __builtin_cpu_supports("avx512f");
}

void coffer_clear_vector_registers(void) {
  if (has_avx) {
    __asm__ volatile("vzeroall" ::: "memory");
  } else {
    __asm__ volatile(
        "pxor %%xmm0, %%xmm0\n pxor %%xmm1, %%xmm1\n pxor %%xmm2, %%xmm2\n pxor %%xmm3, %%xmm3\n"
        "pxor %%xmm4, %%xmm4\n pxor %%xmm5, %%xmm5\n pxor %%xmm6, %%xmm6\n pxor %%xmm7, %%xmm7\n"
        "pxor %%xmm8, %%xmm8\n pxor %%xmm9, %%xmm9\n pxor %%xmm10, %%xmm10\n pxor %%xmm11, %%xmm11\n"
        "pxor %%xmm12, %%xmm12\n pxor %%xmm13, %%xmm13\n pxor %%xmm14, %%xmm14\n pxor %%xmm15, %%xmm15\n" ::
            : "memory");
  }
  // The C library copies with these where they exist.
  if (has_avx512) {
    __asm__ volatile(
        "vpxord %%zmm16, %%zmm16, %%zmm16\n vpxord %%zmm17, %%zmm17, %%zmm17\n vpxord %%zmm18, %%zmm18, %%zmm18\n"
        "vpxord %%zmm19, %%zmm19, %%zmm19\n vpxord %%zmm20, %%zmm20, %%zmm20\n vpxord %%zmm21, %%zmm21, %%zmm21\n"
        "vpxord %%zmm22, %%zmm22, %%zmm22\n vpxord %%zmm23, %%zmm23, %%zmm23\n vpxord %%zmm24, %%zmm24, %%zmm24\n"
        "vpxord %%zmm25, %%zmm25, %%zmm25\n vpxord %%zmm26, %%zmm26, %%zmm26\n vpxord %%zmm27, %%zmm27, %%zmm27\n"
        "vpxord %%zmm28, %%zmm28, %%zmm28\n vpxord %%zmm29, %%zmm29, %%zmm29\n vpxord %%zmm30, %%zmm30, %%zmm30\n"
        "vpxord %%zmm31, %%zmm31, %%zmm31\n" ::
            : "memory");
  }
}
#elif defined(__aarch64__)
void coffer_clear_vector_registers(void) {
  // v8 to v15 belong to the caller.
  __asm__ volatile(
      "movi v0.2d, #0\n movi v1.2d, #0\n movi v2.2d, #0\n movi v3.2d, #0\n"
      "movi v4.2d, #0\n movi v5.2d, #0\n movi v6.2d, #0\n movi v7.2d, #0\n"
      "movi v16.2d, #0\n movi v17.2d, #0\n movi v18.2d, #0\n movi v19.2d, #0\n"
      "movi v20.2d, #0\n movi v21.2d, #0\n movi v22.2d, #0\n movi v23.2d, #0\n"
      "movi v24.2d, #0\n movi v25.2d, #0\n movi v26.2d, #0\n movi v27.2d, #0\n"
      "movi v28.2d, #0\n movi v29.2d, #0\n movi v30.2d, #0\n movi v31.2d, #0\n" ::
          : "memory");
}
#else
void coffer_clear_vector_registers(void) {}
#endif
