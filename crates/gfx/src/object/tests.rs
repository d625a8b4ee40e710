//! Tests on compiled code objects. Expected values are what `llvm-readelf-19 --notes -s -l -r` says of
//! them, checked in beside the objects in `tests/kernels` as `*.readelf.txt`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::*;

fn kernels_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels")
}

fn image(name: &str) -> Vec<u8> {
    let path = kernels_folder().join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn device() -> TargetId {
    TargetId::gfx1151()
}

fn parse(name: &str) -> Result<CodeObject, ObjectError> {
    let image = image(name);
    let code = bundle::select(&image, &device())?;
    CodeObject::parse(&code, &device())
}

/// Names of all objects that have a listing.
fn listed_objects() -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(kernels_folder())
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".readelf.txt").map(str::to_owned)
        })
        .collect();
    names.sort();
    assert!(names.len() >= 9, "listings are missing: {names:?}");
    names
}

/// A map of the metadata as text.
type Spelled<'a> = BTreeMap<&'a str, String>;

/// A listing of llvm-readelf, by its parts.
struct Listing(String);

impl Listing {
    fn of(object: &str) -> Self {
        Self(String::from_utf8(image(&format!("{object}.readelf.txt"))).unwrap())
    }

    /// The lines after one that starts with `title` up to the next empty one, split at blanks.
    fn rows(&self, title: &str) -> Vec<Vec<&str>> {
        let mut lines = self.0.lines().skip_while(|line| !line.starts_with(title));
        lines.next();
        lines
            .take_while(|line| !line.is_empty() && !line.starts_with("Displaying notes"))
            .map(|line| line.split_whitespace().collect())
            .collect()
    }

    /// Kernel maps of the metadata, lists joined by commas; arguments are the second part.
    fn kernels(&self) -> Vec<(Spelled<'_>, Vec<Spelled<'_>>)> {
        let mut kernels: Vec<(Spelled<'_>, Vec<Spelled<'_>>)> = Vec::new();
        let lines = self
            .0
            .lines()
            .skip_while(|line| !line.starts_with("amdhsa.kernels:"))
            .skip(1);
        let mut last_key = "";
        for line in lines.take_while(|line| line.starts_with(' ')) {
            let indent = line.len() - line.trim_start().len();
            let (starts, text) = match line.trim_start().strip_prefix("- ") {
                Some(text) => (true, text),
                None => (false, line.trim_start()),
            };
            let Some((key, value)) = text.split_once(':') else {
                let list = kernels.last_mut().unwrap().0.entry(last_key).or_default();
                *list = if list.is_empty() {
                    text.into()
                } else {
                    format!("{list},{text}")
                };
                continue;
            };
            let value = value.trim().trim_matches('\'').to_owned();
            let depth = indent + if starts { 2 } else { 0 };
            if starts && depth == 4 {
                kernels.push(Default::default());
            }
            let (kernel, args) = kernels.last_mut().unwrap();
            if depth == 4 {
                last_key = key;
                kernel.insert(key, value);
            } else {
                if starts {
                    args.push(BTreeMap::new());
                }
                args.last_mut().unwrap().insert(key, value);
            }
        }
        kernels
    }
}

/// Every key of a kernel that the parser reads, as the listing spells it; absent if it is the default.
fn spelled_kernel(info: &KernelInfo) -> BTreeMap<&'static str, String> {
    let mut map = BTreeMap::from([
        (".name", info.name.clone()),
        (".symbol", info.symbol.clone()),
        (
            ".kernarg_segment_size",
            info.kernarg_segment_bytes.to_string(),
        ),
        (
            ".kernarg_segment_align",
            info.kernarg_segment_align.to_string(),
        ),
        (
            ".group_segment_fixed_size",
            info.group_segment_fixed_bytes.to_string(),
        ),
        (
            ".private_segment_fixed_size",
            info.private_segment_fixed_bytes.to_string(),
        ),
        (".wavefront_size", info.wavefront_size.to_string()),
        (".sgpr_count", info.sgpr_count.to_string()),
        (".vgpr_count", info.vgpr_count.to_string()),
        (
            ".max_flat_workgroup_size",
            info.max_flat_workgroup_size.to_string(),
        ),
        (".kind", format!("{:?}", info.kind).to_lowercase()),
        (".uses_dynamic_stack", info.uses_dynamic_stack.to_string()),
        (
            ".workgroup_processor_mode",
            u32::from(info.workgroup_processor_mode).to_string(),
        ),
        (
            ".uniform_work_group_size",
            u32::from(info.uniform_work_group_size).to_string(),
        ),
    ]);
    if let Some([x, y, z]) = info.reqd_workgroup_size {
        map.insert(".reqd_workgroup_size", format!("{x},{y},{z}"));
    }
    map.retain(|key, value| !KERNEL_DEFAULTS.contains(&(*key, value.as_str())));
    map
}

