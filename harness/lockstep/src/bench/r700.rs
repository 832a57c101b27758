//! R700 kernels: 64 pixels against plain Rust over arrays of 64.

mod bilinear;

use std::hint::black_box;

use parallax_executor::r700::Executor;
use parallax_isa::{
    Device, LoadError, Model, Step,
    r700::{
        Case,
        case::{Constants, LoopConstant},
        state::{PIXELS, Register},
        text,
    },
};
use parallax_reference::r700::Reference;

use super::{KernelResult, time};

/// The registers a native twin works on: those a kernel uses.
pub(super) type Registers = [Register; USED];

/// Registers that kernels use.
const USED: usize = 80;

/// A float of every pixel.
type Floats = [f32; PIXELS];

/// A program and its native twin.
pub(super) struct Kernel {
    name: &'static str,
    source: &'static str,
    /// Trips of its loop.
    trips: u32,
    /// The constant file, textures, samplers.
    constants: fn() -> Constants,
    /// A register's element at a pixel, as it starts.
    start: fn(register: usize, element: usize, pixel: usize) -> u32,
    /// The same work; leaves its results where the program does.
    native: fn(&mut Registers, &Constants),
    /// Registers and elements of the results.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests compare results"))]
    results: &'static [(usize, usize)],
}

const MATRIX: &str = "\
00 LOOP_START: ADDR(3)
01 ALU:
      0  x: MUL_IEEE R2.x, R1.w, C3.x
         y: MUL_IEEE R2.y, R1.w, C3.y
         z: MUL_IEEE R2.z, R1.w, C3.z
         w: MUL_IEEE R2.w, R1.w, C3.w
      1  x: MULADD_IEEE R2.x, R1.z, C2.x, PV.x
         y: MULADD_IEEE R2.y, R1.z, C2.y, PV.y
         z: MULADD_IEEE R2.z, R1.z, C2.z, PV.z
         w: MULADD_IEEE R2.w, R1.z, C2.w, PV.w
      2  x: MULADD_IEEE R2.x, R1.y, C1.x, PV.x
         y: MULADD_IEEE R2.y, R1.y, C1.y, PV.y
         z: MULADD_IEEE R2.z, R1.y, C1.z, PV.z
         w: MULADD_IEEE R2.w, R1.y, C1.w, PV.w
      3  x: MULADD_IEEE R1.x, R1.x, C0.x, PV.x
         y: MULADD_IEEE R1.y, R1.x, C0.y, PV.y
         z: MULADD_IEEE R1.z, R1.x, C0.z, PV.z
         w: MULADD_IEEE R1.w, R1.x, C0.w, PV.w
02 LOOP_END: ADDR(1)
03 NOP: END_OF_PROGRAM
";

/// R1.xy is the point, R2.xy the iterate, R3.x the count.
const MANDELBROT: &str = "\
00 LOOP_START: ADDR(4)
01 ALU_BREAK:
      0  x: MUL_IEEE R4.x, R2.x, R2.x
         y: MUL_IEEE R4.y, R2.y, R2.y
         z: MUL_IEEE R4.z, R2.x, R2.y
      1  x: ADD R5.x, PV.x, PV.y
         y: ADD R5.y, PV.x, -PV.y
         z: ADD R5.z, PV.z, PV.z
      2  x: PRED_SETGE ____.x, C0.x, PV.x UPDATE_EXEC_MASK
02 ALU:
      0  x: ADD R2.x, R5.y, R1.x
         y: ADD R2.y, R5.z, R1.y
         t: ADD_INT R3.x, R3.x, 1
03 LOOP_END: ADDR(1)
04 NOP: END_OF_PROGRAM
";

