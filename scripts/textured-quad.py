#!/usr/bin/env python3
"""Works out in exact fractions what corpus/programs/g45/textured-quad.asm draws, without any engine.

Writes its set-up file, the bytes that it has to leave in memory, and the picture in the README:

    scripts/textured-quad.py
"""
import json
import math
import struct
import zlib
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "corpus/programs/g45"
SIZE, TEXELS, TARGET = 48, 8, 4096
STEPS = 256  # of a texel, in addresses


def background():
    """Tiles in two blues."""
    light, dark = (0x38, 0x60, 0x88, 0xFF), (0x18, 0x30, 0x50, 0xFF)
    return [[light if (x // 4 + y // 4) % 2 else dark for x in range(TEXELS)] for y in range(TEXELS)]


def panel():
    """Colours across, thinner towards the edges."""
    def texel(x, y):
        ring = max(abs(2 * x - 7), abs(2 * y - 7))
        alpha = {7: 0x60, 5: 0xFF, 3: 0xC0, 1: 0xFF}[ring]
        return (0x30 + 0x1A * x, 0xF0 - 0x18 * y, 0x40 + 0x10 * abs(x - y), alpha)
    return [[texel(x, y) for x in range(TEXELS)] for y in range(TEXELS)]


def wrapped(texels, x, y):
    return texels[y % TEXELS][x % TEXELS]


def bordered(texels, x, y):
    inside = 0 <= x < TEXELS and 0 <= y < TEXELS
    return texels[y][x] if inside else (0, 0, 0, 0)


def linear(texels, texel, u, v):
    """Four texels around a place, in steps of 2^-8 of a texel."""
    axes = []
    for coordinate in (u, v):
        address = math.floor(coordinate * TEXELS * STEPS) - STEPS // 2
        first, blend = divmod(address, STEPS)
        axes.append([(first, STEPS - blend), (first + 1, blend)])
    colour = [Fraction(0)] * 4
    for x, column in axes[0]:
        for y, row in axes[1]:
            weight = Fraction(column * row, STEPS * STEPS)
            for channel, code in enumerate(texel(texels, x, y)):
                colour[channel] += weight * Fraction(code, 255)
    return colour


def code(fraction):
    """UNORM of eight bits: the nearest, of two the even one."""
    return round(fraction * 255)


def over(source, stored):
    """SRC_ALPHA and INV_SRC_ALPHA; alpha itself with ONE and INV_SRC_ALPHA."""
    alpha = source[3]
    factors = [alpha] * 3 + [Fraction(1)]
    return [s * f + d * (1 - alpha) for s, f, d in zip(source, factors, stored)]


def draw():
    rows = []
    for y in range(SIZE):
        row = []
        for x in range(SIZE):
            across, down = x + Fraction(1, 2), y + Fraction(1, 2)
            scale = Fraction(21, 512)
            behind = [code(c) for c in linear(background(), wrapped, across * scale, down * scale)]
            across, down = across - SIZE // 2, down - SIZE // 2
            a, b = Fraction(27, 1024), Fraction(15, 1024)
            half = Fraction(1, 2)
            front = linear(panel(), bordered, across * a + down * b + half, down * a - across * b + half)
            row.append([code(c) for c in over(front, [Fraction(c, 255) for c in behind])])
        rows.append(row)
    return rows


def words(texels):
    return " ".join(
        f"{int.from_bytes(bytes(texel), 'little'):08x}" for row in texels for texel in row
    )


def setup():
    def texture(base):
        return {"type": "texture", "dimensions": "2d", "base": base, "width": TEXELS,
                "height": TEXELS, "pitch": 4 * TEXELS, "format": "R8G8B8A8_UNORM"}

    def target(blends):
        return {"type": "target", "base": TARGET, "width": SIZE, "height": SIZE,
                "pitch": 4 * SIZE, "format": "R8G8B8A8_UNORM", "blends": blends}

    def sampler(mode):
        return {"mag": "linear", "min": "linear", "address": [mode] * 3, "border": [0, 0, 0, 0]}

    def equation(source):
        return {"function": "Add", "source_factor": source, "destination_factor": "InvSrcAlpha"}

    return {
        "memory": [{"at": 0, "words": words(background())}, {"at": 256, "words": words(panel())}],
        "surfaces": [texture(0), target(False), texture(256), target(True)],
        "samplers": [sampler("wrap"), sampler("clamp_border")],
        "rendering": {"blend": [equation("SrcAlpha"), equation("One")]},
    }


def png(rows):
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    zoom = 4
    lines = b"".join(
        (b"\0" + b"".join(bytes(pixel[:3]) * zoom for pixel in row)) * zoom for row in rows
    )
    header = struct.pack(">IIBBBBB", zoom * SIZE, zoom * SIZE, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
            + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


def main():
    rows = draw()
    pixels = [pixel for row in rows for pixel in row]
    expect = []
    for first in range(0, len(pixels), 8):
        values = ",".join(f"0x{int.from_bytes(bytes(p), 'little'):08x}" for p in pixels[first:first + 8])
        expect.append(f"gmem{(TARGET + 4 * first) // 32}:ud={values}")
    case = {"setup": "textured-quad.json", "set": [], "expect": expect}
    (PROGRAMS / "setups/textured-quad.json").write_text(json.dumps(setup(), indent=1) + "\n")
    (PROGRAMS / "textured-quad.json").write_text(json.dumps({"cases": [case]}, indent=0) + "\n")
    (PROGRAMS / "textured-quad.png").write_bytes(png(rows))


main()
