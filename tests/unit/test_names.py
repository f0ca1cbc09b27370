"""One word, one thing: no two public classes of one name. The SDK has its own, which are the nouns of the API."""

import ast
from collections import defaultdict
from pathlib import Path

import horae

ROOT = Path(horae.__file__).parent


def test_no_two_public_classes_have_one_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in ROOT.rglob("*.py"):
        module = path.relative_to(ROOT)
        if module.parts[0] == "sdk" or "versions" in module.parts:
            continue
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(module))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
