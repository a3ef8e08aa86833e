"""`python -m cornered` is the command line."""

from cornered.clients.cli import main

if __name__ == "__main__":
    main()
