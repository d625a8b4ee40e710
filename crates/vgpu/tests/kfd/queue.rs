//! Rules of queues: CREATE_QUEUE's demands, doorbells, what else takes a queue.

use std::sync::atomic::Ordering;

use hrx_abi::kfd::*;
use hrx_vgpu::Errno;

use crate::client::{CONTROL, Client, DEVICE, Memory, Queue, QueueParts, options};

const EINVAL: Errno = Errno(libc::EINVAL);
const EBUSY: Errno = Errno(libc::EBUSY);
const EFAULT: Errno = Errno(libc::EFAULT);

#[test]
fn a_queue_that_breaks_one_rule_is_refused() {
    let client = Client::new(options());
    let parts = QueueParts::new(&client, 64);
    let other: Memory = client.memory(8192, CONTROL);
    let longer: Memory = client.memory(usize::try_from(0x0125_7000).expect("64 bits"), DEVICE);
    let unsupported = Errno(524);
    type Change<'a> = &'a dyn Fn(&mut CreateQueue);
    let cases: [(&str, Errno, Change<'_>); 21] = [
        ("percentage over 100", EINVAL, &|q| q.queue_percentage = 101),
        ("priority over 15", EINVAL, &|q| q.queue_priority = 16),
        ("unknown type", unsupported, &|q| q.queue_type = 9),
        ("ring no power of two", EINVAL, &|q| q.ring_size = 4096 + 64),
        ("no ring", EINVAL, &|q| q.ring_base_address = 0),
        ("ring shorter than its object", EINVAL, &|q| {
            q.ring_size = 2048
        }),
        ("ring longer than its object", EINVAL, &|q| {
            q.ring_size = 8192
        }),
        ("ring not at its object's start", EINVAL, &|q| {
            q.ring_base_address += 64
        }),
        ("ring in memory that is not mapped", EINVAL, &|q| {
            q.ring_base_address = 0x7000_0000
        }),
        ("no write index", EFAULT, &|q| q.write_pointer_address = 0),
        ("no read index", EFAULT, &|q| q.read_pointer_address = 0),
        ("write index in an object of two pages", EINVAL, &|q| {
            q.write_pointer_address = other.address()
        }),
        ("read index in an object of two pages", EINVAL, &|q| {
            q.read_pointer_address = other.address() + 8
        }),
        ("end-of-pipe buffer of two pages", EINVAL, &|q| {
            q.eop_buffer_size = 8192
        }),
        ("end-of-pipe buffer in a larger object", EINVAL, &|q| {
            q.eop_buffer_address = other.address()
        }),
        ("control stack too small", EINVAL, &|q| {
            q.ctl_stack_size = 0x3000
        }),
        ("control stack too large", EINVAL, &|q| {
            q.ctl_stack_size = 0x5000
        }),
        ("save area too small", EINVAL, &|q| {
            q.ctx_save_restore_size -= 4096
        }),
        ("save area larger than its object", EINVAL, &|q| {
            q.ctx_save_restore_size += 4096
        }),
        ("no save area", EINVAL, &|q| q.ctx_save_restore_address = 0),
        ("save area in a larger object", EINVAL, &|q| {
            q.ctx_save_restore_address = longer.address()
        }),
    ];
    for (what, error, change) in cases {
        let mut argument = parts.argument;
        change(&mut argument);
        assert_eq!(
            client.call(request::CREATE_QUEUE, &mut argument),
            Err(error),
            "{what}"
        );
    }
    let mut argument = parts.argument;
    argument.eop_buffer_address = 0;
    client
        .call(request::CREATE_QUEUE, &mut argument)
        .expect("an end-of-pipe buffer may be missing");
    parts.create(&client).expect("as it was");
}

#[test]
fn a_larger_save_area_is_accepted_with_an_object_of_its_size() {
    let client = Client::new(options());
    let mut parts = QueueParts::new(&client, 64);
    let bytes = (0x0124_d000u64 + 0xa000).next_multiple_of(4096);
    let area = client.memory(usize::try_from(bytes).expect("64 bits"), DEVICE);
    parts.argument.ctx_save_restore_address = area.address();
    parts.argument.ctx_save_restore_size = 0x0124_d000;
    parts.create(&client).expect("at least the node's");
}

#[test]
fn numbers_and_doorbells_are_the_lowest_free_ones() {
    let client = Client::new(options());
    let queues: Vec<Queue<'_>> = (0..3).map(|_| Queue::new(&client, 64)).collect();
    assert_eq!(
        queues.iter().map(|queue| queue.id).collect::<Vec<_>>(),
        [0, 1, 2]
    );
    let mut queues = queues.into_iter();
    let (_first, second) = (queues.next(), queues.next().expect("three"));
    let parts = second.destroy();
    let again = parts.create(&client).expect("its parts are free");
    assert_eq!((again.queue_id, again.doorbell_offset & 0x1fff), (1, 8));
    assert_eq!(again.doorbell_offset >> 62, 3);
    assert_eq!(
        again.doorbell_offset >> 46 & 0xffff,
        u64::from(client.gpu_id)
    );
}

#[test]
fn a_queue_is_destroyed_once() {
    let client = Client::new(options());
    let queue = Queue::new(&client, 64);
    let mut argument = DestroyQueue {
        queue_id: queue.id,
        pad: 0,
    };
    queue.destroy();
    assert_eq!(
        client.call(request::DESTROY_QUEUE, &mut argument),
        Err(EINVAL)
    );
    argument.queue_id = 77;
    assert_eq!(
        client.call(request::DESTROY_QUEUE, &mut argument),
        Err(EINVAL)
    );
}

#[test]
fn priority_changes_with_the_same_ring() {
    let client = Client::new(options());
    let queue = Queue::new(&client, 64);
    let good = UpdateQueue {
        ring_base_address: queue.parts.ring.address(),
        queue_id: queue.id,
        ring_size: 4096,
        queue_percentage: 100,
        queue_priority: 11,
    };
    let call = |mut argument: UpdateQueue| client.call(request::UPDATE_QUEUE, &mut argument);
    call(good).expect("high priority");
    assert_eq!(
        call(UpdateQueue {
            queue_priority: 16,
            ..good
        }),
        Err(EINVAL)
    );
    assert_eq!(
        call(UpdateQueue {
            queue_percentage: 101,
            ..good
        }),
        Err(EINVAL)
    );
    assert_eq!(
        call(UpdateQueue {
            ring_size: 4097,
            ..good
        }),
        Err(EINVAL)
    );
    assert_eq!(
        call(UpdateQueue {
            queue_id: 77,
            ..good
        }),
        Err(EFAULT)
    );
}

#[test]
fn compute_units_are_masked_in_pairs() {
    let client = Client::new(options());
    let queue = Queue::new(&client, 64);
    let set = |queue_id, num_cu_mask, mask: &[u32]| {
        let cu_mask_ptr = mask.as_ptr().expose_provenance() as u64;
        client.call(
            request::SET_CU_MASK,
            &mut SetCuMask {
                queue_id,
                num_cu_mask,
                cu_mask_ptr,
            },
        )
    };
    assert_eq!(set(queue.id, 64, &[0xffff_ffff, 0x0000_00ff]), Ok(()));
    assert_eq!(
        set(queue.id, 64, &[0xffff_ffff, 0x0000_0001]),
        Err(EINVAL),
        "half a pair"
    );
    assert_eq!(
        set(queue.id, 40, &[0xffff_ffff, 0xff]),
        Err(EINVAL),
        "no multiple of 32"
    );
    assert_eq!(set(queue.id, 0, &[]), Err(EINVAL));
    assert_eq!(set(77, 32, &[3]), Err(EFAULT));
    let mut nowhere = SetCuMask {
        queue_id: queue.id,
        num_cu_mask: 32,
        cu_mask_ptr: 8,
    };
    assert_eq!(client.call(request::SET_CU_MASK, &mut nowhere), Err(EFAULT));
}

#[test]
fn one_queue_of_a_process_gets_global_wave_sync() {
    let client = Client::new(options());
    let (first, second) = (Queue::new(&client, 64), Queue::new(&client, 64));
    let call = |queue_id, num_gws| {
        let mut argument = AllocQueueGws {
            queue_id,
            num_gws,
            first_gws: 9,
            pad: 0,
        };
        client
            .call(request::ALLOC_QUEUE_GWS, &mut argument)
            .map(|()| argument.first_gws)
    };
    assert_eq!(call(first.id, 0), Err(EINVAL), "nothing to give back");
    assert_eq!(call(first.id, 1), Ok(0));
    assert_eq!(call(second.id, 1), Err(EBUSY));
    assert_eq!(call(first.id, 0), Ok(0));
    assert_eq!(call(second.id, 1), Ok(0));
    assert_eq!(call(77, 1), Err(EINVAL));
}

#[test]
fn a_doorbell_of_a_new_queue_forgets_the_last_one() {
    let client = Client::new(options());
    let queue = Queue::new(&client, 64);
    let doorbells = client.doorbells();
    queue.ring_value(0);
    let parts = queue.destroy();
    assert_eq!(doorbells.word(0).load(Ordering::Relaxed), u64::MAX);
    // Asserts that the doorbell is unrung.
    Queue::from_parts(&client, parts);
}

#[test]
fn only_a_stopped_queue_has_a_wave_state() {
    let client = Client::new(options());
    let queue = Queue::new(&client, 64);
    let mut argument = GetQueueWaveState {
        queue_id: queue.id,
        ..GetQueueWaveState::default()
    };
    assert_eq!(
        client.call(request::GET_QUEUE_WAVE_STATE, &mut argument),
        Err(EINVAL)
    );
    argument.queue_id = 77;
    assert_eq!(
        client.call(request::GET_QUEUE_WAVE_STATE, &mut argument),
        Err(EINVAL)
    );
}
