//! Tests on compiled code objects. Expected values are what `llvm-readelf-19 --notes -s -l -r` says of
//! them, checked in beside the objects in `tests/kernels` as `*.readelf.txt`.

mod bundles;
mod loading;
mod parsing;
mod refusing;

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