/// R1.xyz is a body's place, R2.xyz its acceleration; constants are the places and masses of all.
const BODIES: &str = "\
00 LOOP_START: ADDR(3)
01 ALU:
      0  x: ADD R4.x, C0[aL].x, -R1.x
         y: ADD R4.y, C0[aL].y, -R1.y
         z: ADD R4.z, C0[aL].z, -R1.z
      1  x: MULADD_IEEE R5.x, PV.x, PV.x, R1.w
         y: MUL_IEEE R5.y, PV.y, PV.y
         z: MUL_IEEE R5.z, PV.z, PV.z
      2  x: ADD R5.x, PV.x, PV.y
      3  x: ADD R5.x, PV.x, R5.z
      4  t: RECIPSQRT_IEEE R5.x, PV.x
      5  x: MUL_IEEE R5.x, PS, PS
         y: MUL_IEEE R5.y, PS, C0[aL].w
      6  x: MUL_IEEE R5.x, PV.x, PV.y
      7  x: MULADD_IEEE R2.x, R4.x, PV.x, R2.x
         y: MULADD_IEEE R2.y, R4.y, PV.x, R2.y
         z: MULADD_IEEE R2.z, R4.z, PV.x, R2.z
02 LOOP_END: ADDR(1)
03 NOP: END_OF_PROGRAM
";

/// R2 is the sum (low word X, high word Y), R16 to R79 the factors: X and Y, Z and W.
const DOT_PRODUCT: &str = "\
00 LOOP_START: ADDR(3)
01 ALU:
      0  x: MULADD_64 R2.x, R16[aL].y, R16[aL].w, R2.y
         y: MULADD_64 R2.y, R16[aL].y, R16[aL].w, R2.y
         z: MULADD_64 R3.z, R16[aL].y, R16[aL].w, R2.y
         w: MULADD_64 R3.w, R16[aL].x, R16[aL].z, R2.x
02 LOOP_END: ADDR(1)
03 NOP: END_OF_PROGRAM
";

/// A number between -1 and 1 that looks random.
fn scatter(seed: usize) -> f32 {
    let mixed = (seed as u32).wrapping_mul(0x9E37_79B1) ^ 0x85EB_CA6B;
    let mixed = (mixed ^ mixed >> 15).wrapping_mul(0xC2B2_AE35);
    mixed as f32 / u32::MAX as f32 * 2.0 - 1.0
}

fn floats(registers: &Registers, register: usize, element: usize) -> Floats {
    registers[register][element].map(f32::from_bits)
}

fn put(registers: &mut Registers, register: usize, element: usize, values: &Floats) {
    registers[register][element] = values.map(f32::to_bits);
}

fn constant(constants: &Constants, number: usize) -> [f32; 4] {
    constants.file[number].map(f32::from_bits)
}

/// Nothing but a constant file.
fn file(file: Vec<[u32; 4]>) -> Constants {
    Constants { file, ..Constants::default() }
}

fn matrix() -> Kernel {
    Kernel {
        name: "4x4 matrix transform",
        source: MATRIX,
        trips: 64,
        constants: || {
            // A turn in two planes: values stay what size they are.
            let rows = [
                [0.8, 0.6, 0.0, 0.0],
                [-0.6, 0.8, 0.0, 0.0],
                [0.0, 0.0, 0.6, 0.8],
                [0.0, 0.0, -0.8, 0.6],
            ];
            file(rows.map(|row: [f32; 4]| row.map(f32::to_bits)).to_vec())
        },
        start: |register, element, pixel| scatter(register * 256 + element * 64 + pixel).to_bits(),
        native: |registers, constants| {
            let columns = [0, 1, 2, 3].map(|number| constant(constants, number));
            let mut v = [0, 1, 2, 3].map(|element| floats(registers, 1, element));
            for _ in 0..64 {
                let old = v;
                for (element, out) in v.iter_mut().enumerate() {
                    for (pixel, out) in out.iter_mut().enumerate() {
                        let sum = old[3][pixel] * columns[3][element];
                        let sum = old[2][pixel] * columns[2][element] + sum;
                        let sum = old[1][pixel] * columns[1][element] + sum;
                        *out = old[0][pixel] * columns[0][element] + sum;
                    }
                }
            }
            for (element, values) in v.iter().enumerate() {
                put(registers, 1, element, values);
            }
        },
        results: &[(1, 0), (1, 1), (1, 2), (1, 3)],
    }
}

