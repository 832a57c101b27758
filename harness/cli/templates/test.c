/* {{ title }}
 *
 * {{ machine }} on {{ device }}: {{ steps }}, then {{ outcome }}. The program:
{% for line in listing %} *     {{ line }}
{% endfor %} *
 * Made by `parallax export --format c`; nothing else is needed. Link it with your emulator, behind one function
 * that you write once for all such tests (it is said below what it gets):
 *
 *     cc {{ file }} my_emulator.c -o test && ./test
 *
 * Exit codes: 0 the end is right, 1 it is not, 2 the emulator could not run the case. With names of banks
 * (`./test r f`) only these are compared.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* State of one kind: `{{ banks[0].name }}`, … Numbers are little-endian. */
struct parallax_bank {
    const char *name;
    size_t length;
    uint8_t *bytes;
};

struct parallax_case {
    const char *device;
    const uint8_t *program;
    size_t program_length;
    /* What the program meets from outside, as JSON; empty if nothing. */
    const char *settings;
    /* Steps after which the run is stopped. */
    uint64_t step_limit;
    /* The banks, with what the case starts from: they are to hold what it comes to. */
    struct parallax_bank *banks;
    size_t bank_count;
};

/* Yours: runs the case to its end and leaves the state in its banks. Banks that the emulator does not have
 * may stay as they are. Not 0 if the case cannot be run. */
int parallax_run(struct parallax_case *test);
{% for bank in banks %}
static uint8_t bank_{{ bank.identifier }}[{{ bank.length }}], end_{{ bank.identifier }}[{{ bank.length }}], exact_{{ bank.identifier }}[{{ bank.length }}];
{%- endfor %}

static struct parallax_bank banks[] = {
{%- for bank in banks %}
    {"{{ bank.name }}", sizeof bank_{{ bank.identifier }}, bank_{{ bank.identifier }}},
{%- endfor %}
};
enum { BANKS = sizeof banks / sizeof *banks };

/* How registers of each bank are called: how many bytes one has, and whether its number is in its name. */
static const struct {
    uint8_t *end, *exact;
    size_t register_bytes;
    int is_numbered;
} more[] = {
{%- for bank in banks %}
    {end_{{ bank.identifier }}, exact_{{ bank.identifier }}, {{ bank.register }}, {{ 1 if bank.is_numbered else 0 }}},
{%- endfor %}
};

static const uint8_t program[] = { {{ program }}0};

static const char settings[] = { {{ settings_bytes }}0};

/* Bytes of banks: which one, the first byte, how many, and their values. */
struct run {
    size_t bank, first, length;
    const char *bytes;
};
{% for list in lists %}
/* {{ list.what }} */
static const struct run {{ list.name }}[] = {
{%- for run in list.runs %}
    { {{ run.bank }}, {{ run.first }}, {{ run.length }},
      {{ run.bytes }} },
{%- endfor %}
    {BANKS, 0, 0, ""},
};
{% endfor %}
enum part { START, END, EXACT };

static void put(const struct run *runs, enum part part) {
    for (; runs->bank < BANKS; runs++) {
        uint8_t *bytes = part == START ? banks[runs->bank].bytes
            : part == END ? more[runs->bank].end : more[runs->bank].exact;
        memcpy(bytes + runs->first, runs->bytes, runs->length);
    }
}

static int is_named(const char *name, int count, char **names) {
    for (int n = 1; n < count; n++)
        if (!strcmp(name, names[n])) return 1;
    return count < 2;
}

int main(int count, char **names) {
    struct parallax_case test = {"{{ device }}", program, sizeof program - 1, settings, {{ step_limit }}u, banks, BANKS};
    unsigned long wrong = 0;
    for (int n = 1; n < count; n++) {
        size_t bank = 0;
        while (bank < BANKS && strcmp(names[n], banks[bank].name)) bank++;
        if (bank == BANKS) return fprintf(stderr, "there is no bank `%s`\n", names[n]), 2;
    }
    put(start, START);
    for (size_t bank = 0; bank < BANKS; bank++) {
        memcpy(more[bank].end, banks[bank].bytes, banks[bank].length);
        memset(more[bank].exact, 0xFF, banks[bank].length);
    }
    put(end, END);
    put(exact, EXACT);
    if (parallax_run(&test)) return fputs("the emulator could not run the case\n", stderr), 2;
    for (size_t bank = 0; bank < BANKS; bank++) {
        if (!is_named(banks[bank].name, count, names)) continue;
        for (size_t at = 0; at < banks[bank].length; at++) {
            unsigned is = banks[bank].bytes[at], should = more[bank].end[at], mask = more[bank].exact[at];
            if (!((is ^ should) & mask)) continue;
            wrong++;
            printf("%s", banks[bank].name);
            if (more[bank].is_numbered) printf("%lu", (unsigned long)(at / more[bank].register_bytes));
            printf(" byte %lu: %02x, expected %02x", (unsigned long)(at % more[bank].register_bytes), is, should);
            printf(mask == 0xFF ? "\n" : " in the bits %02x\n", mask);
        }
    }
    if (wrong) printf("{{ name }}: %lu bytes are wrong\n", wrong);
    else puts("{{ name }}: the end is right");
    return wrong > 0;
}
