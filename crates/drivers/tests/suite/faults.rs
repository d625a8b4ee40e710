//! Faults: what is known of them, and that nothing waits for ever.

use hrx_hal::queue::Queue;
use hrx_hal::{FaultKind, HalError, MemoryKind};

use super::rig::{Launch, PAGE, Rig, saxpy};

/// Runs a launch that faults and returns how the wait for it ended.
fn fault_of(queue: &Queue, launch: &Launch<'_>) -> HalError {
    let completion = launch.submit(queue).expect("a submission");
    let error = queue.wait(&completion).expect_err("it cannot complete");
    // Sticky, for waits and for submissions.
    assert_eq!(
        queue.wait(&completion).expect_err("still").fault(),
        error.fault()
    );
    assert_eq!(
        launch.submit(queue).expect_err("still").fault(),
        error.fault()
    );
    assert!(!queue.is_complete(&completion));
    error
}

pub(crate) fn an_access_to_unmapped_memory_is_a_fault_with_its_address(rig: &Rig) {
    let queue = rig.queue();
    let program = rig.program(&queue, "01_saxpy.O3.co");
    let y = rig.floats(&[0.0; 64], MemoryKind::Device);
    let wild = 0x7f00_dead_b000_u64;
    let launch = saxpy(&program, 1.0, &y, &y, 64).arg(1, &wild.to_le_bytes());
    let error = fault_of(&queue, &launch);
    let fault = error.fault().expect("a device fault");
    assert_eq!(
        (fault.kind, fault.address),
        (FaultKind::NotPresent, Some(wild))
    );
    assert_eq!(fault.kernel.as_deref(), Some("saxpy"), "{fault}");
    if rig.device.properties().is_virtual {
        assert_eq!(fault.workgroup, Some([0, 0, 0]), "{fault}");
    }
    assert!(error.to_string().contains("0x7f00deadb000"), "{error}");
}

pub(crate) fn a_fault_is_seen_by_who_only_polls(rig: &Rig) {
    let queue = rig.queue();
    let program = rig.program(&queue, "01_saxpy.O3.co");
    let y = rig.floats(&[0.0; 64], MemoryKind::Device);
    let launch = saxpy(&program, 1.0, &y, &y, 64).arg(2, &0x7f00_0000_0000_u64.to_le_bytes());
    let completion = launch.submit(&queue).expect("a submission");
    let mut looks = 0_u64;
    while rig.device.fault().is_none() {
        assert!(!queue.is_complete(&completion));
        looks += 1;
        assert!(looks < 1_000_000_000, "nobody reports the fault");
        std::thread::yield_now();
    }
}

pub(crate) fn a_fault_on_one_queue_ends_the_waits_on_all(rig: &Rig) {
    let (broken, other) = (rig.queue(), rig.queue());
    let program = rig.program(&broken, "01_saxpy.O3.co");
    let y = rig.floats(&[0.0; 64], MemoryKind::Device);
    let launch = saxpy(&program, 1.0, &y, &y, 64).arg(1, &0x7f00_0000_0000_u64.to_le_bytes());
    launch.submit(&broken).expect("a submission");
    let never = broken.signal_after();
    // The fault may have been seen already.
    let Ok(never) = never else { return };
    let Ok(blocked) = other.barrier(&[never], None) else {
        return;
    };
    let error = other.wait(&blocked).expect_err("its signal never comes");
    assert!(error.fault().is_some(), "{error}");
}

pub(crate) fn a_trap_is_a_fault(rig: &Rig) {
    let queue = rig.queue();
    let program = rig.program(&queue, "18_system.O3.co");
    let input = rig.buffer(PAGE, MemoryKind::Device);
    input.write(0, &[0; 256]).expect("a page");
    let launch = program.kernel("maybe_trap", 64, 64).pointer(0, &input);
    launch.run(&queue);
    input
        .write(4 * 40, &(-1_i32).to_le_bytes())
        .expect("a page");
    let error = fault_of(&queue, &launch);
    let fault = error.fault().expect("a device fault");
    assert_eq!((fault.kind, fault.code), (FaultKind::Trap, 1), "{fault}");
}

pub(crate) fn a_bad_kernel_object_is_a_refused_packet(rig: &Rig) {
    let queue = rig.queue();
    let program = rig.program(&queue, "01_saxpy.O3.co");
    let y = rig.floats(&[0.0; 64], MemoryKind::Device);
    let mut launch = saxpy(&program, 1.0, &y, &y, 64);
    // Not a multiple of 64.
    launch.object += 4;
    let error = fault_of(&queue, &launch);
    let fault = error.fault().expect("a device fault");
    assert_eq!(
        (fault.kind, fault.code),
        (FaultKind::InvalidPacket, 18),
        "{fault}"
    );
}
