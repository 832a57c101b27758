/* A small engine of execution units: a few instructions on doublewords, in Align1, without flags.
 *
 *     cc -O2 -o example harness/engines/c/example.c
 *     parallax run --device g45 --engine "cmd:./example" --time 20s
 *
 * `--fault` puts a bug in: `xor` of eight channels leaves out the last. `--socket PATH` listens at a Unix
 * socket instead (`--engine unix:PATH`).
 */
#define PARALLAX_ENGINE_IMPLEMENTATION
#include "parallax_engine.h"

static uint8_t registers[128 * 32];
static uint8_t ip[4];
static int has_fault;

enum { FILE_ARF = 0, FILE_IMMEDIATE = 3 };

/* Bits of an instruction, those of a source from its first bit on. */
struct field {
    unsigned high, low;
};

/* Where the fields are. Gen12 has bits that say that a source is an immediate, and has moved some operations. */
static const struct layout {
    struct field size, files[2], destination_file, number, subregister, stride;
    struct field source_number, source_subregister, vertical, width, horizontal;
    unsigned immediates[2], moved;
} gen4 = {{23, 21}, {{38, 37}, {43, 42}}, {33, 32}, {60, 53}, {52, 48}, {62, 61},
          {12, 5}, {4, 0}, {24, 21}, {20, 18}, {17, 16}, {0, 0}, 0},
  gen9 = {{23, 21}, {{42, 41}, {90, 89}}, {36, 35}, {60, 53}, {52, 48}, {62, 61},
          {12, 5}, {4, 0}, {24, 21}, {20, 18}, {17, 16}, {0, 0}, 0},
  gen12 = {{18, 16}, {{66, 66}, {98, 98}}, {50, 50}, {63, 56}, {55, 51}, {49, 48},
           {15, 8}, {7, 3}, {23, 20}, {19, 17}, {1, 0}, {46, 47}, 0x60};

static const struct layout *layout = &gen4;

static const struct operation {
    unsigned code;
    unsigned sources;
} operations[] = {{0x01, 1}, {0x04, 1}, {0x05, 2}, {0x06, 2}, {0x07, 2}, {0x09, 2}, {0x40, 2}};

/* Bits `high` to `low` of an instruction. */
static uint32_t bits(const uint8_t *word, unsigned high, unsigned low) {
    uint64_t value = 0;
    for (unsigned n = 5; n > 0; n--) {
        unsigned byte = low / 8 + n - 1;
        value = value << 8 | (byte < 16 ? word[byte] : 0);
    }
    return (uint32_t)(value >> low % 8 & ((1ull << (high - low + 1)) - 1));
}

static uint32_t field(const uint8_t *word, struct field field, unsigned first) {
    return bits(word, first + field.high, first + field.low);
}

static uint32_t opcode(const uint8_t *word) {
    uint32_t code = bits(word, 6, 0);
    return layout->moved && code >= layout->moved ? code - layout->moved : code;
}

static const struct operation *operation(const uint8_t *word) {
    for (size_t n = 0; n < sizeof operations / sizeof *operations; n++)
        if (operations[n].code == opcode(word)) return &operations[n];
    return NULL;
}

static uint32_t dword(const uint8_t *bytes) {
    return (uint32_t)parallax_read(bytes, 4);
}

static void put(uint8_t *bytes, uint32_t value) {
    for (unsigned n = 0; n < 4; n++) bytes[n] = (uint8_t)(value >> 8 * n);
}

static unsigned is_immediate(const uint8_t *word, unsigned number) {
    unsigned bit = layout->immediates[number];
    return bit ? bits(word, bit, bit) : field(word, layout->files[number], 0) == FILE_IMMEDIATE;
}