const KERNEL_DEFAULTS: &[(&str, &str)] = &[
    (".kind", "normal"),
    (".uses_dynamic_stack", "false"),
    (".workgroup_processor_mode", "0"),
    (".uniform_work_group_size", "0"),
];

/// Keys that no launch needs.
const KERNEL_KEYS_IGNORED: &[&str] = &[
    ".args",
    ".language",
    ".language_version",
    ".sgpr_spill_count",
    ".vgpr_spill_count",
    ".vec_type_hint",
    ".workgroup_size_hint",
];

fn spelled_arg(arg: &ArgInfo) -> BTreeMap<&'static str, String> {
    let mut map = BTreeMap::from([
        (".offset", arg.offset.to_string()),
        (".size", arg.size.to_string()),
        (".value_kind", arg.value_kind.to_string()),
    ]);
    let texts = [
        (".name", arg.name.clone()),
        (".type_name", arg.type_name.clone()),
        (
            ".address_space",
            arg.address_space.as_ref().map(ToString::to_string),
        ),
        (".access", arg.access.as_ref().map(ToString::to_string)),
        (
            ".actual_access",
            arg.actual_access.as_ref().map(ToString::to_string),
        ),
        (
            ".pointee_align",
            arg.pointee_align.as_ref().map(ToString::to_string),
        ),
        (".is_const", arg.is_const.then(|| "true".into())),
        (".is_restrict", arg.is_restrict.then(|| "true".into())),
        (".is_volatile", arg.is_volatile.then(|| "true".into())),
        (".is_pipe", arg.is_pipe.then(|| "true".into())),
    ];
    map.extend(
        texts
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?))),
    );
    map
}

#[test]
fn every_checked_in_object_for_the_chip_parses() {
    for entry in std::fs::read_dir(kernels_folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let other_chip = name.contains("gfx90a") || name.contains("gfx1100");
        if name.ends_with(".co") && !other_chip {
            let object = parse(&name).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!object.kernels.is_empty(), "{name}");
        }
    }
}

#[test]
fn metadata_is_what_readelf_shows() {
    for name in listed_objects() {
        let object = parse(&format!("{name}.co")).unwrap();
        let listing = Listing::of(&name);
        let expected = listing.kernels();
        assert_eq!(object.kernels.len(), expected.len(), "{name}");
        for (kernel, (expected, expected_args)) in object.kernels.iter().zip(expected) {
            let mut expected = expected;
            expected.retain(|key, value| {
                !KERNEL_KEYS_IGNORED.contains(key)
                    && !KERNEL_DEFAULTS.contains(&(*key, value.as_str()))
            });
            assert_eq!(spelled_kernel(&kernel.info), expected, "{name}");
            let args: Vec<_> = kernel.info.args.iter().map(spelled_arg).collect();
            assert_eq!(args, expected_args, "{name} {}", kernel.info.name);
            let unknown = |arg: &ArgInfo| matches!(arg.value_kind, ValueKind::Unknown(_));
            assert!(!kernel.info.args.iter().any(unknown), "{name}");
        }
    }
}

