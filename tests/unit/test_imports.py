"""What the import contract in pyproject.toml cannot say."""

from graphlib import TopologicalSorter

import grimp


def test_modules_do_not_import_each_other_in_a_circle():
    """Not even inside of functions, but for a child of `horae up`, which is the whole program again."""
    graph = grimp.build_graph("horae", exclude_type_checking_imports=True, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    imports["horae.cli.up.up"].remove("horae.cli.app")
    TopologicalSorter(imports).prepare()  # or CycleError, which names them