fn mandelbrot() -> Kernel {
    Kernel {
        name: "mandelbrot 64 pixels",
        source: MANDELBROT,
        trips: 128,
        constants: || file(vec![[4.0_f32.to_bits(); 4]]),
        start: |register, element, pixel| match (register, element) {
            (1, 0) => ((pixel % 8) as f32 / 4.0 - 1.5).to_bits(),
            (1, 1) => ((pixel / 8) as f32 / 8.0).to_bits(),
            _ => 0,
        },
        native: |registers, _| {
            let [cr, ci] = [0, 1].map(|element| floats(registers, 1, element));
            let (mut zr, mut zi) = ([0.0_f32; PIXELS], [0.0_f32; PIXELS]);
            let mut count = [0_u32; PIXELS];
            let mut inside = [u32::MAX; PIXELS];
            for _ in 0..128 {
                let mut any = 0;
                for pixel in 0..PIXELS {
                    let (x, y) = (zr[pixel], zi[pixel]);
                    let (xx, yy, xy) = (x * x, y * y, x * y);
                    let stays = if 4.0 >= xx + yy { inside[pixel] } else { 0 };
                    inside[pixel] = stays;
                    any |= stays;
                    zr[pixel] = if stays != 0 { xx - yy + cr[pixel] } else { x };
                    zi[pixel] = if stays != 0 { xy + xy + ci[pixel] } else { y };
                    count[pixel] += stays & 1;
                }
                if any == 0 {
                    break;
                }
            }
            registers[3][0] = count;
        },
        results: &[(3, 0)],
    }
}

fn bodies() -> Kernel {
    Kernel {
        name: "n-body step",
        source: BODIES,
        trips: 64,
        constants: || {
            let body =
                |n: usize| [scatter(n), scatter(n + 64), scatter(n + 128), 1.0].map(f32::to_bits);
            file((0..64).map(body).collect())
        },
        start: |register, element, pixel| match (register, element) {
            (1, 3) => 0.01_f32.to_bits(),
            (1, element) => scatter(pixel + 64 * element).to_bits(),
            _ => 0,
        },
        native: |registers, constants| {
            let [px, py, pz, soft] = [0, 1, 2, 3].map(|element| floats(registers, 1, element));
            let mut sums = [[0.0_f32; PIXELS]; 3];
            for body in 0..64 {
                let [x, y, z, mass] = constant(constants, body);
                for pixel in 0..PIXELS {
                    let (dx, dy, dz) = (x - px[pixel], y - py[pixel], z - pz[pixel]);
                    let square = dx * dx + soft[pixel] + dy * dy + dz * dz;
                    let inverse = 1.0 / square.sqrt();
                    let factor = inverse * inverse * (inverse * mass);
                    sums[0][pixel] += dx * factor;
                    sums[1][pixel] += dy * factor;
                    sums[2][pixel] += dz * factor;
                }
            }
            for (element, values) in sums.iter().enumerate() {
                put(registers, 2, element, values);
            }
        },
        results: &[(2, 0), (2, 1), (2, 2)],
    }
}

fn dot_product() -> Kernel {
    Kernel {
        name: "64-bit dot product",
        source: DOT_PRODUCT,
        trips: 64,
        constants: Constants::default,
        start: |register, element, pixel| {
            if register < 16 {
                return 0;
            }
            let value = f64::from(scatter(register * 256 + element / 2 * 64 + pixel));
            (value.to_bits() >> (element % 2 * 32)) as u32
        },
        native: |registers, _| {
            let mut sum = [0.0_f64; PIXELS];
            for factors in &registers[16..] {
                for (pixel, sum) in sum.iter_mut().enumerate() {
                    let double = |low: usize| {
                        let [low, high] = [low, low + 1].map(|n| u64::from(factors[n][pixel]));
                        f64::from_bits(high << 32 | low)
                    };
                    *sum += double(0) * double(2);
                }
            }
            for (pixel, sum) in sum.into_iter().enumerate() {
                registers[2][0][pixel] = sum.to_bits() as u32;
                registers[2][1][pixel] = (sum.to_bits() >> 32) as u32;
            }
        },
        results: &[(2, 0), (2, 1)],
    }
}

