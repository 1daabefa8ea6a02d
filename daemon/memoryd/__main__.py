"""`python -m memoryd`: the daemon, in the foreground."""

import sys


def main() -> int:
    """Run the daemon; without its packages, say how to get them."""
    try:
        from memoryd.assembly.app import main as run
    except ModuleNotFoundError as exc:
        sys.stderr.write(f"memoryd: the daemon needs the package {exc.name}: pip install 'memoryd[daemon]'\n")
        return 1
    return run()


if __name__ == "__main__":
    sys.exit(main())