#[test]
fn segments_are_what_readelf_shows() {
    let number = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap();
    for name in listed_objects() {
        let object = parse(&format!("{name}.co")).unwrap();
        let listing = Listing::of(&name);
        let loads: Vec<_> = listing
            .rows("Program Headers:")
            .into_iter()
            .filter(|row| row[0] == "LOAD")
            .collect();
        assert_eq!(object.segments.len(), loads.len(), "{name}");
        for (segment, row) in object.segments.iter().zip(&loads) {
            assert_eq!(segment.file_range.start as u64, number(row[1]), "{name}");
            assert_eq!(segment.offset, number(row[2]), "{name}");
            assert_eq!(segment.file_range.len() as u64, number(row[4]), "{name}");
            assert_eq!(segment.memory_bytes, number(row[5]), "{name}");
            let flags = row[6..row.len() - 1].concat();
            assert_eq!(segment.executable, flags.contains('E'), "{name}");
            assert_eq!(segment.writable, flags.contains('W'), "{name}");
        }
        let last = loads.last().unwrap();
        assert_eq!(
            object.load_size,
            number(last[2]) + number(last[5]),
            "{name}"
        );
    }
}

#[test]
fn symbols_are_what_readelf_shows() {
    for name in listed_objects() {
        let object = parse(&format!("{name}.co")).unwrap();
        let listing = Listing::of(&name);
        let spell = |symbol: &Symbol| {
            let binding = if symbol.weak { "WEAK" } else { "GLOBAL" };
            format!(
                "{:016x} {} {binding} {}",
                symbol.offset, symbol.size_bytes, symbol.name
            )
        };
        // Columns: number, value, size, type, binding, visibility, section, name.
        let objects: Vec<_> = listing
            .rows("Symbol table '.dynsym'")
            .iter()
            .filter(|row| row[3] == "OBJECT")
            .map(|row| format!("{} {} {} {}", row[1], row[2], row[4], row[7]))
            .collect();
        let found: Vec<_> = object.symbols.iter().map(spell).collect();
        assert_eq!(found, objects, "{name}");
        for symbol in &object.symbols {
            let is_descriptor = symbol.kind == SymbolKind::Descriptor;
            assert_eq!(is_descriptor, symbol.name.ends_with(".kd"), "{name}");
        }
        let mut functions: Vec<_> = listing
            .rows("Symbol table '.symtab'")
            .iter()
            .filter(|row| row[3] == "FUNC")
            .map(|row| (row[1].to_owned(), row[7].to_owned()))
            .collect();
        functions.sort();
        let found: Vec<_> = object
            .functions
            .iter()
            .map(|function| (format!("{:016x}", function.offset), function.name.clone()))
            .collect();
        assert_eq!(found, functions, "{name}");
    }
}

#[test]
fn entries_are_the_functions_of_their_kernels() {
    for name in listed_objects() {
        let object = parse(&format!("{name}.co")).unwrap();
        for kernel in &object.kernels {
            let function = object.function_at(kernel.entry_offset).unwrap();
            assert_eq!(function.name, kernel.info.name, "{name}");
            assert_eq!(function.offset, kernel.entry_offset);
            assert_eq!(Some(function.size_bytes), kernel.code_bytes);
            assert_eq!(
                object.function_at(function.offset + function.size_bytes - 1),
                Some(function)
            );
            assert_eq!(object.kernel(&kernel.info.name), Some(kernel));
        }
    }
}

#[test]
fn descriptors_agree_with_the_metadata() {
    for name in listed_objects() {
        let object = parse(&format!("{name}.co")).unwrap();
        for Kernel {
            info, descriptor, ..
        } in &object.kernels
        {
            assert_eq!(
                descriptor.group_segment_fixed_bytes,
                info.group_segment_fixed_bytes
            );
            assert_eq!(
                descriptor.private_segment_fixed_bytes,
                info.private_segment_fixed_bytes
            );
            assert_eq!(descriptor.kernarg_bytes, info.kernarg_segment_bytes);
            assert_eq!(descriptor.wave_size().lanes(), info.wavefront_size);
            let granule = descriptor.wave_size().vgpr_granule();
            assert_eq!(
                descriptor.vgpr_count(),
                info.vgpr_count.max(1).next_multiple_of(granule)
            );
            // The metadata of version 4 has no keys for these.
            if object.abi >= AbiVersion::V5 {
                assert_eq!(
                    descriptor.workgroup_processor_mode(),
                    info.workgroup_processor_mode
                );
                assert_eq!(descriptor.uses_dynamic_stack(), info.uses_dynamic_stack);
            }
        }
    }
}

