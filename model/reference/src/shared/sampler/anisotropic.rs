//! How a pixel lies on a map (G45 volume 4, sections 4.2.1.1 and 4.2.3.3), and the subpixels of
//! MAPFILTER_ANISOTROPIC along its longer side.

use crate::number::{Context, Exact, FloatFormat, Number, Rounding, function};

/// The steps from a pixel to its neighbours, in texels of level 0.
#[derive(Debug)]
pub(super) struct Projection {
    /// By direction, to the right and downwards.
    steps: [Vec<Number>; 2],
    squares: [Number; 2],
}

/// The longer and the shorter side of a pixel on a map.
#[derive(Debug)]
pub(super) struct Axes {
    /// The square of the shorter one, which is not less than the greatest ratio allows.
    pub(super) minor_square: Number,
    ratio: Number,
    /// How many subpixels there are.
    pub(super) ways: i128,
    /// Its sides differ more than is allowed.
    pub(super) is_too_long: bool,
    /// A texel along the longer one, by direction.
    texel: Vec<Exact>,
    /// Nobody says which of both is the longer one.
    pub(super) is_open: bool,
}

/// What the subpixels that are not at the ends weigh, and those that are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weights {
    pub(super) inner: Exact,
    pub(super) end: Exact,
}

/// A result as binary64 has it.
fn double(number: Number) -> Number {
    Context::IEEE.rounded(number, FloatFormat::BINARY64)
}

fn quotient(numerator: Number, denominator: Number) -> Number {
    if numerator.is_zero() {
        Number::ZERO
    } else {
        double(function::quotient(numerator, denominator))
    }
}

/// The square root of a number with the digits of binary64.
fn root(square: Number) -> Number {
    let Some(square) = square.finite_non_zero() else { return Number::ZERO };
    // As many digits as fit, and an even exponent.
    let shift = (square.significand.leading_zeros() as i32 - 2) / 2 * 2;
    let shift = shift + (square.exponent - shift).rem_euclid(2);
    let (digits, exponent) = (square.significand << shift, square.exponent - shift);
    let whole = digits.isqrt();
    // What was cut off counts where it is halfway.
    let sticky = whole * whole != digits;
    double(Number::Finite(Exact { sticky, ..Exact::new(whole, exponent / 2) }))
}

impl Projection {
    /// Of differences of coordinates or what a message says instead, and how many texels a coordinate of 1
    /// spans.
    pub(super) fn new(gradients: [&[Exact]; 2], spans: &[Exact]) -> Self {
        // Decision D-eu-sampler.
        let texels = |gradient: &[Exact]| {
            let both = gradient.iter().zip(spans);
            both.map(|(step, span)| double(Number::Finite(*step * *span))).collect::<Vec<_>>()
        };
        let steps = gradients.map(texels);
        let square = |steps: &Vec<Number>| {
            let squares = steps.iter().map(|texels| double(texels.times(*texels)));
            squares
                .fold(Number::ZERO, |sum, square| double(sum.plus(square, Rounding::NearestEven)))
        };
        let squares = [square(&steps[0]), square(&steps[1])];
        Self { steps, squares }
    }

    /// The square of the longer step.
    pub(super) fn major_square(&self) -> Number {
        self.squares[self.longer()]
    }

    fn longer(&self) -> usize {
        usize::from(self.squares[0] < self.squares[1])
    }

