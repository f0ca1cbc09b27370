"""`python -m horae` is `horae`."""

from horae.cli.app import main

if __name__ == "__main__":
    main()
