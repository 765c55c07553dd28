"""Eight liquids at once, from water to honey: how far each has come."""
import numpy as np

import brim

viscosities = np.geomspace(1e-3, 10, 8)  # [Pa s]
scenes = []
for mu in viscosities:
    scene = brim.Scene(dimension=2, domain={"max": [1.5, 0.6]}, resolution={"spacing": 0.025}, fluid={"viscosity": mu})
    scene.fluid.blocks.add(kind="box", min=[0, 0], max=[0.4, 0.4])
    scenes.append(scene)

batch = brim.Batch(scenes)
batch.run(until=0.3)
for mu, tank in zip(viscosities, batch):
    print(f"{mu:8.3g} Pa s: front at {tank.position[:, 0].max():.2f} m")
