"""Attacks on a real server process, beside players whose latency is measured: `cornered bench attacks`."""
