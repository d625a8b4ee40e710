//! What the environment asks for: every variable in one table.
//!
//! [`VARIABLES`] is the list: name, values, default, meaning, and the function that takes the value
//! in. `docs/environment.md` is written from it ([`environment_markdown`]), so page and parser cannot
//! drift. The environment is read once, when the first device is looked for; a later change has no
//! effect.
//!
//! A bad value never stops a program: it becomes a [`Remark`] that names the variable, what was found
//! and what is allowed, and the default is used. A bad profile mode switches profiling off, since a
//! guess would record what nobody asked for.

mod path;
mod table;

use std::ffi::{OsStr, OsString};
use std::sync::OnceLock;
use std::time::Duration;

use hrx_profile::Families;
use tracing::level_filters::LevelFilter;

use crate::log::Filter;

pub(crate) use path::program_name;
pub use path::{PathNames, expand};
pub use table::{FOREIGN_VARIABLES, VARIABLES, environment_markdown};

/// Reads one variable; the process environment, or a test's.
pub type Lookup<'a> = dyn Fn(&str) -> Option<OsString> + 'a;

/// Which device is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceSelection {
    /// A real device if there is one, else the virtual one.
    #[default]
    Auto,
    /// A real device through `/dev/kfd` or through ROCr, or an error.
    Real,
    /// `/dev/kfd` only.
    Kfd,
    /// ROCr's `libhsa-runtime64` only.
    Hsa,
    /// The virtual gfx1151.
    Virtual,
}

bitflags::bitflags! {
    /// What a profile session records.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ProfileModes: u32 {
        /// Every kernel launch with its device times.
        const DISPATCH = 1 << 0;
        /// Queue operations as they are submitted.
        const QUEUE = 1 << 1;
        /// Code object images and where they are loaded.
        const EXECUTABLE = 1 << 2;
    }
}

impl ProfileModes {
    /// The words of `HRX_PROFILE_MODE`.
    pub const WORDS: &'static [(&'static str, ProfileModes)] = &[
        ("dispatch", Self::DISPATCH),
        ("queue", Self::QUEUE),
        ("executable", Self::EXECUTABLE),
        ("all", Self::all()),
    ];

    /// The set in words, with commas.
    pub fn describe(self) -> String {
        let single = Self::WORDS
            .iter()
            .filter(|(_, mode)| mode.bits().is_power_of_two());
        let words = single
            .filter(|(_, mode)| self.contains(*mode))
            .map(|(word, _)| *word);
        words.collect::<Vec<_>>().join(",")
    }

    /// The kinds of records that this asks for.
    pub fn families(self) -> Families {
        let mut families = Families::empty();
        families.set(Families::DISPATCH, self.contains(Self::DISPATCH));
        if self.contains(Self::QUEUE) {
            families |= Families::QUEUE;
        }
        if self.contains(Self::EXECUTABLE) {
            families |= Families::EXECUTABLE_METADATA;
        }
        families
    }
}

/// A profile session that the environment asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileConfig {
    /// What to record.
    pub modes: ProfileModes,
    /// Where to, before [`expand`]; `None` means `./<program>.<pid>.ireeprof`, named on stderr.
    pub file: Option<OsString>,
}

impl ProfileConfig {
    /// The pattern that applies when no file was named.
    pub const DEFAULT_FILE: &'static str = "%e.%p.ireeprof";
}

/// Everything that the environment decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Which device is opened.
    pub device: DeviceSelection,
    /// The session to begin with the device, if one is asked for.
    pub profile: Option<ProfileConfig>,
    /// How long the end of the process waits for kernels that still run.
    pub exit_wait: Duration,
    /// What goes to the log on stderr.
    pub log: Filter,
    /// `HIP_VISIBLE_DEVICES`, or else `CUDA_VISIBLE_DEVICES`, if not empty.
    pub visible_devices: Option<String>,
    /// `ROCR_VISIBLE_DEVICES`, if set.
    pub rocr_visible_devices: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            device: DeviceSelection::Auto,
            profile: None,
            exit_wait: Duration::from_millis(2000),
            log: Filter::default(),
            visible_devices: None,
            rocr_visible_devices: None,
        }
    }
}

/// Something about the environment that the user should read once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The variable.
    pub variable: String,
    /// One sentence, no full stop.
    pub text: String,
    /// Whether it goes to stderr whatever the log level is: something that was asked for does not
    /// happen.
    pub always: bool,
}

impl Remark {
    fn bad_value(name: &str, value: &OsStr, reason: &str) -> Self {
        let value = value.to_string_lossy();
        Self {
            variable: name.to_owned(),
            text: format!("{name} is `{value}`: {reason}"),
            always: true,
        }
    }
}

