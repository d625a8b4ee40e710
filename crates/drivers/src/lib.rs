//! Who does it: the kfd driver on the real kernel or on vgpu.
