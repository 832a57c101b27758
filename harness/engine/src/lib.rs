//! The protocol between Parallax and an engine in a process of its own
//! (`harness/lockstep/PROTOCOL.md`): its messages, their bytes, their form in JSON, and the loop of an
//! engine that is written in Rust.
//!
//! An engine implements [`Served`] and calls [`serve`] with its standard input and output:
//!
//! ```
//! use parallax_engine::{Case, Flow, Hello, Refusal, Served, serve};
//!
//! /// An engine that has general registers and the instruction pointer, and nothing else.
//! struct Mine {
//!     program: Vec<u8>,
//!     banks: [Vec<u8>; 2],
//! }
//!
//! impl Served for Mine {
//!     fn hello(&self) -> Hello {
//!         Hello { instructions: Some(["nop"].into_iter().collect()), ..Hello::new("mine", &["g45"], &["r", "ip"]) }
//!     }
//!     fn bank_bytes(&self) -> Vec<usize> {
//!         self.banks.iter().map(Vec::len).collect()
//!     }
//!     fn load(&mut self, case: &Case) -> Result<(), Refusal> {
//!         self.program = case.program.clone();
//!         Ok(())
//!     }
//!     fn bank(&self, number: usize) -> &[u8] {
//!         &self.banks[number]
//!     }
//!     fn bank_mut(&mut self, number: usize) -> &mut [u8] {
//!         &mut self.banks[number]
//!     }
//!     fn step(&mut self) -> Flow {
//!         let ip = u32::from_le_bytes(self.banks[1][..].try_into().expect("four bytes"));
//!         if ip as usize >= self.program.len() {
//!             return Flow::Halted;
//!         }
//!         self.banks[1].copy_from_slice(&(ip + 16).to_le_bytes());
//!         Flow::Continue
//!     }
//! }
//!
//! let mut engine = Mine { program: Vec::new(), banks: [vec![0; 4096], vec![0; 4]] };
//! let mut said = Vec::new();
//! serve(&mut engine, std::io::empty(), &mut said)?; // std::io::stdin().lock(), std::io::stdout().lock()
//! assert_eq!(said[0], parallax_engine::frame::MAGIC);
//! # Ok::<(), std::io::Error>(())
//! ```

pub mod banks;
pub mod frame;
mod hello;
mod instructions;
pub mod json;
pub mod message;
mod serve;

pub use frame::Kind;
pub use hello::{Hello, VERSION};
pub use instructions::{Capability, Instructions};
pub use message::{Case, Flow, Malformed, Write};
pub use serve::{Refusal, Served, serve};
