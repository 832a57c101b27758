kernel void scale(global const int *in, global int *out, int factor) {
    size_t i = get_global_id(0);
    out[i] = in[i] * factor + (int)get_group_id(0);
}

kernel void rotate_rows(global uint *data, local uint *row, uint by) {
    uint x = get_local_id(0), y = get_local_id(1), width = get_local_size(0);
    uint at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    row[y * width + x] = data[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[at] = row[y * width + (x + by) % width];
}
