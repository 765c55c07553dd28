"""A dam breaks: how far the front is, beside the shallow-water solution of Ritter (1892), as a plot."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import brim

depth = 0.4  # [m]
scene = brim.Scene(dimension=2, domain={"max": [2.5, 1]}, resolution={"spacing": 0.02}, time={"until": 0.4})
scene.fluid.blocks.add(kind="box", min=[0, 0], max=[0.8, depth])

times, fronts = [], []
simulation = brim.Simulation(scene)
simulation.run(every=0.02, callback=lambda s: (times.append(s.time), fronts.append(s.position[:, 0].max())) and None)

plt.plot(times, fronts, "o", label="Brim")
plt.plot(times, 0.8 + 2 * np.sqrt(9.81 * depth) * np.array(times), label="Ritter: without friction and viscosity")
plt.xlabel("time [s]"), plt.ylabel("front [m]"), plt.legend()
plt.savefig("dam_break.png")
print(f"after {times[-1]:.2f} s the front is at {fronts[-1]:.2f} m")
