import pathlib

import pytest

import brim

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def source():
    """The folder of the sources, with scenes/."""
    return ROOT


@pytest.fixture
def dam():
    """A small dam in 2D: 500 particles. Its corner is not the origin, so that nobody mistakes one for the other."""
    scene = brim.Scene(
        dimension=2,
        domain={"min": [-1, -0.5], "max": [1, 0.5]},
        resolution={"spacing": 0.02},
        time={"until": 0.2, "dt_max": 2e-3},
        solver={"name": "pbf", "iterations": 3},
    )
    scene.fluid.blocks.add(kind="box", min=[-1, -0.5], max=[-0.6, 0])
    return scene


@pytest.fixture
def tank(dam):
    """The dam with all that can be moved by hand: a paddle on a motor, a floating box, a gate, and a gauge."""
    dam.bodies.add(name="box", kind="box", min=[0.2, -0.2], max=[0.4, 0.0], density=400)
    dam.bodies.add(name="paddle", kind="box", min=[0.6, -0.3], max=[0.65, 0.1], density=2000)
    dam.joints.add(name="axle", kind="hinge", a="paddle", point=[0.625, 0.1], motor_speed=0, motor_limit=50)
    dam.solids.add(name="gate", kind="box", min=[-0.55, -0.5], max=[-0.5, 0.4], motion={"velocity": [0, 0.5], "start": 0.05})
    dam.gauges.add(name="level", kind="level", from_=[-0.8, -0.5], to=[-0.8, 0.5])
    return dam
