"""One state, two futures: a state in memory is the start of several runs."""
import brim

scene = brim.Scene(dimension=2, domain={"max": [1.5, 1]}, resolution={"spacing": 0.025})
scene.fluid.blocks.add(kind="box", min=[0, 0], max=[0.5, 0.6])
simulation = brim.Simulation(scene)
simulation.run(until=0.2)
state = simulation.save()

simulation.run(until=0.4)
first = simulation.state_hash()

simulation.restore(state)
simulation.run(until=0.4)
print("the same bits again:", simulation.state_hash() == first)

simulation.restore(state)
simulation.gravity = [0, 9.81]  # and what if everything were turned over?
simulation.run(until=0.4)
print(f"turned over, the fluid's middle is at {simulation.position[:, 1].mean():.2f} m")
