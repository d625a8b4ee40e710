//! How a virtual device is made.

/// Settings of a [`Vgpu`](crate::Vgpu).
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Threads that process packets and run work-groups; `None`: one for each core. 1 is
    /// deterministic as far as the client is.
    pub threads: Option<usize>,
    /// What the device's clock is ahead of the host's, nanoseconds.
    pub clock_skew_ns: i64,
    /// How much faster the device's clock runs, parts in a million.
    pub clock_drift_ppm: f64,
    /// Device memory, bytes.
    pub memory_bytes: u64,
    /// Behave as a kernel before the context-save sizes were published: no such properties, and the
    /// smaller save area is enough.
    pub old_kernel: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threads: None,
            clock_skew_ns: 0,
            clock_drift_ppm: 0.0,
            memory_bytes: default_memory_bytes(),
            old_kernel: false,
        }
    }
}

impl Options {
    /// The defaults, changed by `HRX_VIRTUAL_THREADS`, `HRX_VIRTUAL_CLOCK_SKEW_NS`,
    /// `HRX_VIRTUAL_CLOCK_DRIFT_PPM` and `HRX_VIRTUAL_OLD_KERNEL`. A value that does not parse is named in
    /// the error, with what was expected.
    pub fn from_env() -> Result<Self, String> {
        Self::from_variables(|name| std::env::var(name).ok())
    }

    fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        fn parse<T: std::str::FromStr>(
            name: &str,
            value: Option<String>,
            expected: &str,
        ) -> Result<Option<T>, String> {
            let Some(value) = value.filter(|value| !value.is_empty()) else {
                return Ok(None);
            };
            let parsed = value.trim().parse();
            parsed
                .map(Some)
                .map_err(|_| format!("{name} is '{value}', expected {expected}"))
        }
        let mut options = Self::default();
        let name = "HRX_VIRTUAL_THREADS";
        options.threads = parse::<usize>(name, variable(name), "a number of threads from 1")?;
        if options.threads == Some(0) {
            return Err(format!("{name} is 0, expected a number of threads from 1"));
        }
        let name = "HRX_VIRTUAL_CLOCK_SKEW_NS";
        if let Some(value) = parse(name, variable(name), "whole nanoseconds")? {
            options.clock_skew_ns = value;
        }
        let name = "HRX_VIRTUAL_CLOCK_DRIFT_PPM";
        if let Some(value) = parse::<f64>(name, variable(name), "parts in a million")? {
            if !value.is_finite() || value.abs() > 100_000.0 {
                return Err(format!(
                    "{name} is {value}, expected at most 100000 either way"
                ));
            }
            options.clock_drift_ppm = value;
        }
        let name = "HRX_VIRTUAL_OLD_KERNEL";
        options.old_kernel = variable(name).is_some_and(|value| !value.is_empty() && value != "0");
        Ok(options)
    }
}

/// Half of the host's memory: what the kernel's page limit for graphics gives an APU by default.
fn default_memory_bytes() -> u64 {
    let kib = std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
            line.split_whitespace().nth(1)?.parse::<u64>().ok()
        });
    let bytes = kib.map_or(8 << 30, |kib| kib * 1024 / 2);
    bytes & !0xfff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_value_is_named_with_what_was_expected() {
        let error = Options::from_variables(|name| {
            (name == "HRX_VIRTUAL_THREADS").then(|| "many".to_owned())
        });
        let error = error.expect_err("not a number");
        assert!(
            error.contains("HRX_VIRTUAL_THREADS") && error.contains("many"),
            "{error}"
        );
        let error = Options::from_variables(|name| {
            (name == "HRX_VIRTUAL_CLOCK_DRIFT_PPM").then(|| "inf".to_owned())
        });
        assert!(error.is_err());
    }

    #[test]
    fn values_are_taken() {
        let options = Options::from_variables(|name| match name {
            "HRX_VIRTUAL_THREADS" => Some("3".into()),
            "HRX_VIRTUAL_CLOCK_SKEW_NS" => Some("-5".into()),
            "HRX_VIRTUAL_CLOCK_DRIFT_PPM" => Some("12.5".into()),
            _ => None,
        })
        .expect("good values");
        assert_eq!(
            (
                options.threads,
                options.clock_skew_ns,
                options.clock_drift_ppm
            ),
            (Some(3), -5, 12.5)
        );
    }
}
