"""A paddle learns to keep a ball in place.

A ball floats in a tank, and a wind pushes it to the left. A motorised paddle there makes waves that carry it back, and a linear policy, found by random search (Mania, Guy
& Recht 2018, its simplest form), tells the motor its speed. `PaddleTanks` has the form of gymnasium's vector environments, without needing it:
reset() -> observations, step(actions) -> observations, rewards, terminated, truncated, infos. All tanks of a generation go on side by side.

    python3 paddle.py [generations]
"""
import sys

import numpy as np

import brim


class PaddleTanks:
    """`count` tanks. Observation: the ball's place and velocity, the paddle's angle, the sine and cosine of a clock. Action: the speed of the motor,
    -1 to 1. Reward: minus the ball's distance [m] from its place, after every action."""

    place = 0.9  # [m] where the ball belongs
    interval = 0.05  # [s] between actions
    length = 4.0  # [s] of an episode
    fastest = 4.0  # [rad/s] of the motor
    wind = -3.0  # [N] on the ball
    observations, actions = 5, 1

    def __init__(self, count):
        self.batch = brim.Batch([self.scene()] * count)
        self.start = [t.save() for t in self.batch]

    def scene(self):
        scene = brim.Scene(dimension=2, domain={"max": [1.6, 0.7]}, resolution={"spacing": 0.04}, time={"dt_max": 0.01})
        scene.solver = {"name": "pbf", "iterations": 3}
        scene.fluid.blocks.add(kind="box", min=[0, 0], max=[1.6, 0.28])
        scene.bodies.add(name="ball", kind="sphere", centre=[0.9, 0.3], radius=0.07, density=400)
        scene.bodies.add(name="paddle", kind="box", min=[0.22, 0.06], max=[0.26, 0.5], density=1500)
        scene.joints.add(name="axle", kind="hinge", a="paddle", point=[0.24, 0.5], low=-0.6, high=0.6, motor_speed=0, motor_limit=200)
        return scene

    def observe(self):
        rows = []
        for tank in self.batch:
            ball, clock = tank.bodies["ball"], 2 * np.pi * tank.time
            rows.append([ball.position[0] - self.place, ball.velocity[0], tank.joints["axle"].position, np.sin(clock), np.cos(clock)])
        return np.array(rows)

    def reset(self):
        for tank, state in zip(self.batch, self.start):
            tank.restore(state)
            tank.bodies["ball"].apply(force=[self.wind, 0])
        self.count = 0
        return self.observe(), {}

    def step(self, actions):
        for tank, action in zip(self.batch, np.clip(actions, -1, 1)):
            tank.joints["axle"].motor_speed = self.fastest * float(action)
        self.count += 1
        self.batch.run(until=self.count * self.interval)
        seen = self.observe()
        failed = np.array([k in self.batch.failures for k in range(len(self.batch))])
        over = np.full(len(self.batch), self.count * self.interval >= self.length - 1e-9)
        return seen, -np.abs(seen[:, 0]), failed, over, {}


def returns(tanks, policies):
    """The mean reward of each policy, one for each tank."""
    seen, _ = tanks.reset()
    total, steps, over = np.zeros(len(policies)), 0, False
    while not over:
        actions = np.tanh(np.einsum("ko,ko->k", policies, seen))
        seen, reward, failed, truncated, _ = tanks.step(actions)
        total += reward
        steps += 1
        over = truncated[0]
    return total / steps


def learn(generations=12, count=8, seed=2, show=print):
    """Random search: the best policy, its return, and that of a paddle at rest."""
    random = np.random.default_rng(seed)
    tanks = PaddleTanks(count)
    best = np.zeros(tanks.observations)
    rest = value = returns(tanks, np.zeros((count, tanks.observations)))[0]
    show(f"at rest: the ball is {-rest:.3f} m away in the mean")
    for g in range(generations):
        tried = best + random.normal(scale=3 * 0.85**g, size=(count, tanks.observations))
        values = returns(tanks, tried)
        if values.max() > value:
            best, value = tried[values.argmax()], values.max()
        show(f"generation {g + 1}: {-value:.3f} m")
    return best, value, rest


if __name__ == "__main__":
    learn(int(sys.argv[1]) if len(sys.argv) > 1 else 12)
