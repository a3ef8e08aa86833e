"""`python -m cornered` is the command line, or says what to install where that is missing."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from cornered.cli.main import main as run
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        _do_without(sys.argv[1:])
    else:
        run()


def _do_without(arguments: list[str]) -> None:
    """Answer for the command line that is not installed."""
    if arguments == ["--version"]:
        from cornered import __version__

        sys.stdout.write(f"cornered {__version__}\n")
        return
    from cornered.cli.missing_extra import NO_COMMAND_LINE

    sys.stderr.write(f"cornered: {NO_COMMAND_LINE}\n")
    raise SystemExit(2)


if __name__ == "__main__":
    main()
