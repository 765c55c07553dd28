"""A tank that is shaken sideways, as a gravity that turns: the level at its wall."""
import math

import brim

scene = brim.Scene(dimension=2, domain={"max": [0.6, 0.5]}, resolution={"spacing": 0.02})
scene.fluid.blocks.add(kind="box", min=[0, 0], max=[0.6, 0.2])
scene.gauges.add(name="wall", kind="level", from_=[0.02, 0], to=[0.02, 0.5])
simulation = brim.Simulation(scene)

k = math.pi / 0.6  # [1/m] of the first mode
omega = math.sqrt(9.81 * k * math.tanh(k * 0.2))  # [rad/s]
levels = []


def shake(s):
    s.gravity = [0.3 * math.sin(omega * s.time), -9.81]
    levels.append(s.gauges["wall"])


simulation.run(until=2.0, every=0.02, callback=shake)
print(f"period {2 * math.pi / omega:.2f} s; the level at the wall goes from {min(levels):.2f} to {max(levels):.2f} m")
