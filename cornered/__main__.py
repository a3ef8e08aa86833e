"""`python -m cornered` is the command line."""

from cornered.cli.main import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
