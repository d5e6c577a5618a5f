"""docs/deploying.md: what it names must be there."""

import re

from tree import check


@check
def the_documentation_names_what_is_there(tree, code):
    text = tree.text("docs/deploying.md")
    for path in sorted(set(re.findall(r"(?<![\w/])deploy/[\w./-]*\w", text)) - {"deploy/compose.env"}):
        if not (tree.root / path).exists():
            yield f"{path} is not there"
    for name in sorted(set(re.findall(r"\bFK_\w+[A-Z]\b", text))):
        if name not in code.settings:
            yield f"nothing reads {name}"
    for link in re.findall(r"\]\(([\w./-]+)", text):
        if not (tree.root / "docs" / link).exists():
            yield f"{link} is not there"
    for overlay in ("dev", "production"):
        if f"deploy/k8s/overlays/{overlay}" not in text:
            yield f"the overlay {overlay} is not explained"
    for name in {name for one in ("dev", "production") for name in tree.kind(one, "NetworkPolicy")}:
        if f"`{name}`" not in text:
            yield f"the network policy {name} is not explained"
