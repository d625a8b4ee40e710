/* What the code that a compiler makes calls; programs have no use for it. */
#ifndef HIP_INCLUDE_HIP_DETAIL_COMPILER_ABI_H
#define HIP_INCLUDE_HIP_DETAIL_COMPILER_ABI_H

#include <hip/hip_runtime_api.h>
#include <hip/hip_vector_types.h>

#ifdef __cplusplus
extern "C" {
#endif

void __hipGetPCH(const char **pch, unsigned int *size);
void **__hipRegisterFatBinary(const void *data);
void __hipRegisterFunction(
    void **modules, const void *hostFunction, char *deviceFunction, const char *deviceName,
    unsigned int threadLimit, uint3 *tid, uint3 *bid, dim3 *blockDim, dim3 *gridDim, int *wSize);
void __hipRegisterManagedVar(
    void *hipModule, void **pointer, void *init_value, const char *name, size_t size,
    unsigned int align);
void __hipRegisterSurface(
    void **modules, void *var, char *hostVar, char *deviceVar, int type, int ext);
void __hipRegisterTexture(
    void **modules, void *var, char *hostVar, char *deviceVar, int type, int norm, int ext);
void __hipRegisterVar(
    void **modules, void *var, char *hostVar, char *deviceVar, int ext, size_t size, int constant,
    int global);
void __hipUnregisterFatBinary(void **modules);

#ifdef __cplusplus
}
#endif

#endif
