/* A small engine of G45: a few instructions on doublewords, in Align1, without flags.
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

static const struct operation {
    unsigned code;
    unsigned sources;
} operations[] = {{0x01, 1}, {0x04, 1}, {0x05, 2}, {0x06, 2}, {0x07, 2}, {0x0C, 2}, {0x40, 2}};

/* Bits `high` to `low` of an instruction. */
static uint32_t bits(const uint8_t *word, unsigned high, unsigned low) {
    uint64_t value = 0;
    for (unsigned n = 5; n > 0; n--) {
        unsigned byte = low / 8 + n - 1;
        value = value << 8 | (byte < 16 ? word[byte] : 0);
    }
    return (uint32_t)(value >> low % 8 & ((1ull << (high - low + 1)) - 1));
}

static const struct operation *operation(const uint8_t *word) {
    for (size_t n = 0; n < sizeof operations / sizeof *operations; n++)
        if (operations[n].code == bits(word, 6, 0)) return &operations[n];
    return NULL;
}

static uint32_t dword(const uint8_t *bytes) {
    return (uint32_t)parallax_read(bytes, 4);
}

static void put(uint8_t *bytes, uint32_t value) {
    for (unsigned n = 0; n < 4; n++) bytes[n] = (uint8_t)(value >> 8 * n);
}

/* A channel of the source whose description starts at bit `low`. */
static uint32_t source(const uint8_t *word, unsigned file, unsigned low, unsigned channel) {
    static const unsigned horizontals[] = {0, 1, 2, 4};
    unsigned vertical = bits(word, low + 24, low + 21), width = 1u << bits(word, low + 20, low + 18);
    unsigned horizontal = horizontals[bits(word, low + 17, low + 16)];
    unsigned start = bits(word, low + 12, low + 5) * 32 + bits(word, low + 4, low);
    if (file == FILE_IMMEDIATE) return bits(word, 127, 96);
    if (file == FILE_ARF) return 0;
    vertical = vertical ? 1u << (vertical - 1) : 0;
    start += 4 * (channel / width * vertical + channel % width * horizontal);
    return start + 4 <= sizeof registers ? dword(registers + start) : 0;
}

/* An arithmetic shift; what a shift of a negative number is, C leaves to the compiler. */
static uint32_t shift_right(uint32_t value, unsigned by, int is_signed) {
    uint32_t filled = is_signed && value >> 31 ? ~(0xFFFFFFFFu >> by) : 0;
    return value >> by | filled;
}

static uint32_t compute(const uint8_t *word, uint32_t a, uint32_t b) {
    enum { TYPE_D = 1 };
    switch (bits(word, 6, 0)) {
    case 0x04: return ~a;
    case 0x05: return a & b;
    case 0x06: return a | b;
    case 0x07: return a ^ b;
    case 0x0C: return shift_right(a, b & 31, bits(word, 41, 39) == TYPE_D);
    case 0x40: return a + b;
    default: return a;
    }
}

static void execute(const uint8_t *word) {
    unsigned channels = 1u << bits(word, 23, 21), stride = bits(word, 62, 61);
    unsigned start = bits(word, 60, 53) * 32 + bits(word, 52, 48);
    uint32_t results[32];
    stride = stride ? 1u << (stride - 1) : 0;
    for (unsigned n = 0; n < channels; n++) {
        uint32_t a = source(word, bits(word, 38, 37), 64, n);
        uint32_t b = operation(word)->sources == 2 ? source(word, bits(word, 43, 42), 96, n) : 0;
        results[n] = compute(word, a, b);
    }
    if (bits(word, 33, 32) == FILE_ARF) return;
    if (has_fault && bits(word, 6, 0) == 0x07 && channels == 8) channels = 7;
    for (unsigned n = 0; n < channels; n++)
        if (start + 4 * n * stride + 4 <= sizeof registers) put(registers + start + 4 * n * stride, results[n]);
}

static int64_t load(struct parallax_engine *engine) {
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
        .hello = "{\"protocol\": 1, \"name\": \"c-example\", \"devices\": [\"g45\"], \"banks\": [\"r\", \"ip\"],"
                 " \"instructions\": [\"mov\", \"not\", \"and\", \"or\", \"xor\", \"asr\", \"add\"],"
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
