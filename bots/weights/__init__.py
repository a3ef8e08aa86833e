"""Evaluations whose weights can be chosen: what there is to weigh in each game, and files of weights for bots."""
