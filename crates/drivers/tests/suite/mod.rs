//! What every driver must do, written once and run on each: see the end of the file for the list.
//!
//! Kernels are the compiled ones of `tests/kernels`; what they should compute is worked out here.

mod faults;
mod memory;
mod rig;
mod work;

pub(crate) use faults::*;
pub(crate) use memory::*;
pub(crate) use rig::Rig;
pub(crate) use work::*;

/// Makes a test of each case; `$open` gives a device, or `None` where there is none.
macro_rules! suite {
    ($open:path) => {
        suite::cases! { $open:
            allocations_are_aligned_host_visible_and_apart
            free_memory_moves_with_allocations
            more_memory_than_there_is_is_refused_with_its_size
            kernels_compute_in_memory_of_every_kind
            registered_host_memory_is_the_devices_too
            seventy_thousand_launches_all_run_in_order
            waits_order_the_work_of_two_queues
            ticks_rise_and_lie_between_clock_samples
            clock_samples_agree_with_the_tick_rate
            a_wait_with_a_limit_gives_up_on_a_kernel_that_runs_on
            a_blocked_queue_does_not_hold_up_another
            scratch_grows_with_the_kernels_that_need_it
            code_may_be_replaced_in_place
            queues_come_and_go_without_a_trace
            every_launch_of_several_threads_is_recorded_once
            an_access_to_unmapped_memory_is_a_fault_with_its_address
            a_fault_is_seen_by_who_only_polls
            a_fault_on_one_queue_ends_the_waits_on_all
            a_trap_is_a_fault
            a_bad_kernel_object_is_a_refused_packet
        }
    };
}
pub(crate) use suite;

macro_rules! cases {
    ($open:path: $($case:ident)*) => { $(
        #[test]
        fn $case() {
            let Some(device) = $open() else { return };
            suite::$case(&suite::Rig::new(device));
        }
    )* };
}
pub(crate) use cases;
