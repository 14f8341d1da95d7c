#!/usr/bin/env python3
"""Models and sources name each other, and a function that has changed sends whoever changed it to its models.

usage: models.py ROOT                       prints each violation, exits 1 if there is one
       models.py --refresh MODEL... --compared TEXT
                                            after a look at the models: they agree with the code of now. TEXT says what
                                            has changed in the code and what was compared

The header of each tests/model/*.pml says which functions it models, in one line for each file:

    models: src/runtime/rank.cpp: announce_park, rank_context::look

An overloaded name stands for all functions of that name in the file. tests/model/functions.txt, which --refresh writes,
has a hash of each function as it was when its model was last compared with it; comments and white space do not count.
tests/model/comparisons.txt has a line for each model: a hash of all of its hashes, and what was compared. So nobody
refreshes a hash who has nothing to say about it.
"""
import hashlib
import re
import sys
from functools import cache
from pathlib import Path
from typing import Iterator, NamedTuple

from cxx_text import bare, comment_blocks, functions, without_comments
from source_files import CXX, files

MODELS = Path("tests/model")
HASHES = MODELS / "functions.txt"
HASHES_HEADER = "# model, file, function, hash: written by `python3 tests/house/models.py --refresh MODEL --compared TEXT`\n"
COMPARISONS = MODELS / "comparisons.txt"
COMPARISONS_HEADER = "# model, hash of its lines in functions.txt, what was compared: written by models.py --refresh\n"
FEWEST_WORDS = 4  # of what was compared
LINE = re.compile(r"^[ *]*models:\s*(\S+?):\s*(.*?)\s*$", re.MULTILINE)
NAMED = re.compile(r"\b(\w+)\.pml\b")


class Modelled(NamedTuple):
    """A function that a model names."""
    model: str
    file: str
    function: str


Hashes = dict[Modelled, str]


def header_of(model: Path) -> str:
    """The comment with which a model begins."""
    return model.read_text(encoding="utf-8").partition("*/")[0]


def named_by_models(root: Path) -> dict[str, list[Modelled]]:
    """What each model names; none if its header has no line for it."""
    found = dict[str, list[Modelled]]()
    for path in sorted((root / MODELS).glob("*.pml")):
        lines = LINE.findall(header_of(path))
        found[path.stem] = [Modelled(path.stem, file, name) for file, names in lines for name in re.split(", *", names)]
    return found


def named_by_sources(root: Path) -> Iterator[tuple[str, int, str]]:
    """Where a comment of a source names a model: file, line, model."""
    for path in files(root, ["src", "include"], CXX):
        for number, comment in comment_blocks(path.read_text(encoding="utf-8")):
            for name in NAMED.findall(comment):
                yield path.relative_to(root).as_posix(), number, name


@cache
def defined_in(source: str) -> list[tuple[str, str]]:
    """The functions that a source defines: each one's name and text, without comments and white space."""
    code = without_comments(source)
    return [(each.name, "".join(code[each.begin:each.end + 1].split())) for each in functions(bare(source))]


def texts_of(root: Path, file: str, function: str) -> list[str]:
    """All functions of that name in the file."""
    if not (root / file).is_file():
        return []
    all_functions = defined_in((root / file).read_text(encoding="utf-8"))
    return [text for name, text in all_functions if f"::{name}".endswith(f"::{function}")]


