"""Whether a comment begins with a pronoun: with "It is freed" a reader has to guess, or to look elsewhere, what is freed.

A scanner of first words, no parser of English. "This rank's part" and "Those elements of the range" name a thing, "That a
rank waits is known" is a clause: none of these is a pronoun. A phrase without a capital letter goes on with the line that
it stands on (`if (is_freed) return;  // it was cancelled`), and is let stand. source_rules_test.py has examples of each.
"""
import io
import re
import tokenize
from typing import Iterator

from cxx_text import comment_blocks

# Where they come first, they are never followed by what they mean.
ALWAYS = {"It", "He", "She", "They", "Its", "Their", "His", "Them"}
# Words that may go with a noun, but stand alone before one of the words below, before a verb in -s, and before a stop.
DEMONSTRATIVE = {"This", "That", "These", "Those"}
VERBS = set("is are was were has have had does do did will would can could may might must shall should cannot need hold keep "
            "wait take come go make give stand say tell lie use see know get belong stay look let end begin".split())
OTHERS = set("of that which who whom whose in on at to for from with by without between before after behind above below "
             "as when where here there only also never always alone then now still again not and or but".split())
NOUN_IN_S = re.compile(r"(?:ss|us|is|ias|'s|s')$")
FIRST_WORDS = re.compile(r"[\s*/!<>#-]*([A-Z][a-z]*)\b(\W*?)[\s/#*]*(?:([\w']+)|$)")


def pronoun_at_first(text: str) -> str | None:
    """The pronoun that is the subject of the comment's first sentence, or owns it; None if there is none."""
    if (found := FIRST_WORDS.match(text)) is None:
        return None
    first, stop, second = found[1], found[2].strip(), found[3] or ""
    if first in ALWAYS:
        return first
    if first not in DEMONSTRATIVE or stop.startswith(("`", "\"", "(", "'", "<", "-")):
        return None
    is_verb = first in ("This", "That") and re.fullmatch(r"[a-z]+s", second) and not NOUN_IN_S.search(second)
    return first if stop or not second or second in VERBS | OTHERS or is_verb else None


def points_elsewhere(text: str) -> bool:
    """Whether the comment begins with "Of", "What" or "The same": pronouns in other clothes, for what they speak of has to
    be looked for."""
    return re.match(r"[\s*/!<>#-]*(?:Of|What|The same)\b", text) is not None


def comments_of_script(text: str) -> Iterator[tuple[int, str]]:
    """The comments of a shell script, of CMake or of a Makefile, with the numbers of their first lines."""
    was_comment = False
    for number, line in enumerate(text.splitlines(), 1):
        is_alone = line.lstrip().startswith("#")
        if is_alone and not was_comment:
            yield number, line
        elif not is_alone and (found := re.search(r"\s#( .*)", line)):
            yield number, found[1]
        was_comment = is_alone


def comments_of_python(text: str) -> Iterator[tuple[int, str]]:
    """The comments and the docstrings, with the numbers of their first lines."""
    last, is_first = 0, True  # of a statement
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        number = token.start[0]
        if token.type == tokenize.COMMENT:
            is_alone = not token.line[:token.start[1]].strip()
            if not (is_alone and last == number - 1):
                yield number, token.string
            last = number if is_alone else 0
        elif token.type == tokenize.STRING and is_first:
            yield number, token.string.lstrip("rRfF\"'")
        if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
            is_first = token.type == tokenize.NEWLINE


def comments_of(suffix: str, text: str) -> Iterator[tuple[int, str]]:
    if suffix in (".cpp", ".hpp", ".h", ".pml", ".inc"):
        return comment_blocks(text)
    is_python = suffix == ".py" or re.match(r"#!.*python", text)
    return comments_of_python(text) if is_python else comments_of_script(text)
