/* A small engine of R700: six ALU operations on registers, literals and inline constants.
 *
 *     cc -O2 -o r700 harness/engines/c/r700.c
 *     parallax run --device rv770 --engine "cmd:./r700" --time 20s
 *
 * `--fault` puts a bug in: `LSHR_INT` shifts in the sign. `--to-the-end` makes an engine that cannot be stopped within a
 * program, and runs several starts of it in a batch, like a translator.
 */
#define PARALLAX_ENGINE_IMPLEMENTATION
#include "parallax_engine.h"

enum { PIXELS = 64, SELECT_LITERAL = 253, FIRST_INLINE = 244 };
enum { ADD = 0x00, MUL_IEEE = 0x02, MOV = 0x19, AND_INT = 0x30, ADD_INT = 0x34, LSHR_INT = 0x71 };

static uint8_t registers[PARALLAX_R700_R], cf[PARALLAX_R700_cf], group[PARALLAX_R700_group],
    in_clause[PARALLAX_R700_in_clause];
static int has_fault;

/* A 64-bit word of the program. */
static uint64_t word(const struct parallax_engine *engine, uint32_t address) {
    size_t byte = (size_t)address * 8;
    return byte + 8 <= engine->program_size ? parallax_read(engine->program + byte, 8) : 0;
}

/* Bits `high` to `low` of a word. */
static uint32_t bits(uint64_t word, unsigned high, unsigned low) {
    return (uint32_t)(word >> low & ((1ull << (high - low + 1)) - 1));
}

static uint32_t get(const uint8_t *bytes) {
    return (uint32_t)parallax_read(bytes, 4);
}

static void put(uint8_t *bytes, uint32_t value) {
    for (unsigned n = 0; n < 4; n++) bytes[n] = (uint8_t)(value >> 8 * n);
}

/* A denormal counts as a zero of its sign. */
static uint32_t flushed(uint32_t value) {
    return value & 0x7F800000 ? value : value & 0x80000000;
}

static float number(uint32_t value) {
    float result;
    value = flushed(value);
    memcpy(&result, &value, 4);
    return result;
}

static uint32_t single(float value) {
    uint32_t result;
    memcpy(&result, &value, 4);
    return flushed(result);
}

static uint32_t shift_right(uint32_t value, uint32_t by) {
    uint32_t sign = has_fault && value >> 31 ? 0xFFFFFFFF : 0;
    if (by > 31) return sign;
    return by ? value >> by | sign << (32 - by) : value;
}

static uint32_t compute(unsigned code, uint32_t a, uint32_t b) {
    switch (code) {
    case ADD: return single(number(a) + number(b));
    case MUL_IEEE: return single(number(a) * number(b));
    case AND_INT: return a & b;
    case ADD_INT: return a + b;
    case LSHR_INT: return shift_right(a, b);
    default: return a;
    }
}

/* The code of an instruction with two sources; those of three have other bits there. */
static unsigned code_of(uint64_t alu) {
    return bits(alu, 32 + 17, 32 + 7);
}

static int is_known(uint64_t alu) {
    static const unsigned known[] = {ADD, MUL_IEEE, MOV, AND_INT, ADD_INT, LSHR_INT};
    for (size_t n = 0; n < sizeof known / sizeof *known; n++)
        if (known[n] == code_of(alu)) return 1;
    return 0;
}

/* A source of a pixel; `literals` is the address of the group's. */
static uint32_t source(const struct parallax_engine *engine, unsigned select, unsigned element, unsigned pixel,
                       uint32_t literals) {
    static const uint32_t inlines[] = {0, 0x3FF00000, 0, 0x3FE00000, 0, 0x3F800000, 1, 0xFFFFFFFF, 0x3F000000};
    if (select < 128) return get(registers + 4 * (PIXELS * (4 * select + element) + pixel));
    if (select == SELECT_LITERAL) return bits(word(engine, literals + element / 2), element % 2 * 32 + 31, element % 2 * 32);
    return select - FIRST_INLINE < 9 ? inlines[select - FIRST_INLINE] : 0;
}

/* 64-bit words of literals that an instruction asks for, even if its operation has no use for them. */
static uint32_t literals_of(uint64_t alu) {
    uint32_t first = bits(alu, 8, 0) == SELECT_LITERAL ? 1 + bits(alu, 11, 10) / 2 : 0;
    uint32_t second = bits(alu, 21, 13) == SELECT_LITERAL ? 1 + bits(alu, 24, 23) / 2 : 0;
    return first > second ? first : second;
}

