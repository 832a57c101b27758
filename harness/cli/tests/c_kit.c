/* Uses of the kit that a careful engine does not make: for the tests of the harness. */
#define PARALLAX_ENGINE_IMPLEMENTATION
#include "../../engines/c/parallax_engine.h"

static uint8_t registers[128 * 32], ip[4];

static int64_t load(struct parallax_engine *engine) {
    printf("a program of %zu bytes\n", engine->program_size);
    return -1;
}

/* Whatever the program is, it is over. */
static enum parallax_flow step(struct parallax_engine *engine) {
    printf("a step\n");
    ip[0] = (uint8_t)engine->program_size;
    ip[1] = (uint8_t)(engine->program_size >> 8);
    return PARALLAX_HALTED;
}

int main(int count, char **arguments) {
    static struct parallax_engine engine;
    int has_too_many = count > 1 && !strcmp(arguments[1], "banks");
    engine.hello = "{\"protocol\": 1, \"name\": \"talkative\", \"devices\": [\"g45\"], \"banks\": [\"r\", \"ip\"],"
                   " \"instructions\": [\"nop\"], \"types\": [], \"features\": []}";
    engine.banks[0].bytes = registers;
    engine.banks[0].size = sizeof registers;
    engine.banks[1].bytes = ip;
    engine.banks[1].size = sizeof ip;
    engine.bank_count = has_too_many ? PARALLAX_MOST_BANKS + 1 : 2;
    engine.load = load;
    engine.step = step;
    return parallax_serve(&engine);
}
