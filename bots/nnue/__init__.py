"""Efficiently updatable neural networks (NNUE): evaluations that are learnt from games, for the compiled search.

A position is a set of features. The first layer is a sum of one column of weights for each feature, so that it is
updated by the few features that change (Y. Nasu, "Efficiently Updatable Neural-Network-based Evaluation Functions for
Computer Shogi", 2018). All inference is in integers: the trainer and the kernel give the same score to the last digit.
"""
