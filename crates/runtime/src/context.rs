//! The context of the process: what is open, from the first call that needs a device to the end.
//!
//! 1. The first call that needs a device opens it ([`Context::get_or_open`]). Threads may race: one opens,
//!    the others wait and share its result, be it a context or the reason why there is none.
//! 2. The profile session begins here, before any queue is made.
//! 3. The context ends by [`Context::close`] (`hipHALDeinit`), after which the next call opens a new one,
//!    or by [`finish_process`] at the end of the process, which leaves everything in place, since other
//!    threads may still be running.
//! 4. A forked child has a copy of a context whose device it must not touch: every call is an error
//!    there ([`note_fork`]).
//!
//! # Thread safety
//! The current context is behind a reader-writer lock that is held only to clone an `Arc`. A launch on a
//! stream does not come here.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Instant;

use hrx_profile::DeviceDescription;
use parking_lot::{Mutex, RwLock};

use crate::config::Config;
use crate::device::{Device, StreamKind};
use crate::error::{Result, RuntimeError};
use crate::log::{self, say};
use crate::memory::MemoryMap;
use crate::module::Executable;
use crate::module::registry::Registry;
use crate::session::{Launches, Session, SessionDevice, count};
use crate::stream::Stream;

/// Opens devices as the configuration says; the front brings it, since only the front knows drivers.
pub type Opener<'a> = dyn Fn(&Config) -> Result<Vec<Arc<dyn hrx_hal::Device>>, String> + 'a;

/// Everything that is open.
#[derive(Debug)]
pub struct Context {
    id: u64,
    devices: Vec<Arc<Device>>,
    null_streams: Vec<Arc<Stream>>,
    memory: MemoryMap,
    session: Option<Arc<Session>>,
    /// Code that was unregistered while the device may have been running it.
    retired: Mutex<Vec<Arc<Executable>>>,
    finished: AtomicBool,
}

/// What the first call found.
type Opened = Result<Arc<Context>>;

static CURRENT: RwLock<Option<Opened>> = RwLock::new(None);
/// Held while a context is opened or closed.
static OPENING: Mutex<()> = Mutex::new(());
/// This process is a forked child of one that had a context.
static FORKED: AtomicBool = AtomicBool::new(false);
/// Whether a context was ever opened.
static EVER_OPENED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static CURRENT_DEVICE: Cell<u32> = const { Cell::new(0) };
}

/// The calling thread's device.
#[inline]
pub fn current_device() -> u32 {
    CURRENT_DEVICE.with(Cell::get)
}

/// Notes that this process is a forked child. Called in the child before any other code of the program.
pub fn note_fork() {
    if EVER_OPENED.load(Relaxed) {
        FORKED.store(true, Relaxed);
    }
}

/// Whether this process is a forked child of one that had a context.
#[inline]
pub fn is_forked() -> bool {
    FORKED.load(Relaxed)
}

/// The end of the process: waits a bounded time for what runs, then ends the profile session. Does
/// nothing in a forked child, or without a context.
pub fn finish_process() {
    if is_forked() {
        return;
    }
    // `try_read`: a thread that the end of the process interrupted may hold the lock for ever.
    let current = CURRENT.try_read_for(Config::get().exit_wait);
    let context = current.and_then(|current| current.clone());
    if let Some(Ok(context)) = context {
        context.finish();
    }
}

impl Context {
    /// The context, opened if there is none.
    ///
    /// # Errors
    /// [`RuntimeError::NoDevice`], the same for every call once it was found; [`RuntimeError::Forked`].
    pub fn get_or_open(open: &Opener<'_>) -> Opened {
        if is_forked() {
            return Err(RuntimeError::Forked);
        }
        if let Some(opened) = &*CURRENT.read() {
            return opened.clone();
        }
        let _opening = OPENING.lock();
        if let Some(opened) = &*CURRENT.read() {
            return opened.clone();
        }
        let opened = Self::open(open);
        EVER_OPENED.store(opened.is_ok(), Relaxed);
        *CURRENT.write() = Some(opened.clone());
        opened
    }

    /// The context if one is open.
    pub fn current() -> Option<Arc<Self>> {
        if is_forked() {
            return None;
        }
        CURRENT
            .read()
            .as_ref()
            .and_then(|opened| opened.as_ref().ok().cloned())
    }

