//! The suite on silicon, where there is some: `HRX_TEST_HARDWARE=1 cargo test -p hrx-drivers --test
//! kfd_hardware -- --test-threads 1`. A fault ends a process's use of the device, so the cases that
//! cause one are to be run one by one, by name.

mod suite;

use std::sync::Arc;

use hrx_drivers::{DeviceChoice, open};
use hrx_hal::Device;

fn open_hardware() -> Option<Arc<dyn Device>> {
    if std::env::var_os("HRX_TEST_HARDWARE").is_none() {
        println!("SKIPPED: HRX_TEST_HARDWARE is not set");
        return None;
    }
    let opened = open(DeviceChoice::Kfd).unwrap_or_else(|error| panic!("no device: {error}"));
    opened.devices.into_iter().next()
}

suite::suite!(open_hardware);
