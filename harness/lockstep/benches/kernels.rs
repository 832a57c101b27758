//! The kernels of `parallax bench` under criterion: executor and native twin.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use parallax_executor::eu::Executor;
use parallax_isa::Model;
use parallax_lockstep::bench::kernels;

fn engines(criterion: &mut Criterion) {
    for kernel in kernels() {
        let mut group = criterion.benchmark_group(format!("{}/{}", kernel.suite, kernel.name));
        let mut executor = Executor::new();
        if let Err(error) = executor.load(&kernel.case) {
            eprintln!("{}: {error}", kernel.name);
            continue;
        }
        group.bench_function("executor", |bencher| {
            bencher.iter(|| {
                executor.restart();
                executor.run()
            });
        });
        let start = kernel.case.state.grf;
        let mut graphics = Box::new(kernel.case.state.memory.graphics);
        group.bench_function("native", |bencher| {
            bencher.iter(|| {
                let mut registers = start;
                (kernel.native)(black_box(&mut registers), black_box(&mut graphics));
                registers
            });
        });
        group.finish();
    }
}

criterion_group!(benches, engines);
criterion_main!(benches);