    fn open(open: &Opener<'_>) -> Opened {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        let (config, remarks) = Config::with_remarks();
        log::start();
        // Once a process, however often a context is opened.
        static REMARKED: AtomicBool = AtomicBool::new(false);
        if !REMARKED.swap(true, Relaxed) {
            for remark in remarks
                .iter()
                .filter(|remark| remark.variable != log::VARIABLE)
            {
                if remark.always {
                    say(&remark.text)
                } else {
                    tracing::warn!("{}", remark.text)
                }
            }
        }
        let found = open(config).map_err(|reason| RuntimeError::NoDevice { reason })?;
        let found = match &config.rocr_visible_devices {
            Some(list) => visible(found, list, rocr_entry),
            None => found,
        };
        let found = match &config.visible_devices {
            Some(list) => visible(found, list, hip_entry),
            None => found,
        };
        if found.is_empty() {
            return Err(RuntimeError::NoDevice {
                reason: "none is visible".to_owned(),
            });
        }
        let session = begin_session(config, &found);
        let devices: Vec<_> = found
            .into_iter()
            .zip(0..)
            .map(|(hal, ordinal)| Arc::new(Device::new(ordinal, hal, session.clone())))
            .collect();
        let null_streams: Result<Vec<_>> = devices
            .iter()
            .map(|device| Stream::create(device, StreamKind::Legacy, 0))
            .collect();
        let null_streams = match null_streams {
            Ok(streams) => streams,
            Err(error) => {
                if let Some(session) = &session {
                    session.end(Launches::default);
                }
                return Err(error);
            }
        };
        Ok(Arc::new(Self {
            // Relaxed: hands out numbers, no data.
            id: NEXT_ID.fetch_add(1, Relaxed),
            devices,
            null_streams,
            memory: MemoryMap::default(),
            session,
            retired: Mutex::default(),
            finished: AtomicBool::new(false),
        }))
    }

    /// Its number in the process.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// All devices that the program sees.
    pub fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    /// A device by number.
    ///
    /// # Errors
    /// [`RuntimeError::InvalidDevice`].
    pub fn device(&self, ordinal: i64) -> Result<&Arc<Device>> {
        let index = usize::try_from(ordinal).ok();
        index
            .and_then(|index| self.devices.get(index))
            .ok_or(RuntimeError::InvalidDevice {
                ordinal,
                count: self.devices.len(),
            })
    }

    /// The calling thread's device.
    ///
    /// # Errors
    /// [`RuntimeError::InvalidDevice`] when an earlier context had more devices.
    pub fn current_device(&self) -> Result<&Arc<Device>> {
        self.device(current_device().into())
    }

    /// Makes a device the calling thread's.
    ///
    /// # Errors
    /// [`RuntimeError::InvalidDevice`].
    pub fn set_device(&self, ordinal: i64) -> Result<()> {
        let device = self.device(ordinal)?;
        CURRENT_DEVICE.with(|current| current.set(device.ordinal()));
        Ok(())
    }

    /// The null stream of a device.
    pub fn null_stream(&self, device: &Device) -> &Arc<Stream> {
        &self.null_streams[device.ordinal() as usize]
    }

    /// Allocations of all devices.
    pub fn memory(&self) -> &MemoryMap {
        &self.memory
    }

    /// The profile session, if there is one.
    pub fn session(&self) -> Option<&Arc<Session>> {
        self.session.as_ref()
    }

    /// Keeps code that the program has unregistered until its device is idle: launches of it may be
    /// running, and unregistering at the end of the process must not wait.
    pub fn retire(&self, executables: Vec<Arc<Executable>>) {
        self.retired.lock().extend(executables);
    }

    /// Frees retired code whose device is idle.
    pub fn reap(&self) {
        let mut retired = self.retired.lock();
        if !retired.is_empty() {
            retired.retain(|executable| !executable.device().is_idle());
        }
    }

