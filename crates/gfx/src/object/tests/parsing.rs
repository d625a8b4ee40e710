//! What is read of a good code object.

use super::*;

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
