"""Looks ahead with alpha-beta as deep as the time allows. For games of two players without dice."""

WIN = 1000


def choose(state, limit):
    """Return a move of state.moves(), in limit.remaining seconds (None without a clock)."""
    best = state.moves()
    for depth in range(1, 20 if limit.time else 3):
        try:
            scores = {move: -search(state.play(move), depth - 1, -WIN, WIN, len(best), limit) for move in best}
        except TimeoutError:
            break
        # Among moves of equal value the best one of the shorter search stays first.
        best = sorted(best, key=scores.get, reverse=True)
    return best[0]


def search(state, depth, alpha, beta, before, limit):
    """Return the value for the player to move: its moves less those that the other one had `before`."""
    if limit.time and limit.remaining < 0.01:
        raise TimeoutError
    if state.outcome is not None:
        return 0 if state.outcome.winner is None else WIN if state.outcome.winner == state.to_move else -WIN
    moves = state.moves()
    if depth == 0:
        return len(moves) - before
    for move in moves:
        alpha = max(alpha, -search(state.play(move), depth - 1, -beta, -alpha, len(moves), limit))
        if alpha >= beta:
            break
    return alpha
