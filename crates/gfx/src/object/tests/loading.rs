//! Layout in memory and relocation.

use super::*;

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
