/* An engine of one's own under test by Parallax, in one file.
 *
 * Fill a `struct parallax_engine`, write `load` and `step`, and call `parallax_serve`. The kit reads and
 * writes the frames of harness/lockstep/PROTOCOL.md and finds out itself what a step has changed.
 * Standard output is for frames, so what the engine prints there goes to stderr.
 *
 *     #define PARALLAX_ENGINE_IMPLEMENTATION     (in one source file, before all other includes)
 *     #include "parallax_engine.h"
 */
#ifndef PARALLAX_ENGINE_H
#define PARALLAX_ENGINE_H

/* For dup2 and fdopen, which ISO C does not have. */
#if defined(PARALLAX_ENGINE_IMPLEMENTATION) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <stddef.h>
#include <stdint.h>

/* More than any machine has. */
#define PARALLAX_MOST_BANKS 32

/* Bytes of the banks of execution units; the protocol page says what lies where in them. */
enum parallax_eu_bytes {
    PARALLAX_EU_r = 4096, PARALLAX_EU_m = 512, PARALLAX_EU_acc = 1024, PARALLAX_EU_tmevent = 8,
    PARALLAX_EU_ms = 32, PARALLAX_EU_pcip = 128, PARALLAX_EU_a = 32, PARALLAX_EU_f = 8,
    PARALLAX_EU_mask = 8, PARALLAX_EU_msd = 4, PARALLAX_EU_sr = 16, PARALLAX_EU_cr = 12, PARALLAX_EU_n = 8,
    PARALLAX_EU_n0 = 12, PARALLAX_EU_tdr0 = 16, PARALLAX_EU_ip = 4, PARALLAX_EU_mem = 8192, PARALLAX_EU_slm = 65536,
    PARALLAX_EU_gmem = 16384, PARALLAX_EU_urb = 24576, PARALLAX_EU_other = 4096, PARALLAX_EU_othern = 8,
};

/* Bytes of the banks of R700. */
enum parallax_r700_bytes {
    PARALLAX_R700_R = 131072, PARALLAX_R700_G = 8192, PARALLAX_R700_PV = 1024, PARALLAX_R700_PS = 256,
    PARALLAX_R700_AR = 512, PARALLAX_R700_EXPORT = 36864, PARALLAX_R700_MEM = 16384,
    PARALLAX_R700_LDS = 16384, PARALLAX_R700_emitted = 256, PARALLAX_R700_cut = 256, PARALLAX_R700_stack = 3584,
    PARALLAX_R700_exported = 8, PARALLAX_R700_valid = 8, PARALLAX_R700_active = 8,
    PARALLAX_R700_inactive_continue = 8, PARALLAX_R700_inactive_break = 8, PARALLAX_R700_predicate = 8,
    PARALLAX_R700_executing = 8, PARALLAX_R700_execute_set = 8, PARALLAX_R700_execute_value = 8,
    PARALLAX_R700_loop_count = 4, PARALLAX_R700_aL = 4, PARALLAX_R700_loop_increment = 4,
    PARALLAX_R700_loop_kind = 4, PARALLAX_R700_stack_depth = 4, PARALLAX_R700_call_depth = 4,
    PARALLAX_R700_cf = 4, PARALLAX_R700_group = 4, PARALLAX_R700_in_clause = 4, PARALLAX_R700_reserved = 4,
};

/* Bytes of the banks of surfaces. */
enum parallax_surface_bytes {
    PARALLAX_SURFACE_texel = 1024, PARALLAX_SURFACE_type = 128, PARALLAX_SURFACE_byte = 32,
    PARALLAX_SURFACE_result = 8, PARALLAX_SURFACE_done = 8,
};

/* Bytes of the banks of fixed functions of Gen4, and of enumerations of DG1. */
enum parallax_query_bytes {
    PARALLAX_UNITS_answer = 4096, PARALLAX_UNITS_length = 8, PARALLAX_UNITS_done = 8,
    PARALLAX_ENUMS_answer = 4096, PARALLAX_ENUMS_length = 8, PARALLAX_ENUMS_done = 8,
};

/* How a step ends. */
enum parallax_flow {
    PARALLAX_CONTINUE,
    PARALLAX_HALTED,
    PARALLAX_END_OF_THREAD,
    PARALLAX_STEP_LIMIT,
    PARALLAX_EXCEPTION,
    PARALLAX_UNDEFINED,
    /* The engine does not have the next instruction: why, in the message. */
    PARALLAX_DECLINED
};

/* A bank of state: its bytes are the engine's, the kit only reads and writes them. */
struct parallax_bank {
    uint8_t *bytes;
    size_t size;
};

