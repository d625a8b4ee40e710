//! What the built library exports, and what a program that was linked with it asks for.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::Command,
};

use object::{
    Endianness, SymbolIndex,
    elf::{self, FileHeader64},
    read::elf::{Dyn, FileHeader, SectionHeader, Sym},
};

use crate::{
    support::{library, link, root, rows, run, succeed, text},
    table::ROWS,
};

type Elf = FileHeader64<Endianness>;

/// Symbols and their version nodes, and the nodes with those that they inherit from.
struct Exports {
    symbols: BTreeMap<String, String>,
    parents: BTreeMap<String, Vec<String>>,
    soname: String,
    flags_1: u64,
}

fn read(path: &Path) -> Exports {
    let data = fs::read(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let data = data.as_slice();
    let header = Elf::parse(data).expect("a 64-bit ELF file");
    let endian = header.endian().expect("a known byte order");
    let sections = header.sections(endian, data).expect("section headers");
    let symbols = sections
        .symbols(endian, data, elf::SHT_DYNSYM)
        .expect("a dynamic symbol table");
    let versions = sections
        .versions(endian, data)
        .expect("readable")
        .expect("version sections");
    let string = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("names are ASCII");

    let mut exports = Exports {
        symbols: BTreeMap::new(),
        parents: BTreeMap::new(),
        soname: String::new(),
        flags_1: 0,
    };
    for (index, symbol) in symbols.enumerate() {
        // A node's own name is an absolute symbol of that name.
        let section = symbol.st_shndx(endian);
        if section == elf::SHN_UNDEF || section == elf::SHN_ABS || index == SymbolIndex(0) {
            continue;
        }
        let name = string(symbol.name(endian, symbols.strings()).expect("a name"));
        let version = versions.version_index(endian, index);
        assert!(
            !version.is_hidden(),
            "{name} is bound as an old version (one @)"
        );
        let node = versions.version(version).expect("a known version");
        let node = node.map_or("none".to_owned(), |node| string(node.name()));
        exports.symbols.insert(name, node);
    }

    let (mut definitions, strings) = sections
        .gnu_verdef(endian, data)
        .expect("readable")
        .expect("version definitions");
    let strings_section = sections.section(strings).expect("linked string table");
    let strings = strings_section
        .strings(endian, data)
        .expect("readable")
        .expect("strings");
    while let Some((definition, mut names)) = definitions.next().expect("readable") {
        if definition.vd_flags.get(endian) & elf::VER_FLG_BASE != 0 {
            continue;
        }
        let mut all = Vec::new();
        while let Some(name) = names.next().expect("readable") {
            all.push(string(name.name(endian, strings).expect("a name")));
        }
        let own = all.remove(0);
        exports.parents.insert(own, all);
    }

    let (dynamic, strings) = sections
        .dynamic(endian, data)
        .expect("readable")
        .expect("a dynamic section");
    let strings_section = sections.section(strings).expect("linked string table");
    let strings = strings_section
        .strings(endian, data)
        .expect("readable")
        .expect("strings");
    for entry in dynamic {
        let tag = entry.tag32(endian).unwrap_or(0);
        if tag == elf::DT_SONAME {
            exports.soname = string(entry.string(endian, strings).expect("a name"));
        } else if tag == elf::DT_FLAGS_1 {
            exports.flags_1 = entry.d_val(endian);
        }
    }
    exports
}

/// The symbols of AMD's build.
fn amd() -> BTreeMap<String, String> {
    rows("hip-abi-7.2.4.tsv")
        .into_iter()
        .map(|row| (row[0].clone(), row[1].clone()))
        .collect()
}

fn ours() -> BTreeMap<String, String> {
    ["hipHALDeinit", "hrx_coverage"]
        .map(|name| (name.to_owned(), "HRX_0.1".to_owned()))
        .into()
}

#[test]
fn every_symbol_of_amds_build_is_exported_at_its_node_and_no_other() {
    let mut expected = amd();
    assert_eq!(expected.len(), 525);
    expected.extend(ours());
    assert_eq!(read(&library()).symbols, expected);
}

#[test]
fn the_table_has_each_of_these_symbols_once() {
    let mut expected = amd();
    expected.extend(ours());
    let table: BTreeMap<_, _> = ROWS
        .iter()
        .map(|row| (row.name.to_owned(), row.node.to_owned()))
        .collect();
    assert_eq!(table, expected);
    assert_eq!(ROWS.len(), expected.len());
}

#[test]
fn each_node_inherits_from_the_one_before_it() {
    // As `readelf -V` prints them for AMD's libamdhip64.so.7.2.53211.
    let chain = [
        "hip_4.2", "hip_4.3", "hip_4.4", "hip_4.5", "hip_5.0", "hip_5.1", "hip_5.2", "hip_5.3",
        "hip_5.5", "hip_5.6", "hip_6.0", "hip_6.1", "hip_6.2", "hip_6.4", "hip_6.5", "hip_7.1",
        "hip_7.2",
    ];
    let mut expected: BTreeMap<String, Vec<String>> = chain
        .windows(2)
        .map(|pair| (pair[1].to_owned(), vec![pair[0].to_owned()]))
        .collect();
    expected.insert(chain[0].to_owned(), Vec::new());
    expected.insert("HRX_0.1".to_owned(), Vec::new());
    assert_eq!(read(&library()).parents, expected);
}

#[test]
fn the_library_has_its_soname_and_is_never_unmapped() {
    let exports = read(&library());
    assert_eq!(exports.soname, "libamdhip64.so.7");
    assert_ne!(
        exports.flags_1 & u64::from(elf::DF_1_NODELETE),
        0,
        "linked -z nodelete"
    );
    let by_soname = library().with_file_name("libamdhip64.so.7");
    assert_eq!(
        by_soname.canonicalize().expect("the link is there"),
        library().canonicalize().expect("the library is there"),
    );
}

#[test]
fn a_linked_program_binds_version_nodes_and_starts_without_complaint() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = r#"
        #include <hip/hip_runtime.h>
        #include <stdio.h>
        int main(void) {
            int version = 0;
            hipError_t status = hipRuntimeGetVersion(&version);
            printf("%d %d %s\n", status, version, hipGetErrorName(hipErrorNotReady));
            return hipGetLastError();
        }
    "#;
    let program = link(folder.path(), &["cc", "-std=c99"], "bind.c", source);
    let output = succeed(run(&program).env("LD_BIND_NOW", "1"));
    assert_eq!(
        text(&output),
        "0 70253211 hipErrorNotReady\n",
        "and nothing on stderr"
    );

    let needs = needed_versions(&program);
    assert_eq!(needs, BTreeSet::from(["hip_4.2".to_owned()]));
}

