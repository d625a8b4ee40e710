//! The rows of the library's own table, as text.

#[path = "../../src/table.rs"]
mod source;

/// One export.
pub(crate) struct Row {
    pub(crate) node: &'static str,
    pub(crate) name: &'static str,
    /// Rust types of the parameters.
    pub(crate) parameters: &'static [&'static str],
    /// Rust type of the result.
    pub(crate) result: &'static str,
    /// Whether the row names a body.
    pub(crate) implemented: bool,
    /// Whether an error of it becomes the thread's last error.
    pub(crate) sets_last_error: bool,
}

macro_rules! implemented {
    (unsupported) => {
        false
    };
    ($($body:ident)::+) => {
        true
    };
}

macro_rules! sets {
    (keeps) => {
        false
    };
    ($($flag:ident)+) => {
        true
    };
}

macro_rules! rows {
    (
        status { $(in $snode:literal fn $sname:ident ($($sarg:ident: $sty:ty),*) => $($sbody:ident)::+ $(($swhy:literal))? [$($sflag:ident)+];)* }
        value { $(in $vnode:literal fn $vname:ident ($($varg:ident: $vty:ty),*) -> $vret:ty => $($vbody:ident)::+ $(($vwhy:literal))? else $velse:expr;)* }
    ) => {
        pub(crate) const ROWS: &[Row] = &[
            $(Row {
                node: $snode,
                name: stringify!($sname),
                parameters: &[$(stringify!($sty)),*],
                result: "hipError_t",
                implemented: implemented!($($sbody)::+),
                sets_last_error: sets!($($sflag)+),
            },)*
            $(Row {
                node: $vnode,
                name: stringify!($vname),
                parameters: &[$(stringify!($vty)),*],
                result: stringify!($vret),
                implemented: implemented!($($vbody)::+),
                sets_last_error: false,
            },)*
        ];
    };
}
source::for_each_hip_api!(rows);

/// A type of the table as C has it.
pub(crate) fn c_type(rust: &str) -> String {
    // The compiler prints a type with or without a space after the asterisk.
    let rust = rust.trim().replace("* ", "*");
    let rust = rust.as_str();
    if let Some(pointee) = rust.strip_prefix("*mut ") {
        return format!("{} *", c_type(pointee));
    }
    if let Some(pointee) = rust.strip_prefix("*const ") {
        let pointee = c_type(pointee);
        return if pointee.ends_with('*') {
            format!("{pointee} const *")
        } else {
            format!("const {pointee} *")
        };
    }
    match rust {
        "()" | "c_void" => "void",
        "c_char" => "char",
        "u8" => "unsigned char",
        "u16" => "unsigned short",
        "u32" => "unsigned int",
        "u64" => "unsigned long long",
        "usize" => "size_t",
        "i32" => "int",
        "i64" => "long long",
        "f32" => "float",
        name => name,
    }
    .to_owned()
}

/// Headers that together declare everything. The plain names of the device properties are macros for the
/// R0600 ones there; the exports of those names are older.
pub(crate) const ALL_HEADERS: &str = "#include <hip/hip_runtime.h>\n#include <hip/hip_ext.h>\n\
    #include <hip/hip_deprecated.h>\n#include <hip/hip_gl_interop.h>\n#include <hip/hrx.h>\n\
    #include <hip/detail/compiler_abi.h>\n#undef hipGetDeviceProperties\n#undef hipChooseDevice\n";

/// What no header can declare in C: helpers of the compiler's own and C++ names.
pub(crate) fn is_undeclared(row: &Row) -> bool {
    row.name.starts_with("__gnu_") || row.name.starts_with("_Z")
}

/// What a source needs a [`prototype`] for, after [`ALL_HEADERS`].
pub(crate) fn needs_declaration(row: &Row) -> bool {
    is_undeclared(row) || ["hipGetDeviceProperties", "hipChooseDevice"].contains(&row.name)
}

/// The row's prototype in C.
pub(crate) fn prototype(row: &Row) -> String {
    let mut parameters: Vec<String> = row.parameters.iter().map(|ty| c_type(ty)).collect();
    if parameters.is_empty() {
        parameters.push("void".to_owned());
    }
    format!(
        "{} {}({});\n",
        c_type(row.result),
        row.name,
        parameters.join(", ")
    )
}