struct parallax_engine {
    /* The first words, as JSON: protocol, name, devices, banks in the order below, and what it has. */
    const char *hello;
    struct parallax_bank banks[PARALLAX_MOST_BANKS];
    size_t bank_count;
    /* The program of the case: machine code. */
    const uint8_t *program;
    size_t program_size;
    /* The device, and what the program meets from outside as JSON ("" if nothing). */
    const char *device;
    const char *settings;
    /* Why a case is refused, or how a step ended beyond its code: set before returning. */
    char message[256];
    /* A case begins; its registers are in the banks. Returns -1 to take it, else the byte of the program
     * at which the instruction stands that the engine does not take, or -2 for anything else. If it sets
     * `declined`, the engine does not have that, which is counted; else the program is wrong. */
    int64_t (*load)(struct parallax_engine *engine);
    int declined;
    /* Another start of the program that was loaded last begins; its registers are in the banks. Without it `load` is
     * called again: a translator keeps its translation here. */
    void (*start)(struct parallax_engine *engine);
    /* Executes one instruction (R700: one group or control-flow instruction). */
    enum parallax_flow (*step)(struct parallax_engine *engine);
    /* For the engine. */
    void *own;
};

/* Answers questions on standard input until there are no more. Returns 0, or 1 if memory or streams fail,
 * or if there are more banks than PARALLAX_MOST_BANKS. What the engine prints meanwhile goes to stderr. */
int parallax_serve(struct parallax_engine *engine);

/* For engines that take long to start: listens at a Unix socket (`--engine unix:PATH`) for ever. A copy of this
 * process answers each connection, with an engine of its own that is as it was when this was called. Returns 1
 * if nobody can connect; what says why is on stderr. */
int parallax_serve_socket(struct parallax_engine *engine, const char *path);

#endif

#ifdef PARALLAX_ENGINE_IMPLEMENTATION

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { PARALLAX_GRAIN = 32, PARALLAX_MAGIC = 0xA5 };

struct parallax_server {
    struct parallax_engine *engine;
    uint8_t *reported[PARALLAX_MOST_BANKS];
    uint8_t *in, *out, *program;
    size_t in_size, out_size, out_used;
    char *text;
    FILE *answers;
    int failed;
    enum parallax_flow over;
};

static void parallax_bytes(struct parallax_server *s, const void *bytes, size_t count) {
    if (s->out_used + count > s->out_size) {
        size_t size = 2 * (s->out_used + count);
        uint8_t *grown = (uint8_t *)realloc(s->out, size);
        if (!grown) {
            s->failed = 1;
            return;
        }
        s->out = grown;
        s->out_size = size;
    }
    if (count) memcpy(s->out + s->out_used, bytes, count);
    s->out_used += count;
}

static void parallax_number(struct parallax_server *s, uint64_t value, size_t count) {
    uint8_t bytes[8];
    for (size_t n = 0; n < count; n++) bytes[n] = (uint8_t)(value >> 8 * n);
    parallax_bytes(s, bytes, count);
}

static uint64_t parallax_read(const uint8_t *bytes, size_t count) {
    uint64_t value = 0;
    for (size_t n = count; n > 0; n--) value = value << 8 | bytes[n - 1];
    return value;
}

/* Starts a frame; its length is set by parallax_send. */
static void parallax_begin(struct parallax_server *s, unsigned kind, unsigned number) {
    s->out_used = 0;
    parallax_number(s, PARALLAX_MAGIC, 1);
    parallax_number(s, kind, 1);
    parallax_number(s, number, 2);
    parallax_number(s, 0, 4);
}

static void parallax_send(struct parallax_server *s) {
    if (s->failed) return;
    for (size_t n = 0; n < 4; n++) s->out[4 + n] = (uint8_t)((s->out_used - 8) >> 8 * n);
    if (fwrite(s->out, 1, s->out_used, s->answers) != s->out_used || fflush(s->answers)) s->failed = 1;
}

/* Tells how a step ended, and what has changed since it was last reported. */
static void parallax_tell(struct parallax_server *s, enum parallax_flow flow) {
    struct parallax_engine *e = s->engine;
    size_t length = flow >= PARALLAX_EXCEPTION ? strlen(e->message) : 0;
    parallax_number(s, flow, 1);
    parallax_number(s, 0, 1);
    parallax_number(s, length, 2);
    parallax_bytes(s, e->message, length);
    size_t count_at = s->out_used;
    unsigned count = 0;
    parallax_number(s, 0, 2);
    for (size_t bank = 0; bank < e->bank_count; bank++) {
        struct parallax_bank *b = &e->banks[bank];
        if (!memcmp(b->bytes, s->reported[bank], b->size)) continue;
        for (size_t at = 0; at < b->size; at += PARALLAX_GRAIN) {
            size_t size = b->size - at < PARALLAX_GRAIN ? b->size - at : PARALLAX_GRAIN;
            if (!memcmp(b->bytes + at, s->reported[bank] + at, size)) continue;
            parallax_number(s, bank, 1);
            parallax_number(s, 0, 1);
            parallax_number(s, size, 2);
            parallax_number(s, at, 4);
            parallax_bytes(s, b->bytes + at, size);
            memcpy(s->reported[bank] + at, b->bytes + at, size);
            count++;
        }
    }
    if (s->failed) return;
    s->out[count_at] = (uint8_t)count;
    s->out[count_at + 1] = (uint8_t)(count >> 8);
}

