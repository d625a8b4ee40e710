//! A kernel that refuses what it is told to refuse, and counts what it gave out.

use std::collections::HashMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use hrx_abi::kfd::{self, CreateEvent, request};
use hrx_drivers::kfd::{Errno, FaultReport, Fd, Kernel};
use hrx_hal::CodeSymbol;

type Change = fn(&mut [u8]);

#[derive(Debug, Default)]
struct Rules {
    always: HashMap<u32, i32>,
    answers: HashMap<u32, Change>,
    opens: HashMap<String, i32>,
    nth: Option<(u64, i32)>,
    requests: u64,
    refusals: u64,
    refused_a_release: bool,
    objects: i64,
    events: i64,
    descriptors: i64,
}

/// The kernel.
#[derive(Clone, Debug)]
pub(crate) struct Refusing {
    inner: Arc<dyn Kernel>,
    rules: Arc<Mutex<Rules>>,
}

/// Requests are told apart by their number: the size field of some varies.
fn number(request: u32) -> u32 {
    kfd::number(request)
}

const RELEASES: [u32; 5] = [
    request::FREE_MEMORY_OF_GPU,
    request::UNMAP_MEMORY_FROM_GPU,
    request::DESTROY_QUEUE,
    request::DESTROY_EVENT,
    request::RUNTIME_ENABLE,
];

impl Refusing {
    pub(crate) fn new(inner: Arc<dyn Kernel>) -> Self {
        Self {
            inner,
            rules: Arc::default(),
        }
    }

    pub(crate) fn as_kernel(&self) -> Arc<dyn Kernel> {
        Arc::new(self.clone())
    }

    fn rules<T>(&self, action: impl FnOnce(&mut Rules) -> T) -> T {
        action(&mut self.rules.lock().expect("no panic under the lock"))
    }

    pub(crate) fn refuse_always(&self, request: u32, errno: i32) {
        self.rules(|rules| rules.always.insert(number(request), errno));
    }

    pub(crate) fn answer(&self, request: u32, change: Change) {
        self.rules(|rules| rules.answers.insert(number(request), change));
    }

    pub(crate) fn refuse_open(&self, path: &str, errno: i32) {
        self.rules(|rules| rules.opens.insert(path.to_owned(), errno));
    }

    pub(crate) fn refuse_nth(&self, nth: u64, errno: i32) {
        self.rules(|rules| rules.nth = Some((nth, errno)));
    }

    pub(crate) fn refusals(&self) -> u64 {
        self.rules(|rules| rules.refusals)
    }

    pub(crate) fn refused_a_release(&self) -> bool {
        self.rules(|rules| rules.refused_a_release)
    }

    /// Memory objects that were not freed, but for an event page.
    pub(crate) fn objects(&self) -> i64 {
        self.rules(|rules| rules.objects)
    }

    /// Events that were not destroyed.
    pub(crate) fn events(&self) -> i64 {
        self.rules(|rules| rules.events)
    }

    /// Descriptors that were not closed.
    pub(crate) fn descriptors(&self) -> i64 {
        self.rules(|rules| rules.descriptors)
    }

    fn refusal(&self, word: u32) -> Option<Errno> {
        self.rules(|rules| {
            let nth = rules.requests;
            rules.requests += 1;
            let counted = rules
                .nth
                .filter(|(wanted, _)| *wanted == nth)
                .map(|(_, errno)| errno);
            let errno = counted.or(rules.always.get(&number(word)).copied())?;
            rules.refusals += 1;
            rules.refused_a_release |= RELEASES.iter().any(|other| number(*other) == number(word));
            Some(Errno(errno))
        })
    }

    fn count(&self, word: u32) {
        self.rules(|rules| match number(word) {
            n if n == number(request::ALLOC_MEMORY_OF_GPU) => rules.objects += 1,
            n if n == number(request::FREE_MEMORY_OF_GPU) => rules.objects -= 1,
            n if n == number(request::CREATE_EVENT) => rules.events += 1,
            n if n == number(request::DESTROY_EVENT) => rules.events -= 1,
            _ => {}
        });
    }
}

impl Kernel for Refusing {
    fn open(&self, path: &str) -> Result<Fd, Errno> {
        if let Some(errno) = self.rules(|rules| rules.opens.get(path).copied()) {
            return Err(Errno(errno));
        }
        let fd = self.inner.open(path)?;
        self.rules(|rules| rules.descriptors += 1);
        Ok(fd)
    }

    fn close(&self, fd: Fd) {
        self.rules(|rules| rules.descriptors -= 1);
        self.inner.close(fd);
    }

    unsafe fn ioctl(&self, fd: Fd, request: u32, argument: *mut u8) -> Result<(), Errno> {
        if let Some(errno) = self.refusal(request) {
            return Err(errno);
        }
        let page = if request == request::CREATE_EVENT {
            // SAFETY: the caller passes the struct that belongs to the request.
            let asked = unsafe { argument.cast::<CreateEvent>().read() };
            asked.event_page_offset
        } else {
            0
        };
        // SAFETY: the caller's promise is the one that the callee asks for.
        unsafe { self.inner.ioctl(fd, request, argument) }?;
        self.count(request);
        if page != 0 {
            // The page is the kernel's from now on; it frees it with the process.
            self.rules(|rules| rules.objects -= 1);
        }
        if let Some(change) = self.rules(|rules| rules.answers.get(&number(request)).copied()) {
            let bytes = kfd::argument_bytes(request);
            // SAFETY: the request word carries the size of what `argument` points at, and the call
            // is over.
            change(unsafe { std::slice::from_raw_parts_mut(argument, bytes) });
        }
        Ok(())
    }

    unsafe fn mmap(
        &self,
        address: usize,
        len: usize,
        protection: i32,
        flags: i32,
        fd: Fd,
        offset: u64,
    ) -> Result<usize, Errno> {
        // SAFETY: the caller's promise is the one that the callee asks for.
        unsafe { self.inner.mmap(address, len, protection, flags, fd, offset) }
    }

    unsafe fn munmap(&self, address: usize, len: usize) -> Result<(), Errno> {
        // SAFETY: the caller's promise is the one that the callee asks for.
        unsafe { self.inner.munmap(address, len) }
    }

    fn read_file(&self, path: &str) -> Result<Vec<u8>, Errno> {
        self.inner.read_file(path)
    }

    fn list_directory(&self, path: &str) -> Result<Vec<String>, Errno> {
        self.inner.list_directory(path)
    }

    fn ring_doorbell(&self, doorbell: &AtomicU64, value: u64) {
        self.inner.ring_doorbell(doorbell, value);
    }

    fn assist(&self, done: &dyn Fn() -> bool) {
        self.inner.assist(done);
    }

    fn name_code(&self, base: u64, len: u64, name: &str, symbols: &[CodeSymbol]) {
        self.inner.name_code(base, len, name, symbols);
    }

    fn fault_report(&self) -> Option<FaultReport> {
        self.inner.fault_report()
    }

    fn is_virtual(&self) -> bool {
        self.inner.is_virtual()
    }
}
