import random

from cornered import run_bot


def choose(state, limit):
    return random.choice(state.moves())


run_bot("my-first-bot", choose, server="ws://127.0.0.1:8420")
