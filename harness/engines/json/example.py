#!/usr/bin/env python3
"""An engine of one instruction, without a kit: `not` on doublewords of G45, in lines of JSON.

    parallax run --device g45 --engine "cmd:python3 harness/engines/json/example.py" --time 10s
"""

import json
import sys

STRIDES = [0, 1, 2, 4, 8, 16, 32]


def execute(word, r):
    """Executes `not`; gives the place and the bytes of what it writes."""
    field = lambda high, low: word >> low & (1 << high - low + 1) - 1
    start, width = field(76, 69) * 32 + field(68, 64), 1 << field(84, 82)
    target, writes, results = field(60, 53) * 32 + field(52, 48), [], []
    for channel in range(1 << field(23, 21)):
        place = start + 4 * (channel // width * STRIDES[field(88, 85)] + channel % width * STRIDES[field(81, 80)])
        value = field(127, 96) if field(38, 37) == 3 else int.from_bytes(r[place:place + 4], "little")
        results.append((~value & 0xFFFFFFFF).to_bytes(4, "little"))
    for channel, result in enumerate(results):
        place = target + 4 * channel * STRIDES[field(62, 61)]
        if field(33, 32) == 1:
            r[place:place + 4] = result
            writes.append(["r", place, result.hex()])
    return writes


def say(message, /, **fields):
    print(json.dumps({message: fields}), flush=True)


say("hello", protocol=1, name="json-example", devices=["g45"], banks=["r", "ip"],
    instructions=["not"], types=["ud", "d"], features=[])
program, banks = b"", {}
for line in sys.stdin:
    ((question, fields),) = json.loads(line).items()
    number = fields["number"]
    if question in ("case", "start"):
        program = bytes.fromhex(fields["program"]) if question == "case" else program
        banks = {"r": bytearray(4096), "ip": bytearray(4)}
    for bank, place, data in fields.get("state", []):
        banks[bank][place:place + len(data) // 2] = bytes.fromhex(data)
    if question in ("case", "start", "write"):
        say("ready", number=number)
    if question in ("step", "run"):
        steps = []
        for _ in range(fields["most"]):
            ip = int.from_bytes(banks["ip"], "little")
            if ip == len(program):
                steps.append({"flow": "halted", "state": []})
                break
            writes = execute(int.from_bytes(program[ip:ip + 16], "little"), banks["r"])
            banks["ip"] = bytearray((ip + 16).to_bytes(4, "little"))
            steps.append({"flow": "continue", "state": writes + [["ip", 0, banks["ip"].hex()]]})
        if question == "step":
            say("stepped", number=number, steps=steps)
        else:
            everything = [write for step in steps for write in step["state"]]
            say("ran", number=number, flow=steps[-1]["flow"], state=everything)