/// What [`Variable::parse`](table::Variable::parse) fills; turned into a [`Config`] once all are read.
#[derive(Debug, Default)]
pub struct Draft {
    config: Config,
    modes: Option<ProfileModes>,
    file: Option<OsString>,
    driver_is_real: bool,
    debug: bool,
    no_profile: bool,
    hip_visible: Option<String>,
}

impl Config {
    /// What the environment of the process said when this was first called.
    pub fn get() -> &'static Self {
        &Self::with_remarks().0
    }

    /// The same, with what the user should read about it; whoever opens the device prints that.
    pub fn with_remarks() -> &'static (Self, Vec<Remark>) {
        static CONFIG: OnceLock<(Config, Vec<Remark>)> = OnceLock::new();
        CONFIG.get_or_init(|| {
            let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
            Self::parse(&|name| std::env::var_os(name), names.collect())
        })
    }

    /// Reads variables through `lookup`. `names` are the names of all that are set, so that misspelt
    /// ones of ours can be pointed out.
    pub fn parse(lookup: &Lookup<'_>, names: Vec<String>) -> (Self, Vec<Remark>) {
        let mut draft = Draft::default();
        let mut remarks = Vec::new();
        for variable in VARIABLES {
            let Some(value) = lookup(variable.name).filter(|value| keeps(variable, value)) else {
                continue;
            };
            if let Err(reason) = (variable.parse)(&mut draft, &value) {
                remarks.push(Remark::bad_value(variable.name, &value, &reason));
            }
        }
        remarks.extend(names.iter().filter_map(|name| foreign_or_misspelt(name)));
        (draft.finish(), remarks)
    }
}

/// An empty value counts as unset, but for ROCr's visible devices, where it hides all.
fn keeps(variable: &table::Variable, value: &OsStr) -> bool {
    !value.is_empty() || variable.empty_counts
}

fn foreign_or_misspelt(name: &str) -> Option<Remark> {
    if let Some((_, why)) = FOREIGN_VARIABLES
        .iter()
        .find(|(foreign, _)| *foreign == name)
    {
        return Some(Remark {
            variable: name.to_owned(),
            text: format!("{name} has no effect here: {why}"),
            always: false,
        });
    }
    let ours = name.strip_prefix("HRX_")?;
    if ours.starts_with("TEST_") || VARIABLES.iter().any(|variable| variable.name == name) {
        return None;
    }
    let nearest = VARIABLES
        .iter()
        .map(|variable| (distance(name, variable.name), variable.name))
        .min()
        .filter(|(distance, _)| *distance <= 3);
    let hint = nearest.map_or(String::new(), |(_, name)| format!("; did you mean {name}?"));
    Some(Remark {
        variable: name.to_owned(),
        text: format!("{name} is not a variable that is known here{hint}"),
        always: false,
    })
}

/// Edit distance between two short names.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, b) in to.iter().enumerate() {
            let substituted = diagonal + usize::from(a != *b);
            diagonal = row[column + 1];
            row[column + 1] = substituted.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