static enum parallax_flow parallax_step(struct parallax_server *s) {
    if (s->over == PARALLAX_CONTINUE) s->over = s->engine->step(s->engine);
    return s->over;
}

/* Writes to banks; what comes behind that, or NULL if it makes no sense. */
static const uint8_t *parallax_write(struct parallax_server *s, const uint8_t *at, const uint8_t *end) {
    struct parallax_engine *e = s->engine;
    if (end - at < 2) return NULL;
    unsigned count = (unsigned)parallax_read(at, 2);
    at += 2;
    while (count--) {
        if (end - at < 8) return NULL;
        size_t bank = at[0], size = parallax_read(at + 2, 2), offset = parallax_read(at + 4, 4);
        at += 8;
        if ((size_t)(end - at) < size || bank >= e->bank_count) return NULL;
        if (offset > e->banks[bank].size || e->banks[bank].size - offset < size) return NULL;
        memcpy(e->banks[bank].bytes + offset, at, size);
        at += size;
    }
    for (size_t n = 0; n < e->bank_count; n++) memcpy(s->reported[n], e->banks[n].bytes, e->banks[n].size);
    return at;
}

/* Answers that a case was taken, or why it was not. */
static void parallax_taken(struct parallax_server *s, int64_t refused, unsigned number) {
    struct parallax_engine *e = s->engine;
    parallax_begin(s, refused == -1 ? 0x82 : e->declined ? 0x87 : 0x83, number);
    if (refused == -1) return;
    parallax_number(s, refused < 0 ? 0xFFFFFFFF : (uint64_t)refused, 4);
    parallax_bytes(s, e->message, strlen(e->message));
}

/* Begins a program, or another start of it, with the registers that stand here; what comes behind them, or NULL. */
static const uint8_t *parallax_start(struct parallax_server *s, int whole, const uint8_t *at, const uint8_t *end,
                                     int64_t *refused) {
    struct parallax_engine *e = s->engine;
    for (size_t n = 0; n < e->bank_count; n++) memset(e->banks[n].bytes, 0, e->banks[n].size);
    at = parallax_write(s, at, end);
    if (!at) return NULL;
    s->over = PARALLAX_CONTINUE;
    e->declined = 0;
    *refused = -1;
    if (whole || !e->start)
        *refused = e->load(e);
    else
        e->start(e);
    return at;
}

/* Loads a case (or another start of it) and answers. */
static int parallax_load_case(struct parallax_server *s, int whole, unsigned number, size_t length) {
    struct parallax_engine *e = s->engine;
    const uint8_t *at = s->in, *end = s->in + length;
    if (whole) {
        if (length < 20) return 0;
        size_t program = parallax_read(at + 8, 4), settings = parallax_read(at + 12, 4);
        size_t device = parallax_read(at + 16, 4);
        if (length - 20 < program || length - 20 - program < settings + device) return 0;
        free(s->program);
        free(s->text);
        s->program = (uint8_t *)malloc(program + 1);
        s->text = (char *)malloc(settings + device + 2);
        if (!s->program || !s->text) return 0;
        memcpy(s->program, at + 20, program);
        at += 20 + program;
        memcpy(s->text, at, settings);
        s->text[settings] = 0;
        memcpy(s->text + settings + 1, at + settings, device);
        s->text[settings + 1 + device] = 0;
        at += settings + device;
        e->program = s->program;
        e->program_size = program;
        e->settings = s->text;
        e->device = s->text + settings + 1;
    }
    int64_t refused;
    if (!parallax_start(s, whole, at, end, &refused)) return 0;
    parallax_taken(s, refused, number);
    return 1;
}

/* Runs the program from several starts, each to its end. */
static int parallax_batch(struct parallax_server *s, unsigned number, size_t length) {
    const uint8_t *at = s->in, *end = s->in + length;
    if (length < 2) return 0;
    size_t count = parallax_read(at, 2);
    at += 2;
    parallax_begin(s, 0x88, number);
    parallax_number(s, count, 2);
    while (count--) {
        int64_t refused;
        at = parallax_start(s, 0, at, end, &refused);
        if (!at || s->failed) return 0;
        if (refused != -1) {
            parallax_taken(s, refused, number);
            return 1;
        }
        while (parallax_step(s) == PARALLAX_CONTINUE) {
        }
        parallax_tell(s, s->over);
    }
    return 1;
}