def hash_of(texts: list[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def read_hashes(root: Path) -> Hashes:
    if not (root / HASHES).exists():
        return {}
    lines = (root / HASHES).read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    return {Modelled(*row[:3]): row[3] for row in rows if len(row) == 4}


def text_of_hashes(hashes: Hashes) -> str:
    return HASHES_HEADER + "".join(f"{' '.join(each)} {hashes[each]}\n" for each in sorted(hashes))


def digest_of(model: str, hashes: Hashes) -> str:
    return hash_of([f"{each.file} {each.function} {hashes[each]}" for each in sorted(hashes) if each.model == model])


def read_comparisons(root: Path) -> dict[str, tuple[str, str]]:
    """Of each model the hash of its hashes, and what was compared."""
    if not (root / COMPARISONS).exists():
        return {}
    lines = (root / COMPARISONS).read_text(encoding="utf-8").splitlines()
    rows = [line.split(maxsplit=2) for line in lines if line.strip() and not line.startswith("#")]
    return {row[0]: (row[1], row[2]) for row in rows if len(row) == 3}


def comparisons_are_of_these_hashes(root: Path) -> Iterator[str]:
    hashes, said = read_hashes(root), read_comparisons(root)
    for model in sorted({each.model for each in hashes}):
        if model not in said or said[model][0] != digest_of(model, hashes):
            yield (f"{COMPARISONS}: nothing says what was compared when the hashes of {MODELS}/{model}.pml were last written: "
                   "write them by models.py --refresh")


def models_say_what_they_model(root: Path) -> Iterator[str]:
    for model, named in named_by_models(root).items():
        if not named:
            yield (f"{MODELS}/{model}.pml: its header does not say which functions it models: a line "
                   "\"models: src/FILE: FUNCTION, FUNCTION\" for each file")
        for each in named:
            if not (root / each.file).is_file():
                yield f"{MODELS}/{model}.pml: it models {each.function} in {each.file}, which is not there"
            elif not texts_of(root, each.file, each.function):
                yield f"{MODELS}/{model}.pml: it models {each.function}, which {each.file} does not define"


def functions_are_as_compared(root: Path) -> Iterator[str]:
    hashes = read_hashes(root)
    named = [each for of_model in named_by_models(root).values() for each in of_model]
    for each in named:
        refresh = f"look at {each.model}.pml, then `python3 tests/house/models.py --refresh {each.model} --compared TEXT`"
        if not (texts := texts_of(root, each.file, each.function)):
            continue  # models_say_what_they_model says so
        if each not in hashes:
            yield f"{each.function} in {each.file} has not been compared with {MODELS}/{each.model}.pml: {refresh}"
        elif hashes[each] != hash_of(texts):
            yield (f"{each.function} in {each.file} has changed since {MODELS}/{each.model}.pml was compared with it: "
                   f"{refresh}")
    for each in sorted(hashes.keys() - set(named)):
        yield (f"{HASHES}: {MODELS}/{each.model}.pml does not name {each.function} in {each.file}: "
               f"`python3 tests/house/models.py --refresh {each.model} --compared TEXT`")
    if hashes and (root / HASHES).read_text(encoding="utf-8") != text_of_hashes(hashes):
        yield f"{HASHES}: not as models.py writes it (sorted, no other lines): do not edit it"


def sources_name_their_models(root: Path) -> Iterator[str]:
    in_comments = {(file, name) for file, _, name in named_by_sources(root)}
    for model, named in named_by_models(root).items():
        for file in sorted({each.file for each in named}):
            if (root / file).is_file() and (file, model) not in in_comments:
                yield f"{file}: {MODELS}/{model}.pml models functions of it: no comment names {model}.pml"


def models_name_their_sources(root: Path) -> Iterator[str]:
    """A header may name the model of its source, and the other way round."""
    named = named_by_models(root)
    for file, number, model in named_by_sources(root):
        if model not in named:
            yield f"{file}:{number}: there is no {MODELS}/{model}.pml"
        elif Path(file).with_suffix("") not in {Path(each.file).with_suffix("") for each in named[model]}:
            yield f"{file}:{number}: {MODELS}/{model}.pml does not say that it models functions of this file"


RULES = [
    models_say_what_they_model,
    functions_are_as_compared,
    comparisons_are_of_these_hashes,
    sources_name_their_models,
    models_name_their_sources,
]


def violations(root: Path) -> list[str]:
    return [violation for rule in RULES for violation in rule(root)]


def refresh(root: Path, models: list[str], compared: str) -> list[str]:
    """Writes the hashes of these models anew, and what was compared. What stands against that, and then nothing is
    written."""
    named = named_by_models(root)
    # A name may be given as a shell completes it. A model that is gone has its lines taken out.
    wanted = [Path(model).name.removesuffix(".pml") for model in models]
    hashes = read_hashes(root)
    known = named.keys() | {each.model for each in hashes}
    wrong = [f"there is no {MODELS}/{model}.pml" for model in wanted if model not in known]
    wrong += [each for each in models_say_what_they_model(root) if Path(each.split(":")[0]).stem in wanted]
    said = read_comparisons(root)
    text = " ".join(compared.split())
    if len(text.split()) < FEWEST_WORDS:
        wrong.append("--compared has to say what has changed in the code, and what of the model was compared with it")
    wrong += [f"{model}.pml: this was said of the comparison before: say what was compared now"
              for model in wanted if model in said and said[model][1] == text]
    if not wrong:
        hashes = {each: old for each, old in hashes.items() if each.model not in wanted}
        for each in (each for model in wanted for each in named.get(model, [])):
            hashes[each] = hash_of(texts_of(root, each.file, each.function))
        (root / HASHES).write_text(text_of_hashes(hashes), encoding="utf-8")
        said = {model: its for model, its in said.items() if model in named}
        said |= {model: (digest_of(model, hashes), text) for model in wanted if model in named}
        lines = "".join(f"{model} {said[model][0]} {said[model][1]}\n" for model in sorted(said))
        (root / COMPARISONS).write_text(COMPARISONS_HEADER + lines, encoding="utf-8")
    return wrong


def main() -> int:
    if len(sys.argv) > 4 and sys.argv[1] == "--refresh" and sys.argv[-2] == "--compared":
        found = refresh(Path(__file__).resolve().parents[2], sys.argv[2:-2], sys.argv[-1])
    elif len(sys.argv) == 2 and not sys.argv[1].startswith("-"):
        root = Path(sys.argv[1])
        if not named_by_models(root):
            print(f"{root} has no models in {MODELS}: wrong folder?", file=sys.stderr)
            return 2
        found = violations(root)
        print(f"{len(read_hashes(root))} functions of {len(named_by_models(root))} models, {len(found)} violations")
    else:
        print(__doc__, file=sys.stderr)
        return 2
    for violation in found:
        print(violation)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
