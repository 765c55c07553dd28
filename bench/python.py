"""What Python costs: steps against `brim run`, and how long a million positions take to reach numpy.

    PYTHONPATH=build/python /usr/bin/python3 bench/python.py [SCENE]

Processor time of whole processes on one thread, the least of several runs: other users of the machine disturb it less than wall time.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import brim

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETTINGS = {"output.frames_per_second": 0, "time.until": 3, "resolution.spacing": 0.01}
IN_PYTHON = """
import sys, brim
scene = brim.Scene.load(sys.argv[1], set={settings})
simulation = brim.Simulation(scene, threads=1)
calls = []
simulation.run(callback=(lambda s: calls.append(s.time) and None) if sys.argv[2] == "callback" else None)
print(simulation.steps, simulation.state_hash())
"""


def processor_time(words):
    before = os.times()
    subprocess.run(words, check=True, capture_output=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def steps(scene, repeats=5):
    idle = min(processor_time([sys.executable, "-c", "import brim"]) for _ in range(3))
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        code = IN_PYTHON.replace("{settings}", repr(SETTINGS))
        ways = {
            "brim run": [brim.command.path(), "run", scene, "--threads", "1", "--quiet", "--overwrite", "--out", folder + "/run"]
            + [w for k, v in SETTINGS.items() for w in ("--set", f"{k}={v}")],
            "run(until)": [sys.executable, "-c", code, scene, "plain"],
            "run(until, callback) at every step": [sys.executable, "-c", code, scene, "callback"],
        }
        for _ in range(repeats):
            for name, words in ways.items():
                best[name] = min(best.get(name, 1e9), processor_time(words) - (0 if name == "brim run" else idle))
    for name, seconds in best.items():
        print(f"{name:36s} {seconds:6.2f} s  {100 * (seconds / best['brim run'] - 1):+.1f} %")
    print(f"(import brim: {idle:.2f} s, taken off)")


def arrays():
    scene = brim.Scene(dimension=2, domain={"max": [1, 1]}, resolution={"spacing": 0.001})
    scene.fluid.blocks.add(kind="box", min=[0, 0], max=[1, 1])
    simulation = brim.Simulation(scene)
    took = []
    for _ in range(200):
        start = time.perf_counter()
        x = simulation.position
        took.append(time.perf_counter() - start)
        del x
    took.sort()
    print(f"positions of {simulation.count} particles: {1e6 * took[100]:.1f} us in the middle of 200, {1e6 * took[-1]:.1f} us at most")


if __name__ == "__main__":
    steps(sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "scenes/dam_break_2d.toml"))
    arrays()
