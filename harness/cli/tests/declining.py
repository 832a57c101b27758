#!/usr/bin/env python3
"""The example engine, which declines execution size 16 when it comes to it, and with `all` every program."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "engines/python"))

from example import Example  # noqa: E402
from parallax_engine import DECLINED, Declined, serve  # noqa: E402


class Declining(Example):
    name = "declining"

    def load(self):
        super().load()
        if "all" in sys.argv:
            raise Declined("it is tired", 0)

    def step(self):
        instruction = self.decoded.get(self.ip)
        if instruction and instruction.channels == 16:
            return DECLINED, "no execution size 16"
        return super().step()


serve(Declining())
