//! What `/proc` says about a process.

use std::fs;

/// Start of a process in clock ticks since boot, or `None` when there is no such process.
pub(crate) fn start_time(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // proc(5): field 2 is the name in parentheses and may hold anything, so count from its last one;
    // field 22 is `starttime`.
    let rest = &stat[stat.rfind(')')? + 1..];
    rest.split_ascii_whitespace().nth(22 - 3)?.parse().ok()
}

/// Whether a process maps the file with this device and inode. A process that may not be looked at
/// counts as one that does not.
pub(crate) fn maps_file(pid: u32, device: u64, inode: u64) -> bool {
    let Ok(maps) = fs::read_to_string(format!("/proc/{pid}/maps")) else {
        return false;
    };
    maps.lines().any(|line| {
        // address perms offset major:minor inode path
        let mut fields = line.split_ascii_whitespace().skip(3);
        let place = fields.next().and_then(|pair| pair.split_once(':'));
        let place = place.and_then(|(major, minor)| {
            Some((
                u32::from_str_radix(major, 16).ok()?,
                u32::from_str_radix(minor, 16).ok()?,
            ))
        });
        let found = fields.next().and_then(|number| number.parse::<u64>().ok());
        place == Some((libc::major(device), libc::minor(device))) && found == Some(inode)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_a_start_time_and_a_pid_beyond_the_limit_has_none() {
        assert!(start_time(std::process::id()).is_some_and(|ticks| ticks > 0));
        assert_eq!(start_time(u32::MAX), None);
    }
}
