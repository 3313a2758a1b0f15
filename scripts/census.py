"""Counts what makes a tree easy or hard to live in: python scripts/census.py [SRC].

It prints one table and never fails: a report, so that a change for the worse is seen.
"""

import ast
import io
import keyword
import re
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import combinations, pairwise
from pathlib import Path

WIDTH = 100  # characters of a line
SHARED = 6  # lines that two places have in common
DISTINCT = 3  # shapes among them at least: lists and tables repeat themselves
COUNTED = ("Policy", "Learner")  # classes


def main() -> None:
    source = Path(sys.argv[1] if len(sys.argv) > 1 else "src/bandstrap")
    files = {path: path.read_text(encoding="utf-8") for path in sorted(source.rglob("*.py"))}
    folders = Counter(path.parent for path in files)
    folder, most = folders.most_common(1)[0]
    rows = {
        "lines": sum(text.count("\n") for text in files.values()),
        f"lines over {WIDTH} characters": sum(
            len(line) > WIDTH for text in files.values() for line in text.splitlines()
        ),
        "files": len(files),
        "folders": len(folders),
        f"files in the largest folder ({folder.relative_to(source.parent)})": most,
        **{f"methods of {name}": methods(files, name) for name in COUNTED},
        "modules with one importer": lonely(source, files),
        f"pairs of places that share {SHARED} lines": pairs(files, exactly),
        f"pairs of places that share the shape of {SHARED} lines": pairs(files, shape),
    }
    for name, value in rows.items():
        print(f"{value:>8,}  {name}")


def methods(files: dict[Path, str], name: str) -> int:
    """Methods and properties of a class, private ones included."""
    for text in files.values():
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                return sum(isinstance(each, ast.FunctionDef) for each in node.body)
    return 0


def lonely(source: Path, files: dict[Path, str]) -> int:
    """Modules that just one other module imports."""
    importers: defaultdict[str, set[Path]] = defaultdict(set)
    for path, text in files.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module:
                for module in (node.module, *(f"{node.module}.{each.name}" for each in node.names)):
                    importers[module].add(path)
            elif isinstance(node, ast.Import):
                for each in node.names:
                    importers[each.name].add(path)
    modules = [
        ".".join(path.relative_to(source.parent).with_suffix("").parts)
        for path in files
        if path.name != "__init__.py"
    ]
    return sum(len(importers[module]) == 1 for module in modules)


def exactly(line: str) -> str:
    return " ".join(line.split())


def shape(line: str) -> str:
    """The line with names, texts and numbers alike."""
    return re.sub(r"\"[^\"]*\"|\w+", _alike, exactly(line))


def _alike(found: re.Match[str]) -> str:
    return found[0] if keyword.iskeyword(found[0]) else "x"


def pairs(files: dict[Path, str], form: Callable[[str], str]) -> int:
    """Pairs of places, each counted once however long the run that they share."""
    places: defaultdict[tuple[str, ...], list[tuple[Path, int]]] = defaultdict(list)
    for path, text in files.items():
        lines = [form(line) for line in code_lines(text)]
        for start in range(len(lines) - SHARED + 1):
            window = tuple(lines[start : start + SHARED])
            if len(set(window)) >= DISTINCT:
                places[window].append((path, start))
    runs: defaultdict[tuple[Path, Path], list[tuple[int, int]]] = defaultdict(list)
    for found in places.values():
        for (one, at), (other, there) in combinations(found, 2):
            if one != other or there >= at + SHARED:
                runs[one, other].append((at, there))
    return sum(_apart(found) for found in runs.values())


def _apart(found: list[tuple[int, int]]) -> int:
    """How many runs these are: one goes on where both places move a line ahead."""
    found.sort(key=lambda place: (place[1] - place[0], place[0]))
    return 1 + sum(b != (a[0] + 1, a[1] + 1) for a, b in pairwise(found))


def code_lines(text: str) -> list[str]:
    """Lines that do something: no comments, blank lines, imports, docstrings or lone brackets."""
    skipped: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.stmt) and (alone or isinstance(node, ast.Import | ast.ImportFrom)):
            skipped.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    kept: defaultdict[int, list[str]] = defaultdict(list)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT,
                              tokenize.DEDENT, tokenize.ENDMARKER):  # fmt: skip
            kept[token.start[0]].append(token.string)
    lines = [" ".join(kept[number]) for number in sorted(kept) if number not in skipped]
    return [line for line in lines if re.search(r"\w", line)]


if __name__ == "__main__":
    main()