#[test]
fn descriptor_bits_follow_the_compiler_flags() {
    let only = |name: &str| parse(name).unwrap().kernels.remove(0);
    assert_eq!(
        only("01_saxpy.wave64.co").descriptor.wave_size(),
        descriptor::WaveSize::Wave64
    );
    assert!(
        !only("01_saxpy.cumode.co")
            .descriptor
            .workgroup_processor_mode()
    );
    assert!(only("01_saxpy.O3.co").descriptor.workgroup_processor_mode());
}

#[test]
fn versions_and_targets_are_told_apart() {
    let facts = |name: &str| {
        let object = parse(name).unwrap();
        (
            object.abi,
            object.metadata_version,
            object.target.to_string(),
        )
    };
    let own = || "gfx1151".to_owned();
    assert_eq!(facts("01_saxpy.v4.co"), (AbiVersion::V4, (1, 1), own()));
    assert_eq!(facts("01_saxpy.v5.co"), (AbiVersion::V5, (1, 2), own()));
    assert_eq!(facts("01_saxpy.v6.co"), (AbiVersion::V6, (1, 2), own()));
    let generic = (AbiVersion::V6, (1, 2), "gfx11-generic".to_owned());
    assert_eq!(facts("01_saxpy.gfx11-generic.co"), generic);
}

#[test]
fn printf_formats_and_required_group_size_are_read() {
    let object = parse("notes.O3.co").unwrap();
    assert_eq!(object.printf, ["1:2:4:8:value %d of %s\\n"]);
    assert_eq!(
        object
            .kernel("fixed_group")
            .unwrap()
            .info
            .reqd_workgroup_size,
        Some([8, 4, 2])
    );
}

#[test]
fn explicit_arguments_end_where_hidden_ones_begin() {
    let object = parse("loader.O3.co").unwrap();
    let info = &object.kernel("reads_variables").unwrap().info;
    assert_eq!(info.explicit_args().count(), 4);
    assert_eq!(info.explicit_args_bytes(), 48);
    assert_eq!(info.hidden_args().next().unwrap().offset, 48);
    assert_eq!(
        object
            .kernel("no_arguments")
            .unwrap()
            .info
            .explicit_args_bytes(),
        0
    );
}

#[test]
fn loading_places_segments_and_applies_relocations() {
    const BASE: u64 = 0x7f12_3456_7000;
    let file = image("loader.O3.co");
    let object = CodeObject::parse(&file, &device()).unwrap();
    let mut loaded = vec![0xaa; usize::try_from(object.load_size).unwrap()];
    object
        .load_image(&file, BASE, &mut loaded, &mut |_| None)
        .unwrap();
    let word = |offset: u64| {
        let offset = usize::try_from(offset).unwrap();
        u64::from_le_bytes(loaded[offset..offset + 8].try_into().unwrap())
    };

    let listing = Listing::of("loader.O3");
    let hex = |text: &str| u64::from_str_radix(text, 16).unwrap();
    let mut places = Vec::new();
    for row in &listing.rows("Relocation section '.rela.dyn'")[1..] {
        // Offset, info, type, then the addend of RELATIVE64 or value, name, `+`, addend.
        let value = match row[2] {
            "R_AMDGPU_RELATIVE64" => hex(row[3]),
            "R_AMDGPU_ABS64" => hex(row[3]) + hex(row[6]),
            other => panic!("unexpected relocation {other}"),
        };
        assert_eq!(word(hex(row[0])), BASE + value, "{row:?}");
        places.push(hex(row[0]));
    }
    assert_eq!(places.len(), 3);

    let variable = |name: &str| object.variable(name).unwrap_or_else(|| panic!("{name}"));
    assert_eq!(
        word(variable("pointer_to_counter").offset),
        BASE + variable("counter").offset
    );
    assert_eq!(word(variable("counter").offset) & 0xffff_ffff, 7);
    assert_eq!(variable("zeroed").size_bytes, 400);
    let zeroed = usize::try_from(variable("zeroed").offset).unwrap();
    assert!(loaded[zeroed..zeroed + 400].iter().all(|&byte| byte == 0));
    assert_eq!(variable("managed_value.managed").size_bytes, 4);
    assert!(object.variable("reads_variables.kd").is_none());
    assert!(variable("shared_word").weak);

    // Everything else is the file's bytes.
    for segment in &object.segments {
        let start = usize::try_from(segment.offset).unwrap();
        for (index, &byte) in file[segment.file_range.clone()].iter().enumerate() {
            let offset = (start + index) as u64;
            if !places
                .iter()
                .any(|&place| (place..place + 8).contains(&offset))
            {
                assert_eq!(loaded[start + index], byte, "at {offset:#x}");
            }
        }
    }
}