/* Answers one question; 0 if it makes no sense. */
static int parallax_answer(struct parallax_server *s, unsigned kind, unsigned number, size_t length) {
    if (kind == 0x01 || kind == 0x02) return parallax_load_case(s, kind == 0x01, number, length);
    if (kind == 0x03 && length == 4) {
        uint64_t most = parallax_read(s->in, 4);
        unsigned count = 0;
        parallax_begin(s, 0x84, number);
        parallax_number(s, 0, 2);
        do {
            parallax_tell(s, parallax_step(s));
            count++;
        } while (count < most && count < 4096 && s->over == PARALLAX_CONTINUE && !s->failed);
        if (s->failed) return 0;
        s->out[8] = (uint8_t)count;
        s->out[9] = (uint8_t)(count >> 8);
        return 1;
    }
    if (kind == 0x04 && length == 8) {
        uint64_t most = parallax_read(s->in, 8);
        while (most-- && parallax_step(s) == PARALLAX_CONTINUE) {
        }
        parallax_begin(s, 0x85, number);
        parallax_tell(s, s->over);
        return 1;
    }
    if (kind == 0x07) return parallax_batch(s, number, length);
    if (kind == 0x05 && parallax_write(s, s->in, s->in + length)) {
        parallax_begin(s, 0x82, number);
        return 1;
    }
    return 0;
}

/* A stream of its own for frames; what is printed by mistake is read by people, not by the harness. */
static FILE *parallax_answers(void) {
    fflush(stdout);
    int frames = dup(STDOUT_FILENO);
    if (frames < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return NULL;
    return fdopen(frames, "wb");
}

/* Answers the questions of one stream on another. */
static int parallax_converse(struct parallax_engine *engine, FILE *questions, FILE *answers) {
    static struct parallax_server server;
    struct parallax_server *s = &server;
    uint8_t header[8];
    s->engine = engine;
    s->answers = answers;
    if (engine->bank_count > PARALLAX_MOST_BANKS) {
        fprintf(stderr, "parallax: %zu banks, and the kit has room for %d\n", engine->bank_count,
                PARALLAX_MOST_BANKS);
        return 1;
    }
    if (!questions || !answers) return 1;
    for (size_t n = 0; n < engine->bank_count; n++) {
        s->reported[n] = (uint8_t *)calloc(1, engine->banks[n].size);
        if (!s->reported[n]) return 1;
    }
    parallax_begin(s, 0x81, 0);
    parallax_bytes(s, engine->hello, strlen(engine->hello));
    parallax_send(s);
    while (!s->failed && fread(header, 1, 8, questions) == 8 && header[0] == PARALLAX_MAGIC) {
        unsigned kind = header[1], number = (unsigned)parallax_read(header + 2, 2);
        size_t length = parallax_read(header + 4, 4);
        if (length > s->in_size) {
            uint8_t *grown = (uint8_t *)realloc(s->in, length);
            if (!grown) return 1;
            s->in = grown;
            s->in_size = length;
        }
        if (fread(s->in, 1, length, questions) != length || kind == 0x06) break;
        if (!parallax_answer(s, kind, number, length)) {
            static const char sorry[] = "the question makes no sense";
            parallax_begin(s, 0x86, number);
            parallax_bytes(s, sorry, sizeof sorry - 1);
        }
        parallax_send(s);
    }
    return s->failed;
}

int parallax_serve(struct parallax_engine *engine) {
    return parallax_converse(engine, stdin, parallax_answers());
}

/* A socket that listens at a path, where another one may be left over; -1 if there is none. */
static int parallax_listen(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat there;
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    if (!stat(path, &there) && S_ISSOCK(there.st_mode)) unlink(path);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (listener < 0) return -1;
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 64)) return -1;
    return listener;
}

int parallax_serve_socket(struct parallax_engine *engine, const char *path) {
    int listener = parallax_listen(path);
    if (listener < 0) {
        fprintf(stderr, "parallax: %s: %s\n", path, strerror(errno));
        return 1;
    }
    signal(SIGCHLD, SIG_IGN); /* Nobody waits for copies that have ended. */
    signal(SIGPIPE, SIG_IGN); /* The other side may go away. */
    for (;;) {
        int connection = accept(listener, NULL, NULL);
        if (connection < 0) {
            if (errno == EINTR || errno == ECONNABORTED) continue;
            fprintf(stderr, "parallax: %s: %s\n", path, strerror(errno));
            return 1;
        }
        if (fork() == 0) {
            close(listener);
            _exit(parallax_converse(engine, fdopen(connection, "rb"), fdopen(dup(connection), "wb")));
        }
        close(connection);
    }
}

#endif
