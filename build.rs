//! Writes the version script that binds every export to its version node, and tells the linker about it.
//!
//! rustc hands a cdylib's linker a version script of its own, beside which GNU ld refuses a second one
//! and lld leaves the names unbound. So `.cargo/config.toml` names `.cargo/linker` as the linker; it drops
//! rustc's script wherever it sees the one written here, and passes every other link through untouched.

use std::{
    collections::BTreeMap,
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

#[path = "src/table.rs"]
mod table;

const SCRIPT: &str = "amdhip64-exports.map";
const LINKER: &str = ".cargo/linker";
/// Tells `.cargo/linker` which script is ours. No real linker has such an option, so that a link without
/// ours fails, and names what it lacks, instead of leaving a library whose symbols have no nodes.
const MARK: &str = "-Wl,--needs-the-linker-of-.cargo/config.toml,--version-script=";
const SONAME: &str = "libamdhip64.so.7";

macro_rules! exports {
    (
        status { $(in $snode:literal fn $sname:ident ($($sargs:tt)*) => $($sbody:ident)::+ $(($swhy:literal))? [$($sflag:ident)+];)* }
        value { $(in $vnode:literal fn $vname:ident ($($vargs:tt)*) -> $vret:ty => $($vbody:ident)::+ $(($vwhy:literal))? else $velse:expr;)* }
    ) => {
        /// Version node and symbol of each row.
        const EXPORTS: &[(&str, &str)] = &[
            $(($snode, stringify!($sname)),)*
            $(($vnode, stringify!($vname)),)*
        ];
    };
}
table::for_each_hip_api!(exports);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/table.rs");
    println!("cargo::rerun-if-changed={LINKER}");
    println!("cargo::rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");

    let root =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let script = out.join(SCRIPT);
    fs::write(&script, version_script())
        .unwrap_or_else(|error| panic!("cannot write {}: {error}", script.display()));

    println!("cargo::rustc-cdylib-link-arg={MARK}{}", script.display());
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,{SONAME}");
    // The library holds threads and exit hooks, so `dlclose` must not unmap it.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,now");

    warn_if_linker_is_replaced(&root);
}

/// One block per node; a numbered `hip_*` node inherits from the one before it, as in AMD's library.
fn version_script() -> String {
    let mut nodes: BTreeMap<(&str, u32, u32), Vec<&str>> = BTreeMap::new();
    for (node, symbol) in EXPORTS {
        nodes.entry(parse_node(node)).or_default().push(symbol);
    }
    let mut text = String::new();
    let mut parent: Option<String> = None;
    for ((family, major, minor), symbols) in &nodes {
        let name = format!("{family}_{major}.{minor}");
        writeln!(text, "{name} {{\n  global:").expect("a String takes any text");
        for symbol in symbols {
            writeln!(text, "    {symbol};").expect("a String takes any text");
        }
        if *family == "hip" {
            // Once is enough, and the first node is where AMD's script has it too.
            if parent.is_none() {
                text.push_str("  local:\n    *;\n");
            }
            let inherits = parent.replace(name).map(|parent| format!(" {parent}"));
            writeln!(text, "}}{};", inherits.unwrap_or_default()).expect("a String takes any text");
        } else {
            text.push_str("};\n");
        }
    }
    text
}

/// `hip_4.2` as (`hip`, 4, 2), so that nodes sort by number.
fn parse_node(node: &str) -> (&str, u32, u32) {
    node.rsplit_once('_')
        .and_then(|(family, version)| {
            let (major, minor) = version.split_once('.')?;
            Some((family, major.parse().ok()?, minor.parse().ok()?))
        })
        .unwrap_or_else(|| panic!("version node `{node}` is not of the form family_major.minor"))
}

/// `RUSTFLAGS` alone does no harm; another linker does, so say what to do before it fails.
fn warn_if_linker_is_replaced(root: &Path) {
    let ours = root.join(LINKER);
    let linker = env::var_os("RUSTC_LINKER").map(PathBuf::from);
    let same = linker.as_ref().is_some_and(
        |linker| matches!((linker.canonicalize(), ours.canonicalize()), (Ok(a), Ok(b)) if a == b),
    );
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let by_flag = flags.split('\x1f').any(|flag| flag.contains("linker="));
    if !same || by_flag {
        let found = if by_flag {
            "a `-C linker=` in RUSTFLAGS".to_owned()
        } else {
            linker.map_or("none".to_owned(), |linker| linker.display().to_string())
        };
        println!(
            "cargo::warning=libamdhip64.so needs the linker {LINKER} of this repository's \
             .cargo/config.toml, but cargo uses {found}; linking the library will fail. \
             Set HRX_CC to choose the compiler driver behind it."
        );
    }
}
