//! The suite on the kfd driver over the virtual device, and what can be tried there only: older kernels,
//! and kernels that refuse.

mod suite;

use std::sync::Arc;

use hrx_drivers::kfd::{ChipSet, Kernel, KfdDevice, VirtualKernel};
use hrx_hal::Device;
use hrx_vgpu::{Options, Vgpu};

fn options() -> Options {
    Options {
        memory_bytes: 1 << 30,
        ..Options::default()
    }
}

fn kernel(options: Options) -> Arc<dyn Kernel> {
    Arc::new(VirtualKernel::new(
        Vgpu::new(options).expect("a virtual device"),
    ))
}

fn open() -> Option<Arc<dyn Device>> {
    Some(KfdDevice::open(&kernel(options()), ChipSet::Native).expect("it opens"))
}

suite::suite!(open);
