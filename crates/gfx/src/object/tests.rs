//! Tests on compiled code objects. Expected values are what `llvm-readelf-19 --notes -s -l -r` says of
//! them, checked in beside the objects in `tests/kernels`.

use std::path::PathBuf;

use super::*;

fn kernels_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels")
}

fn image(name: &str) -> Vec<u8> {
    let path = kernels_folder().join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn parse(name: &str) -> Result<CodeObject, ObjectError> {
    let image = image(name);
    let code = bundle::select(&image, &TargetId::gfx1151())?;
    CodeObject::parse(&code, &TargetId::gfx1151())
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
