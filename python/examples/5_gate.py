"""A gate that Python opens when it wants to, by what a gauge reads."""
import brim

scene = brim.Scene(dimension=2, domain={"max": [2, 1]}, resolution={"spacing": 0.025})
scene.fluid.blocks.add(kind="box", min=[0, 0], max=[0.6, 0.5])
scene.solids.add(name="gate", kind="box", min=[0.6, 0], max=[0.65, 0.9], motion={"velocity": [0, 0.01]})
scene.gauges.add(name="downstream", kind="level", from_=[1.2, 0], to=[1.2, 1])

simulation = brim.Simulation(scene)
gate = simulation.solids["gate"]
gate.velocity = [0, 0.5]  # [m/s] it opens


def control(s):
    if s.gauges["downstream"] > 0.08 and gate.velocity[1] > 0:
        gate.velocity = [0, -1e-6]  # enough: it stops (a solid that may still move keeps a motion)
        print(f"t = {s.time:.2f} s: {s.gauges['downstream']:.2f} m downstream, the gate stops at {gate.position[1]:.2f} m")


simulation.run(until=1.0, every=0.02, callback=control)