/* Executes the group at an address; gives the address behind it. */
static uint32_t execute(const struct parallax_engine *engine, uint32_t start) {
    static uint32_t results[5][PIXELS];
    uint32_t count = 0, literals = 0;
    do {
        uint32_t asked = literals_of(word(engine, start + count));
        if (asked > literals) literals = asked;
    } while (!bits(word(engine, start + count++), 31, 31) && count < 5);
    /* All of them read before one writes. */
    for (uint32_t n = 0; n < count; n++) {
        uint64_t alu = word(engine, start + n);
        for (unsigned pixel = 0; pixel < PIXELS; pixel++) {
            uint32_t a = source(engine, bits(alu, 8, 0), bits(alu, 11, 10), pixel, start + count);
            uint32_t b = source(engine, bits(alu, 21, 13), bits(alu, 24, 23), pixel, start + count);
            results[n][pixel] = compute(code_of(alu), a, b);
        }
    }
    for (uint32_t n = 0; n < count; n++) {
        uint64_t alu = word(engine, start + n);
        uint32_t element = 4 * bits(alu, 32 + 27, 32 + 21) + bits(alu, 32 + 30, 32 + 29);
        for (unsigned pixel = 0; pixel < PIXELS && bits(alu, 36, 36); pixel++)
            put(registers + 4 * (PIXELS * element + pixel), results[n][pixel]);
    }
    return start + count + literals;
}

/* Refuses a program with an instruction that the engine does not have. */
static int64_t load(struct parallax_engine *engine) {
    uint64_t flow;
    for (uint32_t at = 0; bits(flow = word(engine, at), 61, 61); at++) {
        uint32_t place = bits(flow, 21, 0), end = place + bits(flow, 56, 50) + 1;
        while (place < end) {
            uint32_t literals = 0, asked;
            int is_last;
            do {
                uint64_t alu = word(engine, place);
                if (!is_known(alu)) {
                    snprintf(engine->message, sizeof engine->message, "no operation has the code %#x", code_of(alu));
                    return (int64_t)place * 8;
                }
                asked = literals_of(alu);
                literals = asked > literals ? asked : literals;
                is_last = (int)bits(alu, 31, 31);
                place++;
            } while (!is_last && place < end);
            place += literals;
        }
    }
    return -1;
}

static enum parallax_flow step(struct parallax_engine *engine) {
    uint32_t at = get(cf);
    uint64_t flow = word(engine, at);
    if (!bits(flow, 61, 61)) { /* NOP */
        put(cf, at + 1);
        return bits(flow, 53, 53) ? PARALLAX_HALTED : PARALLAX_CONTINUE;
    }
    if (!get(in_clause)) { /* ALU */
        put(in_clause, 1);
        put(group, bits(flow, 21, 0));
        return PARALLAX_CONTINUE;
    }
    uint32_t next = execute(engine, get(group));
    int is_over = next > bits(flow, 21, 0) + bits(flow, 56, 50);
    put(group, is_over ? 0 : next);
    if (is_over) {
        put(in_clause, 0);
        put(cf, at + 1);
    }
    return PARALLAX_CONTINUE;
}

/* The program was looked through when it was loaded: another start needs nothing. */
static void start(struct parallax_engine *engine) { (void)engine; }

#define HELLO(more) \
    "{\"protocol\": 2, \"machine\": \"r700\", \"name\": \"c-r700-example\", \"devices\": [\"rv770\"]," \
    " \"banks\": [\"R\", \"cf\", \"group\", \"in-clause\"], \"features\": []," \
    " \"instructions\": [\"ADD\", \"MUL_IEEE\", \"MOV\", \"AND_INT\", \"ADD_INT\", \"LSHR_INT\"]" more "}"

int main(int count, char **arguments) {
    struct parallax_engine engine = {
        .hello = HELLO(""),
        .banks = {{registers, sizeof registers},
                  {cf, sizeof cf},
                  {group, sizeof group},
                  {in_clause, sizeof in_clause}},
        .bank_count = 4,
        .load = load,
        .start = start,
        .step = step,
    };
    for (int n = 1; n < count; n++) {
        if (!strcmp(arguments[n], "--fault")) has_fault = 1;
        if (!strcmp(arguments[n], "--to-the-end")) engine.hello = HELLO(", \"steps\": false, \"batch\": true");
    }
    return parallax_serve(&engine);
}