/// The versions that a program asks of the library.
fn needed_versions(program: &Path) -> BTreeSet<String> {
    let data = fs::read(program).expect("the program was just linked");
    let data = data.as_slice();
    let header = Elf::parse(data).expect("a 64-bit ELF file");
    let endian = header.endian().expect("a known byte order");
    let sections = header.sections(endian, data).expect("section headers");
    let (mut files, strings) = sections
        .gnu_verneed(endian, data)
        .expect("readable")
        .expect("needed versions");
    let strings_section = sections.section(strings).expect("linked string table");
    let strings = strings_section
        .strings(endian, data)
        .expect("readable")
        .expect("strings");
    let mut found = BTreeSet::new();
    while let Some((file, mut versions)) = files.next().expect("readable") {
        if file.file(endian, strings).expect("a name") != b"libamdhip64.so.7" {
            continue;
        }
        while let Some(version) = versions.next().expect("readable") {
            let name = version.name(endian, strings).expect("a name");
            found.insert(String::from_utf8_lossy(name).into_owned());
        }
    }
    found
}

#[test]
fn the_coverage_report_names_each_symbol_with_its_state() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = r#"
        #include <hip/hrx.h>
        #include <stdio.h>
        int main(void) { return fputs(hrx_coverage(), stdout) < 0; }
    "#;
    let program = link(folder.path(), &["cc", "-std=c99"], "coverage.c", source);
    let report = text(&succeed(&mut run(&program)));
    let lines: Vec<Vec<&str>> = report
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    assert_eq!(lines.len(), 527);
    for (line, row) in lines.iter().zip(ROWS) {
        let &[name, node, state, reason] = line.as_slice() else {
            panic!("{line:?} has not four columns");
        };
        assert_eq!((name, node), (row.name, row.node));
        assert_eq!(
            state,
            if row.implemented {
                "implemented"
            } else {
                "unsupported"
            },
            "{name}"
        );
        assert_eq!(
            reason.is_empty(),
            row.implemented,
            "{name}: a gap, and only a gap, has a reason"
        );
    }
}

#[test]
fn no_structure_differs_from_amds() {
    // The numbers in the source are asserted at compile time; here they meet AMD's.
    let source = fs::read_to_string(root().join("src/sys/types.rs")).expect("the source is there");
    let mut asserted = BTreeMap::new();
    let mut name = "";
    for line in source.lines() {
        let fields: Vec<&str> = line
            .split([' ', ':'])
            .filter(|field| !field.is_empty())
            .collect();
        match fields.as_slice() {
            ["c_struct!" | "c_union!", "{", structure, size, "{"] => {
                name = structure;
                asserted.insert((name, ""), *size);
            }
            [offset, field, ..] if offset.parse::<u32>().is_ok() => {
                asserted.insert((name, field.strip_prefix("r#").unwrap_or(field)), *offset);
            }
            _ => (),
        }
    }
    let mut checked = 0;
    for row in rows("hip-layout-7.2.4.tsv") {
        let name = row[0]
            .split_once(' ')
            .map_or(row[0].as_str(), |(_, name)| name);
        assert_eq!(asserted.get(&(name, &*row[1])), Some(&&*row[2]), "{row:?}");
        checked += 1;
    }
    assert!(checked > 500, "{checked} sizes and offsets");
}

/// What the linker wrapper hands to the compiler driver, one argument a line.
fn passed_on(arguments: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let driver = folder.path().join("cc");
    fs::write(&driver, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n").expect("writable");
    fs::set_permissions(&driver, fs::Permissions::from_mode(0o755)).expect("our own file");
    let output = succeed(
        Command::new(root().join(".cargo/linker"))
            .args(arguments)
            .env("HRX_CC", &driver)
            .current_dir(folder.path()),
    );
    text(&output).lines().map(str::to_owned).collect()
}

#[test]
fn the_linker_wrapper_changes_the_one_link_that_is_marked() {
    let plain = [
        "-fuse-ld=lld",
        "-Wl,--version-script=/tmp/list",
        "a b",
        "$c",
        "*",
        "-o",
        "x",
    ];
    assert_eq!(passed_on(&plain), plain);

    let mark = "-Wl,--needs-the-linker-of-.cargo/config.toml,--version-script=/out/ours.map";
    let marked = [&plain[..], &[mark]].concat();
    assert_eq!(
        passed_on(&marked),
        [
            "a b",
            "$c",
            "*",
            "-o",
            "x",
            "-Wl,--version-script=/out/ours.map"
        ]
    );
}
