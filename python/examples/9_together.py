"""Two hundred small tanks as one state: read as one array, and each steered by a gravity of its own until its water stands aside."""
import numpy as np

import brim

scene = brim.Scene(dimension=2, domain={"max": [0.5, 0.5]}, resolution={"spacing": 0.025}, time={"dt": 0.004})
scene.solver = {"name": "pbf", "acceleration": "none", "tolerance": 0, "iterations": 4}
scene.fluid.blocks.add(kind="box", min=[0, 0], max=[0.5, 0.2])

batch = brim.Batch([scene] * 200, together=True)  # or device="cuda"
wanted = np.linspace(-0.1, 0.1, 200)  # [m] where each tank's centre of mass is to go, from the middle


def means(column):
    """Of each tank; a column holds the particles of all, tank after tank, and is not copied."""
    return np.add.reduceat(column, batch.offsets[:-1]) / np.diff(batch.offsets)


for step in range(200):
    away = means(batch.position[:, 0]) - 0.25 - wanted
    pull = -100 * away - 20 * means(batch.velocity[:, 0])
    batch.gravity = np.stack([pull, np.full(200, -9.81)], axis=1)
    batch.step()
print(f"mean distance {np.abs(wanted).mean():.3f} m -> {np.abs(away).mean():.3f} m after {batch.time[0]:.2f} s")