#[test]
fn a_destination_of_another_size_is_refused() {
    let file = image("01_saxpy.O3.co");
    let object = CodeObject::parse(&file, &device()).unwrap();
    let mut short = vec![0; usize::try_from(object.load_size).unwrap() - 1];
    let error = object
        .load_image(&file, 0, &mut short, &mut |_| None)
        .unwrap_err();
    let (needed, available) = (object.load_size, object.load_size - 1);
    assert_eq!(error, ObjectError::WrongDestination { needed, available });
}

#[test]
fn an_undefined_variable_is_resolved_by_name_or_refused() {
    // Taking the section from the symbol makes it undefined: index 16 of `.dynsym`, 24 bytes each,
    // st_shndx at 6.
    let mut file = image("loader.O3.co");
    let symbol_value = 0x4ae8u64.to_le_bytes();
    let entry = file
        .windows(8)
        .position(|bytes| bytes == symbol_value)
        .unwrap()
        - 8;
    file[entry + 6..entry + 8].fill(0);
    let object = CodeObject::parse(&file, &device()).unwrap();
    assert_eq!(
        object.undefined_variables().collect::<Vec<_>>(),
        ["shared_word"]
    );

    let mut loaded = vec![0; usize::try_from(object.load_size).unwrap()];
    let error = object
        .load_image(&file, 0, &mut loaded, &mut |_| None)
        .unwrap_err();
    assert_eq!(error.to_string(), "variable `shared_word` is not defined");

    let resolve = &mut |name: &str| (name == "shared_word").then_some(0x1234_5678_9abc);
    object
        .load_image(&file, 0x10_0000, &mut loaded, resolve)
        .unwrap();
    let place = usize::try_from(object.variable("pointer_to_shared").unwrap().offset).unwrap();
    assert_eq!(loaded[place..place + 8], 0x1234_5678_9abcu64.to_le_bytes());
}

#[test]
fn a_bundle_gives_the_entry_for_the_chip() {
    let bundle = image("01_saxpy.bundle");
    assert_eq!(
        bundle::select(&bundle, &device()).unwrap(),
        image("01_saxpy.O3.co")
    );
    let other = TargetId::new("gfx90a");
    assert_eq!(
        bundle::select(&bundle, &other).unwrap(),
        image("01_saxpy.gfx90a.co")
    );
    assert_eq!(
        bundle::held_targets(&bundle).unwrap(),
        ["gfx90a", "gfx1151"]
    );
}

#[test]
fn a_compressed_bundle_gives_the_same_entry() {
    let bundle = image("01_saxpy.ccob2.bundle");
    assert_eq!(
        bundle::ImageKind::of(&bundle),
        Ok(bundle::ImageKind::CompressedBundle)
    );
    assert_eq!(
        bundle::select(&bundle, &device()).unwrap(),
        image("01_saxpy.O3.co")
    );
    assert_eq!(
        bundle::held_targets(&bundle).unwrap(),
        ["gfx90a", "gfx1151"]
    );
}

