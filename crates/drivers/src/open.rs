//! Which device a process gets.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use hrx_hal::Device;
use hrx_vgpu::Vgpu;
use parking_lot::Mutex;

use crate::error::DriverError;
use crate::kfd::{ChipSet, Kernel, KfdDevice, RealKernel, VirtualKernel};

/// What `HRX_DEVICE` asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DeviceChoice {
    /// A gfx115x on the KFD if there is one and it may be opened, else the virtual device.
    #[default]
    Auto,
    /// A real device on the KFD; gfx110x too.
    Kfd,
    /// A real device through the HSA runtime.
    Hsa,
    /// The virtual device.
    Virtual,
}

impl FromStr for DeviceChoice {
    type Err = DriverError;

    fn from_str(text: &str) -> Result<Self, DriverError> {
        match text {
            "" | "auto" => Ok(Self::Auto),
            "kfd" => Ok(Self::Kfd),
            "hsa" => Ok(Self::Hsa),
            "virtual" => Ok(Self::Virtual),
            other => Err(DriverError::UnknownChoice {
                found: other.to_owned(),
            }),
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Kfd => "kfd",
            Self::Hsa => "hsa",
            Self::Virtual => "virtual",
        })
    }
}

/// What [`open`] found.
#[derive(Debug)]
pub struct Opened {
    /// The devices, at least one.
    pub devices: Vec<Arc<dyn Device>>,
    /// Which driver serves them: [`DeviceChoice::Kfd`] or [`DeviceChoice::Virtual`].
    pub chosen: DeviceChoice,
    /// Why `auto` fell back to the virtual device: one line for the user, who would otherwise take
    /// its times for silicon's. `None` when the user got what was asked for.
    pub notice: Option<String>,
}

/// The real device lives as long as the process: the kernel ties address space and event page to
/// the process, so it cannot be opened a second time. See [`RealKernel`].
static REAL: Mutex<Option<Arc<KfdDevice>>> = Mutex::new(None);

/// Opens the devices of a choice.
///
/// # Errors
/// Why there is none. With `auto` only what is wrong with the virtual device.
pub fn open(choice: DeviceChoice) -> Result<Opened, DriverError> {
    match choice {
        DeviceChoice::Kfd => Ok(Opened {
            devices: open_real(ChipSet::Asked)?,
            chosen: DeviceChoice::Kfd,
            notice: None,
        }),
        DeviceChoice::Hsa => Err(DriverError::HsaNotBuiltIn),
        DeviceChoice::Virtual => Ok(Opened {
            devices: open_virtual()?,
            chosen: DeviceChoice::Virtual,
            notice: None,
        }),
        DeviceChoice::Auto => match open_real(ChipSet::Native) {
            Ok(devices) => Ok(Opened {
                devices,
                chosen: DeviceChoice::Kfd,
                notice: None,
            }),
            Err(reason) => {
                tracing::debug!(%reason, "no device on the KFD");
                tracing::debug!("hsa is left out: this build has no hsa driver");
                Ok(Opened {
                    devices: open_virtual()?,
                    chosen: DeviceChoice::Virtual,
                    notice: Some(format!("using the virtual gfx1151: {reason}")),
                })
            }
        },
    }
}

fn open_real(chips: ChipSet) -> Result<Vec<Arc<dyn Device>>, DriverError> {
    let mut real = REAL.lock();
    let device = match &*real {
        Some(device) => Arc::clone(device),
        None => {
            let kernel: Arc<dyn Kernel> = Arc::new(RealKernel);
            Arc::clone(real.insert(KfdDevice::open(&kernel, chips)?))
        }
    };
    Ok(vec![device])
}

fn open_virtual() -> Result<Vec<Arc<dyn Device>>, DriverError> {
    let wrong = |message| DriverError::Virtual { message };
    let options = hrx_vgpu::Options::from_env().map_err(wrong)?;
    let vgpu = Vgpu::new(options).map_err(|error| wrong(error.to_string()))?;
    let kernel: Arc<dyn Kernel> = Arc::new(VirtualKernel::new(vgpu));
    Ok(vec![KfdDevice::open(&kernel, ChipSet::Native)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_the_documented_words() {
        for choice in [
            DeviceChoice::Auto,
            DeviceChoice::Kfd,
            DeviceChoice::Hsa,
            DeviceChoice::Virtual,
        ] {
            assert_eq!(
                choice.to_string().parse::<DeviceChoice>().ok(),
                Some(choice)
            );
        }
        let error = "gpu".parse::<DeviceChoice>().unwrap_err().to_string();
        assert!(
            error.contains("'gpu'") && error.contains("virtual"),
            "{error}"
        );
    }

    #[test]
    fn hsa_is_refused_by_name() {
        let error = open(DeviceChoice::Hsa).unwrap_err().to_string();
        assert!(error.contains("HRX_DEVICE=hsa"), "{error}");
    }
}
