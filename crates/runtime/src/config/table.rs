//! The variables, one row each.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::time::Duration;

use super::{DeviceSelection, Draft, ProfileModes};

/// One environment variable.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// The values it takes, as a user writes them.
    pub values: &'static str,
    /// What holds when it is unset.
    pub default: &'static str,
    /// What it does, in sentences.
    pub meaning: &'static str,
    /// Takes the value in; an error is a sentence that says what is allowed.
    pub parse: fn(&mut Draft, &OsStr) -> Result<(), String>,
    /// Whether an empty value differs from an unset variable.
    pub empty_counts: bool,
}

const ROW: Variable = Variable {
    name: "",
    values: "",
    default: "",
    meaning: "",
    parse: |_, _| Ok(()),
    empty_counts: false,
};

/// Every variable that has an effect. The ones whose `parse` takes nothing in are read by the virtual
/// device itself.
pub const VARIABLES: &[Variable] = &[
    Variable {
        name: "HRX_DEVICE",
        values: "`auto`, `kfd`, `hsa`, `virtual`",
        default: "`auto`",
        meaning: "Which device is used. `auto`: a gfx1151 behind `/dev/kfd`, then one behind ROCr \
                  (`hsa`), then the virtual one, which stderr says in one line. The others: that one \
                  or an error.",
        parse: |draft, value| {
            draft.config.device = word(
                value,
                &[
                    ("auto", DeviceSelection::Auto),
                    ("kfd", DeviceSelection::Kfd),
                    ("hsa", DeviceSelection::Hsa),
                    ("virtual", DeviceSelection::Virtual),
                ],
            )?;
            Ok(())
        },
        ..ROW
    },
    Variable {
        name: "HRX_PROFILE_MODE",
        values: "`dispatch`, `queue`, `executable`, `all`, or several with commas",
        default: "no profile, or `dispatch` when `HRX_PROFILE_FILE` is set",
        meaning: "What to record. `dispatch`: every kernel launch with its device times, and all that \
                  it refers to. `queue`: queue operations as they are submitted. `executable`: code \
                  object images and where they are loaded. A set mode always profiles; an unknown \
                  word is one line on stderr, and the program runs unprofiled.",
        parse: |draft, value| {
            draft.no_profile = true;
            draft.modes = Some(modes(value)?);
            draft.no_profile = false;
            Ok(())
        },
        ..ROW
    },
    Variable {
        name: "HRX_PROFILE_FILE",
        values: "path with `%p` (process id), `%h` (host), `%e` (program), `%r` (rank in a parallel \
                 job), `%t` (time), `%%`",
        default: "`./%e.%p.ireeprof` when a mode is set; stderr names it",
        meaning: "Where the bundle goes. A finished bundle of that name is replaced; one that another \
                  process is still writing is left alone, and the bundle goes to `NAME.<pid>`.",
        parse: |draft, value| {
            draft.file = Some(value.to_owned());
            Ok(())
        },
        ..ROW
    },
    Variable {
        name: "HRX_EXIT_WAIT_MS",
        values: "milliseconds",
        default: "2000",
        meaning: "How long the end of the process waits for kernels that are still running, profiled \
                  or not. After that they are stated as still running.",
        parse: |draft, value| {
            draft.config.exit_wait = Duration::from_millis(number(value)?);
            Ok(())
        },
        ..ROW
    },
    Variable {
        name: "HRX_LOG",
        values: "`off`, `error`, `warn`, `info`, `debug`, `trace`, and lists such as `warn,hip=trace`",
        default: "`warn`",
        meaning: "What goes to the log on stderr. At `info` each session says at its end how many \
                  launches it saw, selected and recorded; `hip=trace` prints every API call.",
        parse: |draft, value| {
            draft.config.log = value.to_string_lossy().parse()?;
            Ok(())
        },
        ..ROW
    },
    Variable {
        name: "HRX_GPU_DRIVER",
        values: "`amdgpu`",
        default: "unset",
        meaning: "Upstream's variable: a real device or an error, never the virtual one. `HRX_DEVICE` \
                  wins where both are set.",
        parse: |draft, value| {
            draft.driver_is_real = word(value, &[("amdgpu", true)])?;
            Ok(())
        },
        ..ROW
    },
    Variable {
        name: "HRX_GPU_DEBUG",
        values: "anything but `0`",
        default: "unset",
        meaning: "Upstream's variable: raises `HRX_LOG` to `debug`.",
        parse: |draft, value| {
            draft.debug = value != "0";
            Ok(())
        },
        ..ROW
    },
    Variable {
        name: "HIP_VISIBLE_DEVICES",
        values: "device numbers with commas",
        default: "all devices",
        meaning: "Which devices the program sees, and in which order. The list ends at the first entry \
                  that is no device.",
        parse: |draft, value| {
            draft.hip_visible = Some(value.to_string_lossy().into_owned());
            Ok(())
        },
        ..ROW
    },
    Variable {
        name: "CUDA_VISIBLE_DEVICES",
        values: "device numbers with commas",
        default: "all devices",
        meaning: "The same, where `HIP_VISIBLE_DEVICES` is unset or empty.",
        parse: |draft, value| {
            draft.config.visible_devices = Some(value.to_string_lossy().into_owned());
            Ok(())
        },
        ..ROW
    },
    Variable {
        name: "ROCR_VISIBLE_DEVICES",
        values: "device numbers in any base, or `GPU-` and a unique id, with commas",
        default: "all devices",
        meaning: "The same, before `HIP_VISIBLE_DEVICES` counts; an empty list hides all.",
        parse: |draft, value| {
            draft.config.rocr_visible_devices = Some(value.to_string_lossy().into_owned());
            Ok(())
        },
        empty_counts: true,
    },
    Variable {
        name: "HRX_VIRTUAL_THREADS",
        values: "count",
        default: "the cores of the machine",
        meaning: "Cores that the virtual device uses; with 1 it is deterministic.",
        ..ROW
    },
    Variable {
        name: "HRX_VIRTUAL_CLOCK_SKEW_NS",
        values: "nanoseconds, may be negative",
        default: "0",
        meaning: "How far the virtual device's clock is ahead of the host's at start. For tests of \
                  clock fitting.",
        ..ROW
    },
    Variable {
        name: "HRX_VIRTUAL_CLOCK_DRIFT_PPM",
        values: "parts per million, may be negative",
        default: "0",
        meaning: "How much faster the virtual device's clock runs than the host's. For tests of clock \
                  fitting.",
        ..ROW
    },
];

