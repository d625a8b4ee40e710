//! How long the device takes to see a packet, and how many it gets through.
//!
//! An empty kernel (one wave, `s_endpgm`), from the doorbell's store to the value of the completion signal,
//! as the host sees it: with the workers awake (the last packet was just now), with them parked (5 ms ago),
//! and with the waiting host thread running the device itself. Then packets a second, submitted in batches
//! that fill the ring. HRX_VIRTUAL_THREADS sets the number of workers.

#[path = "../tests/kfd/client.rs"]
#[expect(
    dead_code,
    reason = "the client of the tests can do more than is measured here"
)]
mod client;

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use client::{CODE, Client, Memory, Queue, Signals, barrier, dispatch, value};
use hrx_abi::aql::KernelDispatch;

const PACKETS: u32 = 4096;

/// A kernel that does nothing: descriptor as the compiler makes it, code 256 bytes behind.
fn empty_kernel(client: &Client) -> Memory {
    let code = client.memory(4096, CODE);
    code.word(16).store(256, Ordering::Relaxed);
    code.half(48).store(0xe0af_0000, Ordering::Relaxed);
    code.half(52).store(0x84, Ordering::Relaxed);
    code.half(56).store(0x408, Ordering::Relaxed);
    code.half(256).store(0xbfb0_0000, Ordering::Relaxed);
    code
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |part: f64| {
        let index = (times.len() - 1) as f64 * part;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an index within"
        )]
        let time = times[index as usize];
        time.as_nanos() as f64 / 1000.0
    };
    println!(
        "{what:<44} min {:7.2}  median {:7.2}  p90 {:7.2}  p99 {:8.2} us",
        at(0.0),
        at(0.5),
        at(0.9),
        at(0.99)
    );
}

/// Times from doorbell to completion, `pause` after the packet before.
fn latency(
    client: &Client,
    queue: &mut Queue<'_>,
    signals: &Signals,
    packet: KernelDispatch,
    rounds: usize,
    pause: Duration,
    assist: bool,
) -> Vec<Duration> {
    let done = || value(&signals.get(0).value) == 0;
    (0..rounds)
        .map(|_| {
            if !pause.is_zero() {
                std::thread::sleep(pause);
            }
            signals.arm(0, 1);
            queue.push(&packet);
            let begin = Instant::now();
            queue.ring();
            if assist {
                while !done() {
                    client.vgpu.assist(&done);
                }
            } else {
                while !done() {
                    std::hint::spin_loop();
                }
            }
            begin.elapsed()
        })
        .collect()
}

/// Packets a second when the ring is kept filled.
fn rate(what: &str, queue: &mut Queue<'_>, signals: &Signals, packet: &impl bytemuck::Pod) {
    let batches = 100u32;
    let begin = Instant::now();
    for _ in 0..batches {
        for _ in 0..PACKETS / 2 {
            queue.submit(packet);
        }
        queue.submit(&barrier(&[], signals.arm(1, 1)));
        signals.wait(1);
    }
    let seconds = begin.elapsed().as_secs_f64();
    let packets = f64::from(batches * (PACKETS / 2 + 1));
    println!(
        "{what:<44} {:10.0} packets/s  {:6.0} ns each",
        packets / seconds,
        seconds / packets * 1e9
    );
}

fn main() {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let options = hrx_vgpu::Options::from_env().expect("variables that parse");
    println!(
        "{cores} cores, {} workers",
        options.threads.unwrap_or(cores)
    );
    let client = Client::new(options);
    let signals = Signals::new(&client);
    let code = empty_kernel(&client);
    let mut queue = Queue::new(&client, PACKETS);
    let packet = dispatch(code.address(), 0, 32, 32, signals.arm(0, 1));

    latency(
        &client,
        &mut queue,
        &signals,
        packet,
        1000,
        Duration::ZERO,
        false,
    );
    let awake = latency(
        &client,
        &mut queue,
        &signals,
        packet,
        20_000,
        Duration::ZERO,
        false,
    );
    report("empty kernel, workers awake", awake);
    let parked = latency(
        &client,
        &mut queue,
        &signals,
        packet,
        500,
        Duration::from_millis(5),
        false,
    );
    report("empty kernel, workers parked", parked);
    let helped = latency(
        &client,
        &mut queue,
        &signals,
        packet,
        20_000,
        Duration::ZERO,
        true,
    );
    report("empty kernel, the host assists", helped);
    let helped = latency(
        &client,
        &mut queue,
        &signals,
        packet,
        500,
        Duration::from_millis(5),
        true,
    );
    report("empty kernel, parked, the host assists", helped);

    let mut rung = Vec::new();
    for _ in 0..20_000 {
        let begin = Instant::now();
        for _ in 0..10 {
            client.vgpu.doorbell_rung();
        }
        rung.push(begin.elapsed() / 10);
        if rung.len().is_multiple_of(16) {
            // Keeps a worker awake.
            queue.submit(&barrier(&[], signals.arm(1, 1)));
            signals.wait(1);
        }
    }
    report("doorbell_rung, a worker awake", rung);

    rate("barrier packets", &mut queue, &signals, &barrier(&[], 0));
    rate(
        "empty kernels",
        &mut queue,
        &signals,
        &KernelDispatch {
            completion_signal: 0,
            ..packet
        },
    );
}