#[test]
fn all_compressed_headers_and_both_methods_inflate() {
    let plain = image("01_saxpy.bundle");
    let zlib = miniz_oxide::deflate::compress_to_vec_zlib(&plain, 6);
    // The zstd stream of clang-offload-bundler 19, behind its header of version 2.
    let zstd = image("01_saxpy.ccob2.bundle")[24..].to_vec();
    for (method, data) in [(0u16, &zlib), (1, &zstd)] {
        for version in 1..=3u16 {
            let mut bundle = b"CCOB".to_vec();
            bundle.extend(version.to_le_bytes());
            bundle.extend(method.to_le_bytes());
            let header = [20u32, 24, 32][usize::from(version) - 1];
            let total = header + u32::try_from(data.len()).unwrap();
            let plain_bytes = u32::try_from(plain.len()).unwrap();
            match version {
                1 => bundle.extend(plain_bytes.to_le_bytes()),
                2 => bundle.extend([total.to_le_bytes(), plain_bytes.to_le_bytes()].concat()),
                _ => bundle.extend(
                    [
                        u64::from(total).to_le_bytes(),
                        u64::from(plain_bytes).to_le_bytes(),
                    ]
                    .concat(),
                ),
            }
            bundle.extend([0; 8]);
            bundle.extend(data);
            assert_eq!(
                bundle::decompress(&bundle).unwrap(),
                plain,
                "{version} {method}"
            );

            let length = length_of(&bundle);
            if version == 1 {
                assert!(length.is_err());
            } else {
                assert_eq!(length, Ok(bundle.len() as u64));
            }
        }
    }
}

#[test]
fn a_compressed_bundle_that_lies_about_its_size_is_an_error() {
    let mut bundle = image("01_saxpy.ccob2.bundle");
    let plain = u32::from_le_bytes(bundle[12..16].try_into().unwrap());
    for claimed in [plain - 1, plain + 1, u32::MAX] {
        bundle[12..16].copy_from_slice(&claimed.to_le_bytes());
        let error = bundle::select(&bundle, &device()).unwrap_err();
        assert!(
            matches!(error, ObjectError::Decompression { .. }),
            "{claimed}: {error}"
        );
    }
}

/// A plain bundle of entries whose code is their number.
fn bundle_of(ids: &[&str]) -> Vec<u8> {
    let table: usize = 32 + ids.iter().map(|id| 24 + id.len()).sum::<usize>();
    let mut bundle = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bundle.extend((ids.len() as u64).to_le_bytes());
    for (ordinal, id) in ids.iter().enumerate() {
        bundle.extend(((table + ordinal) as u64).to_le_bytes());
        bundle.extend(1u64.to_le_bytes());
        bundle.extend((id.len() as u64).to_le_bytes());
        bundle.extend(id.as_bytes());
    }
    bundle.extend((0..ids.len()).map(|ordinal| u8::try_from(ordinal).unwrap()));
    bundle
}

#[test]
fn the_exact_processor_is_preferred_to_its_family_and_the_first_of_equals_is_taken() {
    let chosen = |ids: &[&str]| bundle::select(&bundle_of(ids), &device()).map(|code| code[0]);
    let generic = "hipv4-amdgcn-amd-amdhsa--gfx11-generic";
    let exact = "hipv4-amdgcn-amd-amdhsa--gfx1151";
    assert_eq!(
        chosen(&["host-x86_64-unknown-linux--", generic, exact, exact]),
        Ok(2)
    );
    assert_eq!(chosen(&[exact, generic]), Ok(0));
    assert_eq!(
        chosen(&["hipv4-amdgcn-amd-amdhsa--gfx1100", generic]),
        Ok(1)
    );
    // The environment of the triple may be missing or named.
    assert_eq!(chosen(&["hipv4-amdgcn-amd-amdhsa-gfx1151"]), Ok(0));
    assert_eq!(chosen(&["hipv4-amdgcn-amd-amdhsa-unknown-gfx1151"]), Ok(0));
}

#[test]
fn a_bundle_without_the_chip_says_what_it_holds() {
    let error = bundle::select(&image("01_saxpy.others.bundle"), &device()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no code for gfx1151; the bundle holds gfx90a, gfx1100"
    );
    let ids = [
        "host-x86_64-unknown-linux--",
        "hipv4-amdgcn-amd-amdhsa--gfx1151:xnack+",
    ];
    let error = bundle::select(&bundle_of(&ids), &device()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no code for gfx1151; the bundle holds gfx1151:xnack+"
    );
    let error = bundle::select(&bundle_of(&ids[..1]), &device()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no code for gfx1151; the bundle holds nothing"
    );
}

