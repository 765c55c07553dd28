"""Brim simulates incompressible liquids: particles and grids, in 2D and 3D, with bodies, cloth and moving solids.

    import brim

    scene = brim.Scene.load("dam.toml")          # or built in Python, with the same keys
    simulation = brim.Simulation(scene)
    simulation.run(until=1.0)                     # [s]
    simulation.position                           # numpy, (n, dimension), the simulation's own memory
    simulation.state()                            # a copy, ordered by id; a picture in a notebook

Classes and functions:

    Scene                  what is simulated; brim.describe() tells all keys
    Simulation, State      a scene in motion, and a copy of its state
    Batch                  many small simulations on all cores, or together on a GPU
    Tank, TankGroup        one of those that step together, and the state that they are
    run, Run               a run in a folder, as `brim run` makes it, and what it left
    compare, sweep         pages about several runs
    validate               every solver against experiments
    dataset, Dataset       trajectories of varied scenes, for learning
    render, surface        pictures, films and meshes
    view                   the live viewer, also within a notebook
    SceneError, Failure, Diverged      what can go wrong
    describe, solvers, devices, flavours   what there is

All numbers are in SI units: metres, seconds, kilograms, radians.
"""
from .batch import Batch
from .data import Dataset, dataset
from .errors import BrimError, Diverged, Failure, Mistake, SceneError
from .keys import describe
from .runs import Frames, Report, Run, View, compare, render, run, surface, sweep, validate, view
from .scene import Scene, Table, Tables
from .simulation import Body, Joint, Simulation, Solid, State, Statistics
from .tanks import Tank, TankGroup
from . import _core

# What help(brim) shows.
__all__ = [
    "Scene", "Simulation", "State", "Body", "Joint", "Solid", "Statistics", "Batch", "Tank", "TankGroup", "Run", "Frames", "Report", "View", "Table", "Tables",
    "Dataset", "run", "dataset", "compare", "sweep", "validate", "render", "surface", "view", "describe", "solvers", "devices", "flavours", "picture_styles", "surface_methods",
    "SceneError", "Mistake", "Failure", "Diverged", "BrimError",
]


def solvers():
    """The solvers: name -> (source, what it does)."""
    return {s["name"]: (s["source"], s["text"]) for s in _core.solvers()}


def devices():
    """What ``device`` may be on this machine, each with what it is, or why it is not there."""
    return dict(_core.devices())


def flavours():
    """The variants of the library that this CPU can run, best first: "cpu32-v4" (single precision, AVX-512), "cpu64-v3" (double, AVX2), ..."""
    return _core.flavours()


def picture_styles():
    """What ``style`` may be where pictures are drawn."""
    return _core.picture_styles()


def surface_methods():
    """What ``method`` may be where surfaces are made."""
    return _core.surface_methods()
