//! Status codes of a session's end.

macro_rules! statuses {
    ($($code:literal $name:ident $text:literal,)+) => {
        /// How a session ended.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum Status {
            $(#[doc = $text] $name = $code,)+
        }

        impl Status {
            /// The status with this code; codes we do not know are [`Status::Unknown`].
            pub const fn from_code(code: u32) -> Self {
                match code {
                    $($code => Self::$name,)+
                    _ => Self::Unknown,
                }
            }

            /// The name that upstream's reader prints.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }
        }
    };
}

statuses! {
    0 Ok "OK",
    1 Cancelled "CANCELLED",
    2 Unknown "UNKNOWN",
    3 InvalidArgument "INVALID_ARGUMENT",
    4 DeadlineExceeded "DEADLINE_EXCEEDED",
    5 NotFound "NOT_FOUND",
    6 AlreadyExists "ALREADY_EXISTS",
    7 PermissionDenied "PERMISSION_DENIED",
    8 ResourceExhausted "RESOURCE_EXHAUSTED",
    9 FailedPrecondition "FAILED_PRECONDITION",
    10 Aborted "ABORTED",
    11 OutOfRange "OUT_OF_RANGE",
    12 Unimplemented "UNIMPLEMENTED",
    13 Internal "INTERNAL",
    14 Unavailable "UNAVAILABLE",
    15 DataLoss "DATA_LOSS",
    16 Unauthenticated "UNAUTHENTICATED",
    17 Deferred "DEFERRED",
    18 Incompatible "INCOMPATIBLE",
}

impl Status {
    /// The code in the file.
    pub const fn code(self) -> u32 {
        self as u32
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