/// Variables of upstream's that have no effect here, and why; each is named on the log.
pub const FOREIGN_VARIABLES: &[(&str, &str)] = &[
    (
        "HRX_AQL_BLOCK_SIZE",
        "packets are written straight into the queue",
    ),
    ("HRX_COMMAND_BUFFER_MODE", "every queue takes AQL packets"),
    (
        "HRX_DIRECT_QUEUE_DISPATCH",
        "every launch goes to its queue at once",
    ),
    (
        "HRX_DISABLE_DISPATCH_BARRIER",
        "launches of one stream are always ordered",
    ),
    ("HRX_FLUSH_EACH_LAUNCH", "every launch is submitted at once"),
    ("HRX_FLUSH_INTERVAL", "every launch is submitted at once"),
    ("HRX_HAL_SANITIZER", "there is no sanitizer build"),
    ("HRX_LAUNCH_TIMING", "use a profile, or the benchmarks"),
    ("HRX_LIBRARY", "there is no libhrx"),
    ("HRX_PROFILE_COUNTERS", "counters are not recorded"),
    (
        "IREE_HAL_AMDGPU_LIBAQLPROFILE_PATH",
        "no helper library is used",
    ),
    (
        "IREE_HAL_AMDGPU_LIBHSA_PATH",
        "libhsa is found by the loader's own rules",
    ),
];

fn modes(value: &OsStr) -> Result<ProfileModes, String> {
    let text = value.to_string_lossy();
    let mut modes = ProfileModes::empty();
    for word in text.split(',').map(str::trim) {
        match ProfileModes::WORDS.iter().find(|(name, _)| *name == word) {
            Some((_, mode)) => modes |= *mode,
            None => {
                let allowed = allowed(ProfileModes::WORDS);
                return Err(format!(
                    "`{word}` is no profile mode, allowed are {allowed}; this run is not profiled"
                ));
            }
        }
    }
    Ok(modes)
}

fn word<T: Copy>(value: &OsStr, words: &[(&str, T)]) -> Result<T, String> {
    let found = words.iter().find(|(name, _)| value == *name);
    found
        .map(|(_, value)| *value)
        .ok_or_else(|| format!("allowed are {}", allowed(words)))
}

fn allowed<T>(words: &[(&str, T)]) -> String {
    words
        .iter()
        .map(|(name, _)| *name)
        .collect::<Vec<_>>()
        .join(", ")
}

fn number(value: &OsStr) -> Result<u64, String> {
    let text = value.to_string_lossy();
    text.trim()
        .parse()
        .map_err(|_| "expected a whole number, 0 or more".to_owned())
}

/// The page `docs/environment.md`.
pub fn environment_markdown() -> String {
    let mut page = String::from(
        "# Environment variables\n\n\
         <!-- Written from crates/runtime/src/config/table.rs; `HRX_BLESS=1 cargo test -p hrx-runtime` rewrites it. -->\n\n\
         The environment is read once, when the program first needs the device. An empty value counts \
         as unset, but for `ROCR_VISIBLE_DEVICES`. A bad value is one line on stderr that names \
         the allowed ones, and the default holds.\n\n\
         | variable | values | default | meaning |\n| --- | --- | --- | --- |\n",
    );
    for row in VARIABLES {
        let (name, values, default, meaning) = (row.name, row.values, row.default, row.meaning);
        // Writing to a String cannot fail.
        let _ = writeln!(page, "| `{name}` | {values} | {default} | {meaning} |");
    }
    page.push_str(
        "\nVariables of upstream's that have no effect here (the log names them when set):\n\n",
    );
    for (name, why) in FOREIGN_VARIABLES {
        let _ = writeln!(page, "- `{name}`: {why}.");
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_rows_complete() {
        for (index, row) in VARIABLES.iter().enumerate() {
            assert!(!row.values.is_empty() && !row.default.is_empty() && !row.meaning.is_empty());
            assert!(
                VARIABLES[..index]
                    .iter()
                    .all(|other| other.name != row.name),
                "{}",
                row.name
            );
            assert!(
                FOREIGN_VARIABLES.iter().all(|(name, _)| *name != row.name),
                "{}",
                row.name
            );
        }
    }

    /// `HRX_BLESS=1` rewrites the page.
    #[test]
    fn the_page_in_docs_is_this_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/environment.md");
        let page = environment_markdown();
        if std::env::var_os("HRX_BLESS").is_some() {
            std::fs::write(path, &page).expect("docs/ is writable");
        }
        let found = std::fs::read_to_string(path).unwrap_or_default();
        assert_eq!(
            found, page,
            "docs/environment.md is stale; run the test with HRX_BLESS=1"
        );
    }
}
