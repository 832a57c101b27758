//! Where the buffers of a launch lie in memory, and what an address or an access is to people.

use std::ops::Range;

use parallax_isa::shared::{LaunchMemory, launch::Outside, memory::Surface};

use crate::output::{counted, grouped};

/// Most bytes of memory of a launch.
pub(super) const MOST_BYTES: usize = 1 << 30;

/// What addresses are multiples of, and how many bytes at least lie between two buffers: no one reaches the next by
/// mistake. Nothing lies at address 0.
const PAGE: usize = 4096;

/// The last index of the binding table that a surface can have.
const LAST_BINDING: usize = 239;

/// Memory that is being laid out.
#[derive(Default)]
pub(super) struct Layout(Vec<Run>);

/// A run of bytes.
struct Run {
    name: String,
    place: Range<usize>,
    content: Content,
    /// Its index in the binding table, if it has one.
    binding: Option<usize>,
}

/// What a run of bytes holds at the start.
pub(super) enum Content {
    Bytes(Vec<u8>),
    /// So many zeros.
    Zeros(usize),
    /// Room for threads to work in, so many bytes, at which nobody looks at the end.
    Work(usize),
}

impl Content {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Zeros(bytes) | Self::Work(bytes) => *bytes,
        }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Zeros(bytes) | Self::Work(bytes) => vec![0; bytes],
        }
    }
}

impl Layout {
    /// Adds some bytes.
    ///
    /// # Errors
    /// If there is no room for them.
    pub(super) fn add(
        &mut self,
        name: String,
        content: Content,
        binding: Option<usize>,
    ) -> Result<Range<usize>, String> {
        if let Some(index) = binding.filter(|index| *index > LAST_BINDING) {
            return Err(format!(
                "has index {index} in the binding table, of which the last is {LAST_BINDING}"
            ));
        }
        let place = self.room(content.len())?;
        self.0.push(Run { name, place: place.clone(), content, binding });
        Ok(place)
    }

    /// Puts other bytes into a run.
    pub(super) fn put(&mut self, place: &Range<usize>, bytes: Vec<u8>) {
        if let Some(run) = self.0.iter_mut().find(|run| run.place == *place) {
            run.content = Content::Bytes(bytes);
        }
    }

    /// Adds room for so many threads to work in, so many bytes each.
    ///
    /// # Errors
    /// If there is not enough.
    pub(super) fn work(
        &mut self,
        name: &str,
        bytes: usize,
        threads: usize,
    ) -> Result<Range<usize>, String> {
        let content = Content::Work(bytes.saturating_mul(threads));
        self.add(name.to_owned(), content, None).map_err(|message| format!("{name}: {message}"))
    }

    fn end(&self) -> usize {
        self.0.last().map_or(0, |last| last.place.end)
    }

    fn room(&self, bytes: usize) -> Result<Range<usize>, String> {
        let start = (self.end() + PAGE).next_multiple_of(PAGE);
        match start.checked_add(bytes) {
            Some(end) if end <= MOST_BYTES => Ok(start..end),
            _ => {
                let [bytes, most] = [bytes, MOST_BYTES].map(|bytes| grouped(bytes as u64));
                Err(format!("{bytes} bytes are more than there is room for: {most} in all"))
            }
        }
    }

    /// Memory as it is at the start.
    pub(super) fn memory(&self) -> LaunchMemory {
        let mut memory = LaunchMemory::new(self.end());
        for Run { place, content, binding, .. } in &self.0 {
            if let Content::Bytes(bytes) = content {
                memory.bytes_mut()[place.clone()].copy_from_slice(bytes);
            }
            memory.add(Surface { start: place.start, bytes: place.len() }, *binding);
        }
        memory
    }

    /// An access that reaches nothing, and what it is next to.
    pub(super) fn describe(&self, access: &Outside) -> String {
        let &Outside { surface, address, bytes } = access;
        let bytes = counted(bytes as u64, "byte");
        if let Some(index) = surface {
            let of_surface = self.0.iter().find(|run| run.binding == Some(index));
            let (name, size) = of_surface
                .map_or(("no buffer", 0), |run| (run.name.as_str(), run.place.len() as u64));
            let size = grouped(size);
            return format!("{bytes} at offset {address} of {name}, which has {size} bytes");
        }
        let start = |run: &&Run| run.place.start as i128;
        let before = self.0.iter().rfind(|run| start(run) <= address);
        match before {
            Some(run) => {
                let (offset, size) = (address - start(&run), grouped(run.place.len() as u64));
                format!(
                    "{bytes} at address {address:#x}, offset {offset} of {}, which has {size} bytes",
                    run.name
                )
            }
            None => format!("{bytes} at address {address:#x}, before all buffers"),
        }
    }

    /// The byte of a buffer that an address is.
    pub(super) fn place_of(&self, address: usize) -> String {
        let run = self.0.iter().find(|run| run.place.contains(&address));
        run.map_or_else(
            || format!("shared local memory at {address:#x}"),
            |run| format!("byte {} of {}", address - run.place.start, run.name),
        )
    }

    /// The first byte in which two memories differ that are laid out so.
    pub(super) fn first_difference(
        &self,
        one: &LaunchMemory,
        other: &LaunchMemory,
    ) -> Option<usize> {
        self.0.iter().filter(|run| !matches!(run.content, Content::Work(_))).find_map(
            |Run { place, .. }| {
                let [one, other] = [one, other].map(|memory| &memory.bytes()[place.clone()]);
                let differs = one != other;
                differs.then(|| {
                    place.start + one.iter().zip(other).take_while(|(a, b)| a == b).count()
                })
            },
        )
    }
}
