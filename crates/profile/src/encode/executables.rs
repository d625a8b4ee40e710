//! Executables and their functions: described by the session, or made up when nobody did.

use std::collections::HashMap;

use super::Encoder;
use super::chunks::Chunk;
use crate::batch::{Batch, Metadata};
use crate::cast::to_u32;
use crate::describe::{ExecutableDescription, Families, FunctionDescription};
use crate::schema::*;

/// Functions beyond this ordinal are not made up one by one: the event was read from a damaged slot.
const MOST_FUNCTIONS: u32 = 1 << 20;

/// What is known of executables.
#[derive(Debug, Default)]
pub(super) struct Executables {
    by_id: HashMap<u64, State>,
    /// The function that was asked for last: executable, ordinal, binding count. It is in the file.
    last: Option<(u64, u32, u32)>,
}

#[derive(Debug, Default)]
struct State {
    description: ExecutableDescription,
    /// Executable and function records are in the file.
    written: bool,
    /// Ordinals beyond the description that have a made-up record.
    made_up: Vec<u32>,
}

impl Executables {
    pub(super) fn describe(&mut self, description: &ExecutableDescription) {
        let state = self.by_id.entry(description.executable_id).or_default();
        if !state.written {
            state.description = description.clone();
        }
    }

    pub(super) fn forget(&mut self, id: u64) {
        self.last = None;
        if let Some(state) = self.by_id.get_mut(&id) {
            state.written = false;
            state.made_up.clear();
        }
    }

    /// Takes note of a record that is in the file already.
    pub(super) fn absorb_executable(&mut self, record: &Executable) {
        let state = self.by_id.entry(record.executable_id).or_default();
        state.description.executable_id = record.executable_id;
        state.written = true;
    }

    /// Takes note of a record that is in the file already.
    pub(super) fn absorb_function(&mut self, record: &Function, name: &[u8]) {
        let state = self.by_id.entry(record.executable_id).or_default();
        let functions = &mut state.description.functions;
        let ordinal = record.function_ordinal as usize;
        if ordinal == functions.len() {
            functions.push(FunctionDescription {
                name: String::from_utf8_lossy(name).into_owned(),
                binding_count: record.binding_count,
                ..FunctionDescription::default()
            });
        } else if ordinal > functions.len() {
            state.made_up.push(record.function_ordinal);
        }
    }
}

impl Encoder {
    /// Makes sure that an executable and, if given, a function of it are in the file; returns the
    /// function's binding count.
    pub(super) fn ensure_function(
        &mut self,
        executable_id: u64,
        ordinal: Option<u32>,
        batch: &mut Batch,
    ) -> u32 {
        if let Some((id, last, binding_count)) = self.executables.last
            && (id, Some(last)) == (executable_id, ordinal)
        {
            return binding_count;
        }
        let state = self.executables.by_id.entry(executable_id).or_default();
        state.description.executable_id = executable_id;
        if !state.written {
            state.written = true;
            self.write_executable(executable_id, batch);
        }
        let Some(ordinal) = ordinal else { return 0 };
        let Some(state) = self.executables.by_id.get_mut(&executable_id) else {
            return 0;
        };
        if let Some(function) = state.description.functions.get(ordinal as usize) {
            let binding_count = function.binding_count;
            self.executables.last = Some((executable_id, ordinal, binding_count));
            return binding_count;
        }
        if !state.made_up.contains(&ordinal) && state.made_up.len() < MOST_FUNCTIONS as usize {
            state.made_up.push(ordinal);
            let name = format!("unknown function {ordinal} of executable {executable_id}");
            let function = FunctionDescription {
                name,
                ..FunctionDescription::default()
            };
            let mut payload = Vec::new();
            push_function(executable_id, ordinal, &function, &mut payload);
            let metadata = vec![Metadata::Executable(executable_id)];
            self.chunk(
                Chunk {
                    metadata,
                    ..Chunk::new(Content::Functions, &payload, 1)
                },
                batch,
            );
        }
        0
    }

    fn write_executable(&mut self, executable_id: u64, batch: &mut Batch) {
        let Some(state) = self.executables.by_id.get_mut(&executable_id) else {
            return;
        };
        // Images are large and written once: if that fails they are not written again.
        let image = state.description.image.take();
        let description = state.description.clone();
        let hash = description.code_object_hash;
        let record = Executable {
            flags: if hash.is_some() {
                Executable::HAS_HASH
            } else {
                0
            },
            executable_id,
            function_count: to_u32(description.functions.len()),
            code_object_hash: hash.unwrap_or_default(),
            ..Executable::new()
        };
        let metadata = || vec![Metadata::Executable(executable_id)];
        self.rows(&[record], metadata(), batch);
        let mut payload = Vec::new();
        for (function, ordinal) in description.functions.iter().zip(0..) {
            push_function(executable_id, ordinal, function, &mut payload);
        }
        if !payload.is_empty() {
            let count = description.functions.len() as u64;
            let chunk = Chunk::new(Content::Functions, &payload, count);
            self.chunk(
                Chunk {
                    metadata: metadata(),
                    ..chunk
                },
                batch,
            );
        }
        if !self
            .session
            .families
            .contains(Families::EXECUTABLE_METADATA)
        {
            return;
        }
        if let Some(image) = image
            && let Ok(record_length) = u32::try_from(image.len() + CodeObject::BYTES as usize)
        {
            let record = CodeObject {
                record_length,
                flags: if hash.is_some() {
                    CodeObject::HAS_HASH
                } else {
                    0
                },
                executable_id,
                code_object_id: executable_id,
                data_length: image.len() as u64,
                code_object_hash: hash.unwrap_or_default(),
            };
            let payload = [bytemuck::bytes_of(&record), &image].concat();
            self.chunk(Chunk::new(Content::CodeObjects, &payload, 1), batch);
        }
        let loads: Vec<_> = description
            .loads
            .iter()
            .map(|load| CodeObjectLoad {
                physical_device_ordinal: load.device_ordinal,
                executable_id,
                code_object_id: executable_id,
                load_delta: load.load_delta,
                load_size: load.load_size,
                ..CodeObjectLoad::new()
            })
            .collect();
        self.rows(&loads, Vec::new(), batch);
    }
}

fn push_function(
    executable_id: u64,
    function_ordinal: u32,
    function: &FunctionDescription,
    payload: &mut Vec<u8>,
) {
    let name_length = to_u32(function.name.len());
    let record = Function {
        record_length: Function::BYTES + name_length,
        flags: if function.hash.is_some() {
            Function::HAS_HASH
        } else {
            0
        },
        executable_id,
        function_ordinal,
        constant_count: function.constant_count,
        binding_count: function.binding_count,
        parameter_count: function.parameter_count,
        workgroup_size: function.workgroup_size,
        name_length,
        function_hash: function.hash.unwrap_or_default(),
    };
    payload.extend_from_slice(bytemuck::bytes_of(&record));
    payload.extend_from_slice(function.name.as_bytes());
}