    /// Waits for what runs, at most for as long as the configuration says, and ends the session.
    fn finish(&self) {
        // Relaxed: only decides who ends the session, which has its own lock.
        if self.finished.swap(true, Relaxed) {
            return;
        }
        let deadline = Instant::now() + Config::get().exit_wait;
        for device in &self.devices {
            device.settle(deadline);
        }
        let count_all = || {
            let each = self.devices.iter().map(|device| device.launches());
            each.fold(Launches::default(), Launches::with)
        };
        let found = count_all();
        if found.running > 0 && !found.faulted {
            let running = count(found.running);
            tracing::warn!("{running} still running at the end of the process");
        }
        // Counted anew behind the last drain: other threads may go on launching.
        let statement = self.session.as_ref();
        if let Some(statement) = statement.and_then(|session| session.end(count_all)) {
            statement.publish();
        }
    }

    /// Ends the context: `hipHALDeinit`. The caller has made sure that no call runs and has let go of all
    /// streams, events and functions; the next call that needs a device opens a new context.
    pub fn close() {
        if is_forked() {
            return;
        }
        let _opening = OPENING.lock();
        let Some(opened) = CURRENT.write().take() else {
            return;
        };
        let Ok(context) = opened else { return };
        context.finish();
        Registry::get().forget_context(context.id);
    }
}

/// What an entry of a list of visible devices means: the place of a device, if it is one.
type Entry = fn(&str, &[Arc<dyn hrx_hal::Device>]) -> Option<usize>;

/// The devices that the program may see, in its order. The list ends at the first entry that is no
/// device, as in AMD's runtime; an entry that names a device again is one of those.
fn visible(
    found: Vec<Arc<dyn hrx_hal::Device>>,
    list: &str,
    entry: Entry,
) -> Vec<Arc<dyn hrx_hal::Device>> {
    let mut chosen: Vec<usize> = Vec::new();
    for text in list.split(',') {
        match entry(text, &found).filter(|index| !chosen.contains(index)) {
            Some(index) => chosen.push(index),
            None => break,
        }
    }
    chosen
        .into_iter()
        .map(|index| Arc::clone(&found[index]))
        .collect()
}

/// HIP takes a number as it would print it.
fn hip_entry(text: &str, found: &[Arc<dyn hrx_hal::Device>]) -> Option<usize> {
    (0..found.len()).find(|index| index.to_string() == text)
}

/// ROCr takes a number in C's bases with blanks around it, or the beginning of a unique id.
fn rocr_entry(text: &str, found: &[Arc<dyn hrx_hal::Device>]) -> Option<usize> {
    let text = text.trim();
    if let Some(id) = text.strip_prefix("GPU-") {
        let names = |device: &Arc<dyn hrx_hal::Device>| {
            let uuid = device.properties().uuid;
            uuid != 0 && !id.is_empty() && format!("{uuid:016x}").starts_with(&id.to_lowercase())
        };
        return found.iter().position(names);
    }
    let number = if let Some(digits) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        usize::from_str_radix(digits, 16)
    } else if text.len() > 1 && text.starts_with('0') {
        usize::from_str_radix(text, 8)
    } else {
        text.parse()
    };
    number.ok().filter(|index| *index < found.len())
}

fn begin_session(config: &Config, found: &[Arc<dyn hrx_hal::Device>]) -> Option<Arc<Session>> {
    let profile = config.profile.as_ref()?;
    let devices = found
        .iter()
        .zip(0..)
        .map(|(device, ordinal)| session_device(device, ordinal));
    match Session::begin(profile, devices.collect()) {
        Ok(session) => Some(session),
        Err(error) => {
            say(&format!("this run is not profiled: {error}"));
            None
        }
    }
}

fn session_device(device: &Arc<dyn hrx_hal::Device>, ordinal: u32) -> SessionDevice {
    let properties = device.properties();
    let mut uuid = [0; 16];
    uuid[..8].copy_from_slice(&properties.uuid.to_be_bytes());
    let source = Arc::clone(device);
    SessionDevice {
        description: DeviceDescription {
            ordinal,
            uuid: (properties.uuid != 0).then_some(uuid),
            queue_count: u32::try_from(crate::device::LANES).expect("few"),
            is_virtual: properties.is_virtual,
            tick_frequency_hz: properties.tick_hz,
            name: properties.marketing_name.clone(),
            architecture: properties.name.clone(),
        },
        clock: Box::new(move || match source.sample_clocks() {
            Ok(sample) => Some(sample),
            Err(error) => {
                tracing::warn!("the clock of device {ordinal} cannot be read: {error}");
                None
            }
        }),
    }
}
