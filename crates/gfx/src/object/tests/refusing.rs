//! Bad input is an error that says what is bad.

use super::*;

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