#[test]
fn old_entry_kinds_take_their_target_from_the_elf_file() {
    let of_kind = |kind: &str, code: &[u8]| {
        let id = format!("{kind}-amdgcn-amd-amdhsa--gfx1151");
        let mut bundle = bundle_of(&[&id]);
        bundle.pop();
        bundle[40..48].copy_from_slice(&(code.len() as u64).to_le_bytes());
        bundle.extend(code);
        bundle
    };
    for kind in ["hip", "hcc"] {
        let right = of_kind(kind, &image("01_saxpy.O3.co"));
        assert!(bundle::select(&right, &device()).is_ok(), "{kind}");
        let wrong = of_kind(kind, &image("01_saxpy.gfx1100.co"));
        let error = bundle::select(&wrong, &device()).unwrap_err();
        assert!(
            matches!(error, ObjectError::NoCodeForTarget { .. }),
            "{kind}: {error}"
        );
    }
    assert!(bundle::select(&of_kind("openmp", &image("01_saxpy.O3.co")), &device()).is_err());
}

/// The length found when reading behind the image is an error.
fn length_of(image: &[u8]) -> Result<u64, ObjectError> {
    bundle::image_length(&mut |offset, bytes: &mut [u8]| {
        bytes.copy_from_slice(slice(
            image,
            || "image".to_owned(),
            offset,
            bytes.len() as u64,
        )?);
        Ok(())
    })
}

#[test]
fn the_length_of_an_image_is_found_from_its_first_byte() {
    let names = [
        "01_saxpy.bundle",
        "01_saxpy.ccob2.bundle",
        "01_saxpy.O3.co",
        "11_scratch.O3.co",
    ];
    for name in names {
        let mut image = image(name);
        let length = image.len() as u64;
        assert_eq!(length_of(&image), Ok(length), "{name}");
        // What follows in the section does not matter.
        image.extend([0xcc; 100]);
        assert_eq!(length_of(&image), Ok(length), "{name}");
    }
}

/// `01_saxpy.O3.co` with some bytes changed.
fn changed(changes: &[(usize, u8)]) -> Result<CodeObject, ObjectError> {
    let mut file = image("01_saxpy.O3.co");
    for &(offset, byte) in changes {
        file[offset] = byte;
    }
    CodeObject::parse(&file, &device())
}

#[test]
fn a_header_of_another_kind_of_file_is_named() {
    let message = |changes: &[(usize, u8)]| changed(changes).unwrap_err().to_string();
    let of = |field: &str| format!("{field} of the code object is ");
    assert_eq!(
        message(&[(4, 1)]),
        of("class") + "1 (32 bit), expected 2 (64 bit)"
    );
    assert_eq!(
        message(&[(5, 2)]),
        of("byte order") + "2 (big endian), expected 1 (little endian)"
    );
    assert_eq!(
        message(&[(18, 62)]),
        of("machine") + "62 (x86-64), expected 224 (AMD GPU)"
    );
    assert_eq!(
        message(&[(7, 0)]),
        of("OS ABI") + "0, expected 64 (AMDGPU HSA)"
    );
    assert_eq!(
        message(&[(16, 1)]),
        of("type") + "1 (relocatable), expected 3 (shared library)"
    );
    let versions = "2, 3 or 4 (code object v4, v5 or v6)";
    let v3 = of("ABI version") + "1 (code object v3), expected " + versions;
    assert_eq!(message(&[(8, 1)]), v3);
    let v7 = of("ABI version") + "5, expected " + versions;
    assert_eq!(message(&[(8, 5)]), v7);
}

#[test]
fn code_for_another_chip_is_refused() {
    let refused = |name| parse(name).unwrap_err().to_string();
    let message = |chip| format!("the code object is for {chip}, the device is gfx1151");
    assert_eq!(refused("01_saxpy.gfx1100.co"), message("gfx1100"));
    assert_eq!(refused("01_saxpy.gfx90a.co"), message("gfx90a"));
    let gfx1100 = TargetId::new("gfx1100");
    assert!(CodeObject::parse(&image("01_saxpy.gfx1100.co"), &gfx1100).is_ok());
    assert!(CodeObject::parse(&image("01_saxpy.gfx11-generic.co"), &gfx1100).is_ok());
    assert!(CodeObject::parse(&image("01_saxpy.O3.co"), &gfx1100).is_err());
}

