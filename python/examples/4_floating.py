"""A box of half the water's density: how deep it floats, and what the water does to it."""
import brim

scene = brim.Scene(dimension=2, domain={"max": [1, 0.8]}, resolution={"spacing": 0.025}, solver={"name": "pbf", "iterations": 10})
scene.fluid.blocks.add(kind="box", min=[0, 0], max=[1, 0.4])
scene.bodies.add(name="box", kind="box", min=[0.4, 0.42], max=[0.6, 0.62], density=500)
scene.gauges.add(name="level", kind="level", from_=[0.15, 0], to=[0.15, 0.8])

simulation = brim.Simulation(scene)
box = simulation.bodies["box"]
simulation.run(until=1.0)
simulation.restart_averages()
simulation.run(until=1.5)
weight = 500 * 0.2 * 0.2 * 9.81  # [N], of a tank 1 m thick
draught = simulation.gauges["level"] - (box.position[1] - 0.1)
print(f"draught {draught:.3f} m of 0.2 m; the water lifts {box.force[1]:.0f} N, the box weighs {weight:.0f} N")
