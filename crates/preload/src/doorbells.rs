//! The trap under doorbells that nobody rings by a call.
//!
//! 1. `arm`, by a worker that is about to sleep: `armed` is set, the pages are made read-only, and the worker
//!    looks at the doorbells once more. A store before that look is seen by it; a later one traps.
//! 2. The handler makes the pages writable, takes `armed` back, and calls the device, which keeps the call
//!    until a worker has looked for a while. Then it returns, and the store is done again and lands.
//!
//! Two threads that trap at once both do step 2, which is harmless. A worker that arms between a handler's
//! step and the store makes that store trap again.
//!
//! The handler runs between two instructions of a store to a doorbell, where its thread holds no lock of
//! ours; so it may take locks that other threads hold for a moment.
//!
//! # A program's own handlers
//! Once the trap is set, `sigaction` and `signal` for SIGSEGV change what is kept in `CLIENT` and not the
//! system's: a fault elsewhere goes there. `pthread_sigmask` never blocks SIGSEGV: a thread that has it
//! blocked would be killed by its next doorbell.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicUsize, Ordering};

use hrx_vgpu::Watch;

use crate::{device, nodes, real};

/// Mappings of doorbells that a process may have at once; a client makes one.
const MAPPINGS: usize = 16;

/// A mapping: address, or 0 for a free place, and bytes.
struct Mapping {
    address: AtomicUsize,
    bytes: AtomicUsize,
}

static PAGES: [Mapping; MAPPINGS] = [const {
    Mapping {
        address: AtomicUsize::new(0),
        bytes: AtomicUsize::new(0),
    }
}; MAPPINGS];

/// The pages are read-only, or about to be.
static ARMED: AtomicBool = AtomicBool::new(false);
/// Core on which the last store trapped.
static CORE: AtomicI32 = AtomicI32::new(-1);
/// The handler is installed.
static INSTALLED: AtomicBool = AtomicBool::new(false);

/// The [`Watch`] of the device.
#[derive(Debug)]
pub(crate) struct Trap;

impl Watch for Trap {
    fn arm(&self) {
        if INSTALLED.load(Ordering::Acquire) && !ARMED.swap(true, Ordering::SeqCst) {
            protect(libc::PROT_READ);
        }
    }

    /// A worker is often woken on the core of the client that woke it, where the client then spins on its
    /// signal, and the worker gets no turn before the next tick of the system. So it goes elsewhere.
    fn answered(&self) {
        let core = usize::try_from(CORE.load(Ordering::Relaxed));
        // SAFETY: has no arguments.
        let own = usize::try_from(unsafe { libc::sched_getcpu() });
        if let (Ok(core), Ok(own)) = (core, own)
            && core == own
        {
            leave_core(core);
        }
    }
}

/// Moves the calling thread to another core that it may use, if there is one, and lets it use all again.
fn leave_core(core: usize) {
    const BYTES: usize = size_of::<libc::cpu_set_t>();
    // SAFETY: all zeros is an empty set.
    let mut all: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: a live set of this size.
    if unsafe { libc::sched_getaffinity(0, BYTES, &mut all) } != 0 || core >= 8 * BYTES {
        return;
    }
    let mut others = all;
    // SAFETY: the core is within the set.
    unsafe { libc::CPU_CLR(core, &mut others) };
    // An empty set is refused, and the thread stays.
    // SAFETY: a live set of this size, for the calling thread.
    if unsafe { libc::sched_setaffinity(0, BYTES, &others) } == 0 {
        // SAFETY: as above.
        unsafe { libc::sched_setaffinity(0, BYTES, &all) };
    }
}

fn protect(protection: c_int) {
    for page in &PAGES {
        // Acquire: pairs with the release of `add`.
        let address = page.address.load(Ordering::Acquire);
        if address != 0 {
            let bytes = page.bytes.load(Ordering::Relaxed);
            // SAFETY: a live mapping of doorbells: `remove` takes it off before it ends. Its only writers
            // are stores that the handler lets through.
            unsafe { libc::mprotect(std::ptr::without_provenance_mut(address), bytes, protection) };
        }
    }
}