/* A channel of a source. */
static uint32_t source(const uint8_t *word, unsigned number, unsigned channel) {
    static const unsigned horizontals[] = {0, 1, 2, 4};
    unsigned first = 64 + 32 * number;
    unsigned vertical = field(word, layout->vertical, first), width = 1u << field(word, layout->width, first);
    unsigned horizontal = horizontals[field(word, layout->horizontal, first)];
    unsigned start = field(word, layout->source_number, first) * 32 + field(word, layout->source_subregister, first);
    if (is_immediate(word, number)) return bits(word, 127, 96);
    if (field(word, layout->files[number], 0) == FILE_ARF) return 0;
    vertical = vertical ? 1u << (vertical - 1) : 0;
    start += 4 * (channel / width * vertical + channel % width * horizontal);
    return start + 4 <= sizeof registers ? dword(registers + start) : 0;
}

static uint32_t compute(const uint8_t *word, uint32_t a, uint32_t b) {
    switch (opcode(word)) {
    case 0x04: return ~a;
    case 0x05: return a & b;
    case 0x06: return a | b;
    case 0x07: return a ^ b;
    case 0x09: return a << (b & 31);
    case 0x40: return a + b;
    default: return a;
    }
}

static void execute(const uint8_t *word) {
    unsigned channels = 1u << field(word, layout->size, 0), stride = field(word, layout->stride, 0);
    unsigned start = field(word, layout->number, 0) * 32 + field(word, layout->subregister, 0);
    uint32_t results[32];
    stride = stride ? 1u << (stride - 1) : 0;
    for (unsigned n = 0; n < channels && n < 32; n++) {
        uint32_t a = source(word, 0, n);
        uint32_t b = operation(word)->sources == 2 ? source(word, 1, n) : 0;
        results[n] = compute(word, a, b);
    }
    if (field(word, layout->destination_file, 0) == FILE_ARF) return;
    if (has_fault && opcode(word) == 0x07 && channels == 8) channels = 7;
    for (unsigned n = 0; n < channels; n++)
        if (start + 4 * n * stride + 4 <= sizeof registers) put(registers + start + 4 * n * stride, results[n]);
}

static int64_t load(struct parallax_engine *engine) {
    layout = strcmp(engine->device, "dg1") ? strcmp(engine->device, "skl") ? &gen4 : &gen9 : &gen12;
    for (size_t at = 0; at + 16 <= engine->program_size; at += 16) {
        if (operation(engine->program + at)) continue;
        snprintf(engine->message, sizeof engine->message, "no operation has this code");
        return (int64_t)at;
    }
    return -1;
}

static enum parallax_flow step(struct parallax_engine *engine) {
    uint32_t at = dword(ip);
    if (at == engine->program_size) return PARALLAX_HALTED;
    if (at % 16 || at + 16 > engine->program_size) {
        snprintf(engine->message, sizeof engine->message, "no instruction starts at byte %u", at);
        return PARALLAX_UNDEFINED;
    }
    execute(engine->program + at);
    put(ip, at + 16);
    return PARALLAX_CONTINUE;
}

int main(int count, char **arguments) {
    struct parallax_engine engine = {
        .hello = "{\"protocol\": 2, \"name\": \"c-example\","
                 " \"devices\": [\"bw\", \"cl\", \"ctg\", \"g45\", \"ivb\", \"skl\", \"dg1\"],"
                 " \"banks\": [\"r\", \"ip\"],"
                 " \"instructions\": [\"mov\", \"not\", \"and\", \"or\", \"xor\", \"shl\", \"add\"],"
                 " \"types\": [\"ud\", \"d\"], \"features\": []}",
        .banks = {{registers, sizeof registers}, {ip, sizeof ip}},
        .bank_count = 2,
        .load = load,
        .step = step,
    };
    const char *path = NULL;
    for (int n = 1; n < count; n++) {
        if (!strcmp(arguments[n], "--fault")) has_fault = 1;
        if (!strcmp(arguments[n], "--socket") && n + 1 < count) path = arguments[++n];
    }
    return path ? parallax_serve_socket(&engine, path) : parallax_serve(&engine);
}
