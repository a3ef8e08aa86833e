import random

from cornered import run_bot


def choose(state, limit):
    return random.choice(state.moves())


if __name__ == "__main__":
    run_bot("my-first-bot", choose, server="ws://127.0.0.1:8420")
