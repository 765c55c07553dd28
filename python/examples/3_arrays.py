"""The particles as numpy arrays: a vortex is written into a resting fluid, and its energy is watched."""
import numpy as np

import brim

scene = brim.Scene(dimension=2, gravity=[0, 0], resolution={"spacing": 0.02}, fluid={"viscosity": 0.5}, time={"dt_max": 2e-3})
scene.fluid.blocks.add(kind="box", min=[0, 0], max=[1, 1])
simulation = brim.Simulation(scene)

x = simulation.position + simulation.origin  # [m] in the scene
simulation.velocity[:, 0] = np.sin(np.pi * x[:, 0]) * np.cos(np.pi * x[:, 1])  # Taylor and Green
simulation.velocity[:, 1] = -np.cos(np.pi * x[:, 0]) * np.sin(np.pi * x[:, 1])

mass = simulation.facts["particle_mass"]  # [kg]
for _ in range(5):
    energy = 0.5 * mass * np.sum(simulation.velocity.astype(float) ** 2)
    print(f"t = {simulation.time:.2f} s: {energy:.1f} J")
    simulation.run(until=simulation.time + 0.02)
