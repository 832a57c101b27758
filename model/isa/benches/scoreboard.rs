//! How fast the software scoreboard of Gen12 is checked: a thousand programs, most of them long.

#[path = "../tests/compiled/mod.rs"]
mod compiled;

use std::hint::black_box;

use compiled::compiled;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use parallax_isa::eu::hazards::check::hazards;

fn check(criterion: &mut Criterion) {
    let programs = compiled();
    let mut group = criterion.benchmark_group("scoreboard");
    group.sample_size(10).throughput(Throughput::Elements(1000));
    group.bench_function("1,000 programs", |bencher| {
        bencher.iter(|| {
            let thousand = programs.iter().cycle().take(1000);
            thousand.map(|(_, program)| hazards(black_box(program)).len()).sum::<usize>()
        });
    });
    group.finish();
}

criterion_group!(benches, check);
criterion_main!(benches);
