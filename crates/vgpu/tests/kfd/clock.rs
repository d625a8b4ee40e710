//! The device's counter beside the host's clocks.

use hrx_vgpu::Options;

use crate::client::{Client, options};

#[test]
fn the_counter_is_boottime_in_units_of_ten_nanoseconds() {
    let client = Client::opened(options());
    for _ in 0..100 {
        let first = client.clocks(client.gpu_id);
        let second = client.clocks(client.gpu_id);
        assert_eq!(first.system_clock_freq, 1_000_000_000);
        // The counter was read between the two readings of the clock around it.
        assert!(first.gpu_clock_counter <= first.system_clock_counter / 10);
        assert!(second.gpu_clock_counter >= first.system_clock_counter / 10);
        assert!(second.cpu_clock_counter > first.cpu_clock_counter);
    }
    assert_eq!(client.clocks(0).gpu_clock_counter, 0, "no device");
    assert!(client.clocks(0).system_clock_counter > 0);
}

#[test]
fn skew_and_drift_move_the_counter_and_leave_the_host_alone() {
    let plain = Client::opened(options());
    let skewed = Client::opened(Options {
        clock_skew_ns: 1_000_000_000_000,
        ..options()
    });
    let before = plain.clocks(plain.gpu_id);
    let ahead = skewed.clocks(skewed.gpu_id);
    let after = plain.clocks(plain.gpu_id);
    // 1000 s at 100 MHz.
    let skew = 100_000_000_000;
    assert!(ahead.gpu_clock_counter >= before.gpu_clock_counter + skew);
    assert!(ahead.gpu_clock_counter <= after.gpu_clock_counter + skew);
    assert!(ahead.system_clock_counter >= before.system_clock_counter);
    assert!(ahead.system_clock_counter <= after.system_clock_counter);

    // A tenth faster: in the time that the host's clock sees, the counter gains a tenth.
    let fast = Client::opened(Options {
        clock_drift_ppm: 100_000.0,
        ..options()
    });
    let first = fast.clocks(fast.gpu_id);
    std::thread::sleep(std::time::Duration::from_millis(20));
    let second = fast.clocks(fast.gpu_id);
    let host = second.system_clock_counter - first.system_clock_counter;
    let device = (second.gpu_clock_counter - first.gpu_clock_counter) * 10;
    // The counter is read before the clock, so what it misses of the interval is at most what the host took
    // between its own two readings, which is part of `host` for the second call and not for the first.
    assert!(
        device > host,
        "{device} ns by the device, {host} ns by the host"
    );
}

#[test]
fn the_counter_never_goes_back_whatever_its_drift() {
    for clock_drift_ppm in [-100_000.0, -5.0, 5.0, 100_000.0] {
        let client = Client::opened(Options {
            clock_drift_ppm,
            clock_skew_ns: -1_000_000,
            ..options()
        });
        let mut last = 0;
        for _ in 0..2000 {
            let now = client.clocks(client.gpu_id).gpu_clock_counter;
            assert!(now >= last, "{now} after {last} at {clock_drift_ppm} ppm");
            last = now;
        }
    }
}