pub(super) fn kernels() -> [Kernel; 5] {
    [matrix(), mandelbrot(), bodies(), dot_product(), bilinear::kernel()]
}

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    kernels().into_iter().map(|kernel| kernel.name)
}

/// Measures the kernels whose name contains `filter`, all if the machine's does.
pub(super) fn run(filter: Option<&str>) -> Result<Vec<KernelResult>, LoadError> {
    let wanted = |kernel: &Kernel| {
        filter.is_none_or(|word| kernel.name.contains(word) || "r700".contains(word))
    };
    kernels().iter().filter(|kernel| wanted(kernel)).map(Kernel::measure).collect()
}

impl Kernel {
    /// # Panics
    /// If the program is no program, which no kernel's is.
    fn case(&self) -> Case {
        let program = match text::parse(self.source) {
            Ok(program) => program.encode(),
            Err(wrong) => panic!("{}: {}", self.name, wrong[0]),
        };
        let mut case = Case::new(program);
        case.loop_constants = vec![LoopConstant { count: self.trips, initial: 0, increment: 1 }];
        case.constants = (self.constants)();
        for (number, register) in case.state.gpr[..USED].iter_mut().enumerate() {
            for (element, lanes) in register.iter_mut().enumerate() {
                *lanes = std::array::from_fn(|pixel| (self.start)(number, element, pixel));
            }
        }
        case
    }

    fn registers(case: &Case) -> Box<Registers> {
        Box::new(std::array::from_fn(|number| case.state.gpr[number]))
    }

    fn measure(&self) -> Result<KernelResult, LoadError> {
        let case = self.case();
        let mut executor = Executor::new();
        executor.load(&case)?;
        let mut reference = Reference::new();
        reference.load(&case)?;
        let mut instructions = 0;
        while reference.step() == Step::Continue {
            instructions += 1;
        }
        let reference_ns = time(1, || {
            if reference.load(&case).is_ok() {
                while reference.step() == Step::Continue {}
            }
        });
        let executor_ns = time(8, || {
            executor.restart();
            black_box(executor.run());
        });
        let start = Self::registers(&case);
        let mut registers = start.clone();
        let native_ns = time(8, || {
            registers.clone_from(&start);
            (self.native)(black_box(&mut registers), &case.constants);
        });
        Ok(KernelResult {
            suite: "r700".to_owned(),
            name: self.name.to_owned(),
            device: Device::Rv770,
            instructions,
            reference_ns,
            executor_ns,
            native_ns,
            peer: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use parallax_isa::Outcome;

    use super::*;

    #[test]
    fn native_twins_and_engines_do_the_same_work() {
        for kernel in kernels() {
            let case = kernel.case();
            let mut executor = Executor::new();
            executor.load(&case).expect("kernels decode");
            assert_eq!(executor.run(), Outcome::Halted, "{}", kernel.name);
            let mut reference = Reference::new();
            reference.load(&case).expect("kernels decode");
            while reference.step() == Step::Continue {}
            let mut registers = Kernel::registers(&case);
            (kernel.native)(&mut registers, &case.constants);
            for &(register, element) in kernel.results {
                for pixel in 0..PIXELS {
                    let executed = executor.state().gpr[register][element][pixel];
                    let expected = registers[register][element][pixel];
                    let [a, b] = [executed, expected].map(f32::from_bits);
                    let close = executed == expected || (a - b).abs() <= 1e-3 * b.abs().max(1.0);
                    let place = format!("{}: R{register}[{element}][{pixel}]", kernel.name);
                    assert!(close, "{place}: {executed:08x}, native {expected:08x}");
                    let model = f32::from_bits(reference.state().gpr[register][element][pixel]);
                    let near = (a - model).abs() <= 1e-3 * model.abs().max(1.0);
                    assert!(near || a.to_bits() == model.to_bits(), "{place}: reference {model}");
                }
            }
        }
    }
}
