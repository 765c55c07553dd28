"""Scenes built in Python: the keys, their meaning, and mistakes."""
import brim

print(brim.describe("time.dt_max"))

scene = brim.Scene(dimension=2, resolution={"spacing": 0.05})
scene.fluid.blocks.add(kind="box", min=[0, 0], max=[0.5, 1.5])  # higher than the domain
scene.time.until = -1
try:
    scene.check()
except brim.SceneError as e:
    for mistake in e.mistakes:
        print(mistake)

scene.fluid.blocks[0].max = [0.5, 0.8]
scene.time.until = 1
scene.check()
print(scene.text())
print(f"{scene.estimate()['particles']:.0f} particles")
