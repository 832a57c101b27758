kernel void race(global uint *data, local uint *row) {
    uint item = get_local_id(0), items = get_local_size(0);
    row[item] = data[item];
    data[item] = row[(item + 32) % items];
}

kernel void stuck(global uint *data) {
    if (get_local_id(0) < 32)
        barrier(CLK_LOCAL_MEM_FENCE);
    data[get_local_id(0)] = 1;
}

kernel void beyond(global const uint *in, global uint *out, uint by) {
    out[get_global_id(0)] = in[get_global_id(0) + by];
}

kernel void sum(global const uint *in, global uint *out, local uint *row) {
    uint item = get_local_id(0);
    row[item] = in[get_global_id(0)];
    for (uint step = get_local_size(0) / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < step)
            row[item] += row[item + step];
    }
    if (item == 0)
        atomic_add(out, row[0]);
}