/// A client has mapped doorbells.
pub(crate) fn add(address: usize, bytes: usize) {
    // SAFETY: advice on a mapping that has just been made. As in the kernel, a child does not inherit it.
    unsafe {
        libc::madvise(
            std::ptr::without_provenance_mut(address),
            bytes,
            libc::MADV_DONTFORK,
        )
    };
    for page in &PAGES {
        if page.address.load(Ordering::Relaxed) == 0
            && page
                .bytes
                .compare_exchange(0, bytes, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
        {
            // Release: who sees the address sees the bytes.
            page.address.store(address, Ordering::Release);
            install();
            // Workers that sleep armed what there was before. They look again, and arm this one too.
            ARMED.store(false, Ordering::SeqCst);
            if let Some(device) = device::existing() {
                device.doorbell_alarm();
            }
            return;
        }
    }
    // Workers then see only what they find while they poll. No client is known that does this.
    crate::log::say("more than 16 mappings of doorbells: the further ones wake nobody");
}

/// Whether any doorbell lies in a range.
fn overlaps(page: &Mapping, address: usize, bytes: usize) -> bool {
    let base = page.address.load(Ordering::Acquire);
    base != 0
        && base < address.saturating_add(bytes)
        && address < base + page.bytes.load(Ordering::Relaxed)
}

/// A range is about to be unmapped or mapped anew.
pub(crate) fn remove(address: usize, bytes: usize) {
    for page in &PAGES {
        if overlaps(page, address, bytes) {
            page.address.store(0, Ordering::Release);
            page.bytes.store(0, Ordering::Release);
        }
    }
}

/// What the program wants done with SIGSEGV.
struct Client {
    /// Taken while `action` is read or written. A spin lock, since a handler uses it.
    lock: AtomicBool,
    action: UnsafeCell<libc::sigaction>,
}

// SAFETY: `action` is touched under `lock` alone.
unsafe impl Sync for Client {}

static CLIENT: Client = Client {
    lock: AtomicBool::new(false),
    // SAFETY: all zeros is a valid action, the default one.
    action: UnsafeCell::new(unsafe { std::mem::zeroed() }),
};

impl Client {
    fn with<T>(&self, call: impl FnOnce(&mut libc::sigaction) -> T) -> T {
        while self.lock.swap(true, Ordering::Acquire) {
            std::hint::spin_loop();
        }
        // SAFETY: the lock is held, and `call` does not come back here.
        let result = call(unsafe { &mut *self.action.get() });
        self.lock.store(false, Ordering::Release);
        result
    }
}

fn install() {
    /// 0 nobody has begun, 1 somebody has, 2 done.
    static STATE: AtomicU32 = AtomicU32::new(0);
    if STATE
        .compare_exchange(0, 1, Ordering::SeqCst, Ordering::SeqCst)
        .is_err()
    {
        return;
    }
    // SAFETY: all zeros is a valid action.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: as above.
    let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: both are live, and `handler` has the type that SA_SIGINFO asks for.
    if unsafe { real::sigaction(libc::SIGSEGV, &action, &mut before) } == 0 {
        CLIENT.with(|client| *client = before);
        INSTALLED.store(true, Ordering::SeqCst);
    }
    STATE.store(2, Ordering::SeqCst);
}

/// `sigaction` of a program for SIGSEGV; `None` while the handler is not ours.
///
/// # Safety
/// As `sigaction(2)`.
pub(crate) unsafe fn client_action(
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> Option<()> {
    INSTALLED.load(Ordering::Acquire).then(|| {
        CLIENT.with(|client| {
            let before = *client;
            if !new.is_null() {
                // SAFETY: not null, so the caller's action.
                *client = unsafe { *new };
            }
            if !old.is_null() {
                // SAFETY: not null, so the caller's room for one.
                unsafe { *old = before };
            }
        });
    })
}

extern "C" fn handler(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let saved = nodes::errno();
    // SAFETY: the system gives a handler with SA_SIGINFO a valid siginfo.
    let code = unsafe { (*info).si_code };
    // SAFETY: the same siginfo, borrowed for the next line alone.
    let info_ref = unsafe { &*info };
    // SAFETY: SIGSEGV's siginfo has an address.
    let address = unsafe { info_ref.si_addr() }.addr();
    /// `si_code` of an access that a live mapping does not allow.
    const SEGV_ACCERR: c_int = 2;
    if code == SEGV_ACCERR && PAGES.iter().any(|page| overlaps(page, address, 1)) {
        protect(libc::PROT_READ | libc::PROT_WRITE);
        ARMED.store(false, Ordering::SeqCst);
        // SAFETY: has no arguments, and may be called in a handler.
        CORE.store(unsafe { libc::sched_getcpu() }, Ordering::Relaxed);
        if let Some(device) = device::existing() {
            device.doorbell_alarm();
            // Lets a worker that was woken on this core run, and leave it (see `answered`).
            std::thread::yield_now();
        }
        nodes::set_errno(saved);
        return;
    }
    nodes::set_errno(saved);
    chain(signal, info, context);
}

/// A fault that is not ours goes to the program's handler, or does what it does without one.
fn chain(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let action = CLIENT.with(|client| {
        let action = *client;
        if action.sa_flags & libc::SA_RESETHAND != 0 {
            client.sa_sigaction = libc::SIG_DFL;
        }
        action
    });
    if action.sa_sigaction == libc::SIG_DFL || action.sa_sigaction == libc::SIG_IGN {
        // The instruction faults again after we return, and then for good.
        // SAFETY: all zeros is the default action.
        let default: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: a live action.
        unsafe { real::sigaction(signal, &default, std::ptr::null_mut()) };
        return;
    }
    // SAFETY: room for a set, filled by the call below.
    let mut before: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: both sets are live.
    unsafe { real::pthread_sigmask(libc::SIG_BLOCK, &action.sa_mask, &mut before) };
    if action.sa_flags & libc::SA_SIGINFO != 0 {
        type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
        // SAFETY: the program installed it as a handler of this type.
        let handler = unsafe { std::mem::transmute::<usize, Handler>(action.sa_sigaction) };
        handler(signal, info, context);
    } else {
        // SAFETY: as above, of the older type.
        let handler =
            unsafe { std::mem::transmute::<usize, extern "C" fn(c_int)>(action.sa_sigaction) };
        handler(signal);
    }
    // SAFETY: a set that the first call wrote.
    unsafe { real::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut()) };
}