    /// The sides, of which one is at most so many times as long as the other.
    pub(super) fn axes(&self, most: u32) -> Axes {
        // Decision D-eu-sampler-anisotropic.
        let longer = self.longer();
        let (major, minor) = (self.squares[longer], self.squares[1 - longer]);
        let times = |ways: i128| minor.times(Number::integer(ways * ways));
        let most = i128::from(most);
        let is_too_long = times(most) < major;
        let (minor_square, ratio, ways) = if is_too_long {
            let minor_square = quotient(major, Number::integer(most * most));
            (minor_square, Number::integer(most), most)
        } else {
            let ratio = if minor.is_zero() { Number::ONE } else { root(quotient(major, minor)) };
            let enough = |ways: &i128| times(*ways) >= major;
            (minor, ratio, (2..=most).step_by(2).find(enough).unwrap_or(most))
        };
        let length = root(major);
        let texel = |step: &Number| match length.is_zero() {
            true => Exact::ZERO,
            false => quotient(*step, length).finite().unwrap_or(Exact::ZERO),
        };
        let texel: Vec<Exact> = self.steps[longer].iter().map(texel).collect();
        // Steps of one length have no longer one, unless they are on one line.
        let [x, y] = &self.steps;
        let is_line = x == y || x.iter().zip(y).all(|(x, y)| *x == -*y);
        let is_open = major.is_zero() || major == minor && !is_line;
        Axes { minor_square, ratio, ways, is_too_long, texel, is_open }
    }
}

impl Axes {
    /// How far from the pixel each subpixel is, in texels by direction, and whether it is one of both ends.
    pub(super) fn subpixels(&self) -> Vec<(Vec<Exact>, bool)> {
        let place = |number: i128| {
            // They stand on both sides alike.
            let texels = Number::integer(2 * number + 1 - self.ways).scaled(-1);
            let along = |texel: &Exact| {
                let offset = double(texels.times(Number::Finite(*texel)));
                offset.finite().unwrap_or(Exact::ZERO)
            };
            let is_end = number == 0 || number == self.ways - 1;
            (self.texel.iter().map(along).collect(), is_end)
        };
        (0..self.ways).map(place).collect()
    }

    /// The weights of the manual's words: what is not at an end weighs alike, and the ends become as much
    /// the nearer the ratio is to the number of subpixels.
    pub(super) fn weights(&self) -> Weights {
        if self.ways == 2 {
            let half = Exact::integer(1).scaled(-1);
            return Weights { inner: half, end: half };
        }
        let over = Number::integer(2 - self.ways);
        let beyond = double(self.ratio.plus(over, Rounding::NearestEven));
        let inner = quotient(Number::ONE, self.ratio);
        let end = quotient(beyond, self.ratio.scaled(1));
        let exact = |weight: Number| weight.finite().unwrap_or(Exact::ZERO);
        Weights { inner: exact(inner), end: exact(end) }
    }

    /// The least and the greatest weights that the ends may have: none, and that of the others. Of two
    /// subpixels nothing is open.
    pub(super) fn extremes(&self) -> Option<[Weights; 2]> {
        if self.ways == 2 {
            return None;
        }
        let part = |count: i128| Exact::quotient(1 << 64, count as u64).scaled(-64);
        let rounded =
            |weight: Exact| double(Number::Finite(weight)).finite().unwrap_or(Exact::ZERO);
        let [inner, all] = [self.ways - 2, self.ways].map(|count| rounded(part(count)));
        Some([Weights { inner, end: Exact::ZERO }, Weights { inner: all, end: all }])
    }
}

/// The least and the greatest binary32 number that a channel may be whose sums are these at both extremes, of
/// texels of a greatest magnitude: sums in other orders may differ by a part of that.
pub(super) fn between(sums: [Number; 2], greatest: Number) -> Option<[u64; 2]> {
    if !sums.iter().all(|sum| sum.is_finite()) || !greatest.is_finite() {
        return None;
    }
    let [low, high] = if sums[0] < sums[1] { sums } else { [sums[1], sums[0]] };
    let more = greatest.scaled(-SURE_BITS);
    let low = low.minus(more, Rounding::NearestEven);
    let high = high.plus(more, Rounding::NearestEven);
    Some([low, high].map(|end| Context::IEEE.round(end, FloatFormat::BINARY32).bits))
}

/// Bits of the greatest texel that sums of binary64 have in common, whatever their order.
const SURE_BITS: i32 = 40;
