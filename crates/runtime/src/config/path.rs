//! The name of a bundle: `%` escapes in `HRX_PROFILE_FILE`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::time::{SystemTime, UNIX_EPOCH};

/// Variables that launchers of parallel jobs set, first match wins.
const RANK_VARIABLES: &[&str] = &[
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "SLURM_PROCID",
    "RANK",
];

/// What the escapes stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathNames {
    /// `%p`: process id.
    pub pid: u32,
    /// `%h`: host name.
    pub host: OsString,
    /// `%e`: file name of the program.
    pub program: OsString,
    /// `%r`: rank in a parallel job, `0` outside one.
    pub rank: OsString,
    /// `%t`: time of the session's begin, UTC, `20260131-235959`.
    pub time: String,
}

impl PathNames {
    /// Of this process, now.
    pub fn current() -> Self {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Self {
            pid: std::process::id(),
            host: host_name(),
            program: program_name(),
            rank: RANK_VARIABLES
                .iter()
                .find_map(std::env::var_os)
                .filter(|rank| !rank.is_empty())
                .unwrap_or_else(|| "0".into()),
            time: utc(now.as_secs()),
        }
    }
}

/// Replaces `%p %h %e %r %t %%` in `pattern`; anything else after a `%` stays as it is. Names lose
/// their slashes, so an escape never leaves the folder that the pattern names.
pub fn expand(pattern: &OsStr, names: &PathNames) -> OsString {
    let mut out = Vec::with_capacity(pattern.len() + 32);
    let mut bytes = pattern.as_bytes().iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'p') => out.extend(names.pid.to_string().as_bytes()),
            Some(b'h') => out.extend(without_slashes(&names.host)),
            Some(b'e') => out.extend(without_slashes(&names.program)),
            Some(b'r') => out.extend(without_slashes(&names.rank)),
            Some(b't') => out.extend(names.time.as_bytes()),
            Some(b'%') => out.push(b'%'),
            Some(other) => out.extend([b'%', other]),
            None => out.push(b'%'),
        }
    }
    OsString::from_vec(out)
}

fn without_slashes(name: &OsStr) -> impl Iterator<Item = u8> + '_ {
    name.as_bytes()
        .iter()
        .map(|byte| if *byte == b'/' { b'_' } else { *byte })
}

fn host_name() -> OsString {
    let found = std::fs::read("/proc/sys/kernel/hostname").unwrap_or_default();
    let name: Vec<u8> = found
        .into_iter()
        .take_while(|byte| *byte != b'\n')
        .collect();
    if name.is_empty() {
        "localhost".into()
    } else {
        OsString::from_vec(name)
    }
}

/// File name of the running program; `program` where `/proc` does not tell.
pub(crate) fn program_name() -> OsString {
    let path = std::env::current_exe().unwrap_or_default();
    path.file_name()
        .map_or_else(|| "program".into(), OsStr::to_owned)
}

/// `YYYYMMDD-HHMMSS` of seconds since 1970, by the proleptic Gregorian calendar.
fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Years of 365.2425 days that begin on 1 March, so the leap day is a year's last: day 0 of this
    // count is 0000-03-01, 719 468 days before 1970.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> PathNames {
        PathNames {
            pid: 42,
            host: "node7".into(),
            program: "a.out".into(),
            rank: "3".into(),
            time: "20260131-235959".to_owned(),
        }
    }

    #[test]
    fn each_escape_gives_its_name() {
        let found = expand("/tmp/%e.%h.%p.%r.%t.ireeprof".as_ref(), &names());
        assert_eq!(found, "/tmp/a.out.node7.42.3.20260131-235959.ireeprof");
    }

    #[test]
    fn a_doubled_percent_is_one_and_unknown_escapes_stay() {
        assert_eq!(expand("100%% %q %".as_ref(), &names()), "100% %q %");
    }

    #[test]
    fn a_name_cannot_leave_the_folder() {
        let names = PathNames {
            rank: "../../etc".into(),
            ..names()
        };
        assert_eq!(expand("out/%r".as_ref(), &names), "out/.._.._etc");
    }

    /// Expected values from GNU date: `date -u -d @N +%Y%m%d-%H%M%S`.
    #[test]
    fn times_are_calendar_times() {
        assert_eq!(utc(0), "19700101-000000");
        assert_eq!(utc(951_782_400), "20000229-000000");
        assert_eq!(utc(1_735_689_599), "20241231-235959");
        assert_eq!(utc(4_102_444_800), "21000101-000000");
    }

    #[test]
    fn this_process_has_names() {
        let names = PathNames::current();
        assert_eq!(names.pid, std::process::id());
        assert!(!names.host.is_empty() && !names.program.is_empty());
        assert_eq!(names.time.len(), 15);
    }
}
