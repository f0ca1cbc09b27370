"""`horae`, and `python -m horae`."""

from horae import memory


def main() -> None:
    memory.close()  # the environment may hold keys: before the imports, which take most of the startup time
    from horae.cli.app import main as command

    command()


if __name__ == "__main__":
    main()
