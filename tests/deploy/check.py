"""Runs every check on the tree, then breaks copies of it to see that each check notices.

    check.py            everything
    check.py WORD...    only checks with a WORD in their names
"""

import sys
from pathlib import Path

import compose, image, kubernetes, network, observability, words  # noqa: E401, F401 - they register their checks
from facts import Code
from mutations import MUTATIONS
from tree import CHECKS, ToolMissing, Tree, altered


def wrong(check, tree, code):
    """What a check tells; one that stumbles has found something too."""
    try:
        yield from check(tree, code)
    except ToolMissing:
        raise
    except Exception as error:
        yield f"{type(error).__name__}: {error}"


def overlooked(mutation, tree, code, known):
    """Whether a mutation brings nothing new to what is known to be wrong."""
    try:
        with altered(tree.root, mutation.file, mutation.old, mutation.new) as copy:
            if any(problem not in known for problem in wrong(CHECKS[mutation.check], copy, code)):
                return []
    except LookupError as stale:
        return [f"cannot try {mutation.title}: {stale}"]
    return [f"does not notice {mutation.title}"]


def results(tree, code, only):
    """For every check and every mutation: its name, and what is wrong."""
    for name, check in CHECKS.items():
        if only and not any(word in name for word in only):
            continue
        try:
            known = list(wrong(check, tree, code))
            yield name, known
            for mutation in (it for it in MUTATIONS if it.check == name):
                yield name, overlooked(mutation, tree, code, known)
        except ToolMissing as missing:
            yield name, missing
    for mutation in MUTATIONS:
        if mutation.check not in CHECKS:
            yield mutation.check, [f"is no check, but should notice {mutation.title}"]


def main(only):
    root = Path(__file__).resolve().parents[2]
    passed = failed = skipped = 0
    for name, problems in results(Tree(root), Code(root), only):
        if isinstance(problems, ToolMissing):
            print(f"skipped {name}: {problems}")
            skipped += 1
            continue
        passed, failed = passed + (not problems), failed + bool(problems)
        for problem in problems:
            print(f"FAILED {name}: {problem}")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