impl Draft {
    fn finish(self) -> Config {
        let mut config = self.config;
        if self.driver_is_real && config.device == DeviceSelection::Auto {
            config.device = DeviceSelection::Real;
        }
        if self.debug {
            config.log.raise(LevelFilter::DEBUG);
        }
        config.visible_devices = self.hip_visible.or(config.visible_devices);
        if !self.no_profile && (self.modes.is_some() || self.file.is_some()) {
            // A file alone means launches: a profile without them is what nobody wants to get unasked.
            let launches = ProfileModes::WORDS[0].1;
            let modes = self.modes.unwrap_or(launches);
            config.profile = Some(ProfileConfig {
                modes,
                file: self.file,
            });
        }
        config
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> (Config, Vec<Remark>) {
        let lookup = |name: &str| {
            variables
                .iter()
                .find(|(found, _)| *found == name)
                .map(|(_, value)| OsString::from(value))
        };
        Config::parse(
            &lookup,
            variables
                .iter()
                .map(|(name, _)| (*name).to_owned())
                .collect(),
        )
    }

    fn profile(variables: &[(&str, &str)]) -> Option<ProfileConfig> {
        read(variables).0.profile
    }

    #[test]
    fn nothing_set_profiles_nothing_and_remarks_nothing() {
        assert_eq!(read(&[]), (Config::default(), vec![]));
    }

    #[test]
    fn a_file_alone_records_launches() {
        let found = profile(&[("HRX_PROFILE_FILE", "/tmp/a.ireeprof")]).expect("a session");
        assert!(found.modes.contains(ProfileModes::DISPATCH));
        assert_eq!(found.file, Some("/tmp/a.ireeprof".into()));
    }

    #[test]
    fn a_mode_alone_profiles_too() {
        let found = profile(&[("HRX_PROFILE_MODE", "dispatch")]).expect("a session");
        assert_eq!(found.file, None);
    }

    #[test]
    fn empty_values_count_as_unset() {
        assert_eq!(
            profile(&[("HRX_PROFILE_MODE", ""), ("HRX_PROFILE_FILE", "")]),
            None
        );
    }

    #[test]
    fn modes_are_a_comma_list() {
        let found = profile(&[("HRX_PROFILE_MODE", "queue, executable")]).expect("a session");
        assert_eq!(found.modes, ProfileModes::QUEUE | ProfileModes::EXECUTABLE);
    }

    #[test]
    fn an_unknown_mode_is_one_line_that_names_the_allowed_ones_and_no_session() {
        let (config, remarks) = read(&[
            ("HRX_PROFILE_MODE", "dispatch,kernels"),
            ("HRX_PROFILE_FILE", "/tmp/a.ireeprof"),
        ]);
        assert_eq!(config.profile, None);
        let [remark] = &remarks[..] else {
            panic!("one remark, found {remarks:?}")
        };
        assert!(remark.always);
        for word in [
            "HRX_PROFILE_MODE",
            "kernels",
            "dispatch",
            "queue",
            "executable",
            "all",
        ] {
            assert!(remark.text.contains(word), "`{word}` in: {}", remark.text);
        }
        assert_eq!(remark.text.lines().count(), 1);
    }

    #[test]
    fn upstream_driver_name_asks_for_a_real_device_and_our_own_variable_wins() {
        assert_eq!(
            read(&[("HRX_GPU_DRIVER", "amdgpu")]).0.device,
            DeviceSelection::Real
        );
        let both = read(&[("HRX_GPU_DRIVER", "amdgpu"), ("HRX_DEVICE", "virtual")]);
        assert_eq!(both.0.device, DeviceSelection::Virtual);
        let (config, remarks) = read(&[("HRX_GPU_DRIVER", "remote-tcp://host:1")]);
        assert_eq!(config.device, DeviceSelection::Auto);
        assert!(
            remarks[0].always && remarks[0].text.contains("amdgpu"),
            "{remarks:?}"
        );
    }

    #[test]
    fn debug_is_off_for_zero_and_raises_the_log_otherwise() {
        let log = |variables| read(variables).0.log;
        let filter = |text: &str| text.parse::<Filter>().expect("a filter");
        assert_eq!(log(&[("HRX_GPU_DEBUG", "0")]), filter("warn"));
        assert_eq!(log(&[("HRX_GPU_DEBUG", "1")]), filter("debug"));
        assert_eq!(
            log(&[("HRX_GPU_DEBUG", "1"), ("HRX_LOG", "trace")]),
            filter("trace")
        );
    }

    #[test]
    fn a_bad_number_keeps_the_default_and_says_so() {
        let (config, remarks) = read(&[("HRX_EXIT_WAIT_MS", "soon")]);
        assert_eq!(config.exit_wait, Duration::from_millis(2000));
        assert!(
            remarks[0].text.starts_with("HRX_EXIT_WAIT_MS is `soon`: "),
            "{remarks:?}"
        );
        assert_eq!(
            read(&[("HRX_EXIT_WAIT_MS", "0")]).0.exit_wait,
            Duration::ZERO
        );
    }

    #[test]
    fn variables_of_upstream_that_do_nothing_here_are_named() {
        let (_, remarks) = read(&[("HRX_FLUSH_INTERVAL", "8")]);
        assert!(
            remarks[0].text.starts_with("HRX_FLUSH_INTERVAL "),
            "{remarks:?}"
        );
        assert!(!remarks[0].always);
    }

    #[test]
    fn a_misspelt_name_gets_a_hint_and_test_variables_none() {
        let (_, remarks) = read(&[("HRX_PROFLE_MODE", "dispatch"), ("HRX_TEST_ANYTHING", "1")]);
        let [remark] = &remarks[..] else {
            panic!("one remark, found {remarks:?}")
        };
        assert!(remark.text.contains("HRX_PROFILE_MODE?"), "{}", remark.text);
    }

    #[test]
    fn an_empty_list_hides_all_for_rocr_and_is_none_for_hip() {
        assert_eq!(read(&[("HIP_VISIBLE_DEVICES", "")]).0.visible_devices, None);
        let rocr = read(&[("ROCR_VISIBLE_DEVICES", "")]).0.rocr_visible_devices;
        assert_eq!(rocr, Some(String::new()));
        let both = read(&[("HIP_VISIBLE_DEVICES", "0"), ("CUDA_VISIBLE_DEVICES", "-1")]);
        assert_eq!(
            both.0.visible_devices.as_deref(),
            Some("0"),
            "HIP's own name wins"
        );
        let empty = read(&[("HIP_VISIBLE_DEVICES", ""), ("CUDA_VISIBLE_DEVICES", "-1")]);
        assert_eq!(
            empty.0.visible_devices.as_deref(),
            Some("-1"),
            "unless it is empty"
        );
    }
}
