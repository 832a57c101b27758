#!/usr/bin/env python3
"""{{ title }}

{{ machine }} on {{ device }}: {{ steps }}, then {{ outcome }}. The program:
{% for line in listing %}
    {{ line }}
{%- endfor %}

Made by `parallax export --format python`; nothing else is needed. Your emulator stands behind one function, which
you write once for all such tests:

    def run(device, program, settings, step_limit, banks):

`program` is machine code; `settings` what the program meets from outside, as JSON, empty if nothing; `banks` has
a bytearray for each kind of state, by its name ({{ banks[0].name }}, ...), with what the case starts from.
Numbers are little-endian. It runs the case to its end and leaves the state in `banks`; those that the emulator
does not have may stay as they are. With the function in a module:

    python3 {{ file }} my_emulator

Exit codes: 0 the end is right, 1 it is not, 2 the emulator could not run the case. With names of banks behind
the module only these are compared.
"""

import importlib
import os
import sys

DEVICE = "{{ device }}"
PROGRAM = bytes.fromhex("{{ digits }}")
SETTINGS = {{ settings }}
STEP_LIMIT = {{ step_limit }}

# Name, bytes, bytes of a register, and whether its number is in its name.
BANKS = [
{%- for bank in banks %}
    ("{{ bank.name }}", {{ bank.length }}, {{ bank.register }}, {{ "True" if bank.is_numbered else "False" }}),
{%- endfor %}
]
{% for list in lists %}
# {{ list.what }}
{{ list.name | upper }} = [
{%- for run in list.runs %}
    ("{{ run.name }}", {{ run.first }}, "{{ run.digits }}"),
{%- endfor %}
]
{% endfor %}

def put(banks, runs):
    for name, first, digits in runs:
        value = bytes.fromhex(digits)
        banks[name][first : first + len(value)] = value


def differences(run, names=()):
    """What is wrong at the end of a run, a sentence for each byte."""
    banks = {name: bytearray(length) for name, length, _, _ in BANKS}
    put(banks, START)
    end = {name: bytearray(value) for name, value in banks.items()}
    put(end, END)
    exact = {name: bytearray(b"\xff" * length) for name, length, _, _ in BANKS}
    put(exact, EXACT)
    run(DEVICE, PROGRAM, SETTINGS, STEP_LIMIT, banks)
    for name, length, register, is_numbered in BANKS:
        if names and name not in names:
            continue
        if len(banks[name]) != length:
            yield f"{name} has {len(banks[name])} bytes, expected {length}"
            continue
        for at, (value, should, mask) in enumerate(zip(banks[name], end[name], exact[name])):
            if (value ^ should) & mask:
                number = at // register if is_numbered else ""
                bits = "" if mask == 0xFF else f" in the bits {mask:02x}"
                yield f"{name}{number} byte {at % register}: {value:02x}, expected {should:02x}{bits}"


def main(module, *names):
    for name in names:
        if name not in (known for known, _, _, _ in BANKS):
            sys.exit(refused(f"there is no bank `{name}`"))
    sys.path.insert(0, os.getcwd())
    try:
        wrong = list(differences(importlib.import_module(module).run, names))
    except Exception as error:  # Whatever an emulator raises.
        sys.exit(refused(f"the emulator could not run the case: {type(error).__name__}: {error}"))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print("{{ name }}:", f"{len(wrong)} bytes are wrong" if wrong else "the end is right")
    sys.exit(bool(wrong))


def refused(sentence):
    print(sentence, file=sys.stderr)
    return 2


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(refused("which module is the emulator? python3 {{ file }} MODULE [BANK ...]"))
    main(*sys.argv[1:])