#[test]
fn feature_bits_of_a_chip_without_features_are_malformed() {
    // e_flags is at byte 48: bits 8 and 9 xnack, 10 and 11 sramecc; 1 is "any".
    for byte in [1, 1 << 2] {
        let error = changed(&[(49, byte)]).unwrap_err();
        assert!(
            error.to_string().contains("gfx1151 has neither feature"),
            "{error}"
        );
    }
    for byte in [3, 2 << 2] {
        assert!(matches!(
            changed(&[(49, byte)]),
            Err(ObjectError::WrongTarget { .. })
        ));
    }
}

#[test]
fn a_generic_object_needs_the_version_that_covers_the_chip() {
    let mut file = image("01_saxpy.gfx11-generic.co");
    for (version, accepted) in [(0, false), (1, true), (2, true)] {
        file[51] = version;
        let result = CodeObject::parse(&file, &device());
        assert_eq!(result.is_ok(), accepted, "{version}: {result:?}");
    }
}

#[test]
fn images_of_no_known_format_are_refused_by_their_first_bytes() {
    for image in [
        &b""[..],
        b"\x7fEL",
        b"garbage garbage",
        b"__CLANG_OFFLOAD_BUNDLE_",
        b"CCO",
    ] {
        let error = bundle::select(image, &device()).unwrap_err();
        assert!(
            matches!(error, ObjectError::UnknownFormat { .. }),
            "{error}"
        );
    }
}

/// Marsaglia's xorshift, for mutations that are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }
}

/// Everything that is done with an image on its way to the device.
fn use_image(image: &[u8]) -> Result<(), ObjectError> {
    let length = length_of(image);
    let held = bundle::held_targets(image);
    let code = bundle::select(image, &device())?;
    let object = CodeObject::parse(&code, &device())?;
    // What a device would be asked for; the test itself does not take gigabytes.
    assert!(object.load_size <= 4 << 30);
    if object.load_size < 16 << 20 {
        let mut loaded = vec![0; usize::try_from(object.load_size).unwrap()];
        object.load_image(&code, 0x7f00_0000_0000, &mut loaded, &mut |_| Some(1))?;
    }
    for kernel in &object.kernels {
        assert!(kernel.descriptor_offset + 64 <= object.load_size);
        assert!(kernel.entry_offset < object.load_size);
    }
    for symbol in object.symbols.iter().chain(&object.functions) {
        assert!(symbol.offset + symbol.size_bytes <= object.load_size);
    }
    held.and(length.map(|_| ()))
}

#[test]
fn mutated_images_are_errors_or_sound() {
    const ROUNDS: usize = 4000;
    let mut random = Random(0x243f_6a88_85a3_08d3);
    for name in [
        "01_saxpy.bundle",
        "01_saxpy.ccob2.bundle",
        "loader.O3.co",
        "notes.O3.co",
        "loader.v4.co",
    ] {
        let original = image(name);
        assert_eq!(use_image(&original), Ok(()), "{name}");
        // Tables and notes are at the start and, section headers, at the end.
        let head = original.len().min(0x1400);
        let mut refused = 0;
        for _ in 0..ROUNDS {
            let mut mutant = original.clone();
            for _ in 0..1 + random.below(4) {
                let place = match random.below(4) {
                    0 => random.below(mutant.len()),
                    1 => mutant.len() - 1 - random.below(mutant.len().min(0x600)),
                    _ => random.below(head),
                };
                mutant[place] = match random.below(4) {
                    0 => 0xff,
                    1 => 0,
                    2 => mutant[place] ^ 1 << random.below(8),
                    _ => random.next().to_le_bytes()[0],
                };
            }
            if random.below(8) == 0 {
                mutant.truncate(random.below(original.len()));
            }
            refused += usize::from(use_image(&mutant).is_err());
        }
        // If nothing or everything were refused, the mutations would test nothing.
        assert!(
            refused > ROUNDS / 20 && refused < ROUNDS,
            "{name}: {refused} of {ROUNDS}"
        );
    }
}

#[test]
fn every_truncation_is_an_error() {
    for name in ["01_saxpy.O3.co", "01_saxpy.ccob2.bundle"] {
        let original = image(name);
        for length in (0..original.len()).step_by(7) {
            assert!(
                use_image(&original[..length]).is_err(),
                "{name} cut to {length}"
            );
        }
    }
}
