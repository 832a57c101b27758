//! Texture fetches (chapter 6, section 9.4): loads of single texels, questions about a resource, and
//! filtered fetches with what prepares them.

pub(super) mod check;
mod compare;
mod detail;
mod form;
mod level;
mod load;
mod resource;
mod sample;
pub(super) mod sum;
mod taps;

use parallax_isa::r700::{Fetch, FetchOpcode, microcode::TextureFetch, state::PIXELS};

use self::sum::Component;
use super::{
    export::selected,
    wavefront::{Executed, Wavefront, pixels},
};

impl Wavefront {
    /// Refuses what is not defined; `before` are the instructions of the clause before this one.
    pub(super) fn check_texture_fetch(&self, word: TextureFetch, before: &[Fetch]) -> Executed {
        // Decision D-r700-texture.
        match word.opcode() {
            Some(FetchOpcode::Ld) => load::check(self.texture(word)?, word),
            Some(FetchOpcode::GetTextureResinfo | FetchOpcode::GetNumberOfSamples) => {
                self.texture(word).map(|_| ())
            }
            _ => sample::check(self, word, before),
        }
    }

    /// A texture instruction for the pixels of a clause.
    pub(super) fn texture_fetch(&mut self, word: TextureFetch, executing: u64) -> Executed {
        let (mask, mut open) = self.fetched_pixels(executing, word.fetch_whole_quad() == 1);
        let register = self.fetch_source(word.src_gpr(), word.src_rel() == 1);
        let destination = self.fetch_destination(word.dst_gpr(), word.dst_rel() == 1);
        let selects = [word.src_sel_x(), word.src_sel_y(), word.src_sel_z(), word.src_sel_w()];
        let mut sources = [[0; 4]; PIXELS];
        for (pixel, source) in sources.iter_mut().enumerate() {
            let elements = [0, 1, 2, 3].map(|n| self.read_register(register, n, pixel));
            // No element: 0 (D-r700-masked-coordinate).
            *source = selects.map(|select| selected(select, elements).unwrap_or(0));
            let is_open =
                |select: &u32| *select < 4 && self.reads_open(register, *select as usize, pixel);
            if selects.iter().any(is_open) {
                // Its neighbours in the quad take differences with it.
                open |= 0xF << (pixel & !3);
            }
        }
        self.note(|record| record.sources = sources);
        let results = match word.opcode() {
            Some(
                FetchOpcode::Ld | FetchOpcode::GetTextureResinfo | FetchOpcode::GetNumberOfSamples,
            ) => {
                let all =
                    pixels(mask).map(|pixel| Ok((pixel, self.asked(word, pixel, sources[pixel])?)));
                all.collect::<Executed<_>>()?
            }
            _ => self.filtered(word, mask, &sources)?,
        };
        let selects = [word.dst_sel_x(), word.dst_sel_y(), word.dst_sel_z(), word.dst_sel_w()];
        for (pixel, components) in results {
            let open = open >> pixel & 1 == 1;
            self.write_components(destination, selects, components, (pixel, open));
        }
        Ok(())
    }

    /// What `LD`, `GET_TEXTURE_RESINFO` and `GET_NUMBER_OF_SAMPLES` give for a source.
    fn asked(
        &self,
        word: TextureFetch,
        pixel: usize,
        source: [u32; 4],
    ) -> Executed<[Component; 4]> {
        let texture = self.texture(word)?;
        Ok(match word.opcode() {
            Some(FetchOpcode::Ld) => {
                let fields = level::interpretation(texture)?;
                let bits = load::load(texture, fields, word, source);
                self.note(|record| record.format = Some(fields));
                self.accessed(pixel, 0, 0, bits);
                let texel = fields.components(bits);
                let components = texture.select.map(|n| selected(n, texel).unwrap_or(0));
                if fields.widens_floats() {
                    components.map(Component::of_arithmetic)
                } else {
                    components.map(Component::exactly)
                }
            }
            Some(FetchOpcode::GetTextureResinfo) => {
                let sizes = [texture.width, texture.height, texture.depth, texture.levels];
                sizes.map(Component::exactly)
            }
            _ => [texture.samples, 0, 0, 0].map(Component::exactly),
        })
    }
}
