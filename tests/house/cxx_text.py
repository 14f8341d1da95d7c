#!/usr/bin/env python3
"""Finds comments, functions, classes and loops in a C++ source, for the rules of this folder: a scanner of brackets, no parser.

It knows the C++ of this repository. Whatever it does not understand it skips: a rule that names a function then says
that the function is not there. cxx_text_test.py has an example of each form.
"""
import re
from dataclasses import dataclass
from typing import Iterator

TOKEN = re.compile(r"""//[^\n]* | /\*.*?\*/                                     # a comment
                     | R"([^()\s]{0,16})\(.*?\)\1" | "(?:[^"\\\n]|\\.)*"         # a text
                     | (?<![0-9a-zA-Z_])'(?:[^'\\\n]|\\.)*'                     # a character, not a digit separator
                     | ^[ \t]*\#(?:[^\n\\]|\\.)*                                # a directive""",
                   re.VERBOSE | re.DOTALL | re.MULTILINE)
ACCESS = re.compile(r"\s*(?:public|private|protected)\s*:(?!:)")
DECORATION = re.compile(r"\[\[.*?\]\]|\balignas\s*\([^()]*(?:\([^()]*\))?[^()]*\)|\bextern\s*\"\s*\"", re.DOTALL)
TEMPLATE = re.compile(r"<[^<>()]*(?:\([^()]*\)[^<>()]*)?>")
# With parameters that are templates, too.
HEAD_OF_TEMPLATE = re.compile(r"\btemplate\s*<(?:[^<>{;]|<(?:[^<>{;]|<[^<>{;]*>)*>|(?<=-)>)*>(?=\s)")
TYPE = re.compile(r"\s*(?:typedef\s+)?(?:class|struct|union|enum)\b(?:\s+(?:class|struct)\b)?\s*((?:\w+::)*\w*)"
                  r"[^()=]*$")
NAME = re.compile(r"((?:\w+\s*::\s*)*(?:\boperator\s*(?:\(\)|[^\s\w(]+|[\w:*& ]+)|~?\w+))\s*\(")
NO_NAME = {"if", "for", "while", "switch", "catch", "return", "void", "bool", "int", "char", "double", "noexcept",
           "decltype", "requires", "static_assert", "sizeof", "alignof", "explicit", "__attribute__"}
NO_MEMBER = re.compile(r"\s*(?:using|friend|static_assert|typedef|class|struct|union|enum)\b")
LOOP = re.compile(r"\b(while|for|do)\b")


@dataclass(frozen=True)
class Function:
    name: str  # qualified by the classes that it is written in or names itself, not by namespaces that surround it
    written: str  # its name as it stands there: a class of it is seen from outside
    begin: int
    body: int  # of its opening brace
    end: int


@dataclass(frozen=True)
class Class:
    name: str  # qualified likewise
    begin: int  # of what is inside
    end: int
    members: int  # functions and data that it declares itself: no types, no friends, nothing that is deleted or defaulted


@dataclass(frozen=True)
class Loop:
    kind: str  # while, do, or for
    begin: int
    condition: str  # empty: for ever; of a for over a range its whole head
    body: str


def blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def without_comments(text: str) -> str:
    """Comments are blanks; every other character stays where it was."""
    return TOKEN.sub(lambda found: blank(found[0]) if found[0].startswith(("//", "/*")) else found[0], text)


def bare(text: str) -> str:
    """Without comments, contents of texts, and directives; every other character stays where it was."""
    def replaced(found: re.Match[str]) -> str:
        token = found[0]
        is_text = token[0] in "\"'R" and len(token) > 1
        return token[0].replace("R", '"') + blank(token[1:-1]) + token[-1] if is_text else blank(token)
    return TOKEN.sub(replaced, text)


def comment_blocks(text: str) -> Iterator[tuple[int, str]]:
    """The comments with the numbers of their first lines; those of lines that follow each other are one."""
    begun, last, lines = 0, 0, list[str]()
    for found in TOKEN.finditer(text):
        if not found[0].startswith(("//", "/*")):
            continue
        line = text.count("\n", 0, found.start()) + 1
        is_alone = not text[text.rfind("\n", 0, found.start()) + 1:found.start()].strip()
        if lines and not (line == last + 1 and is_alone):
            yield begun, "\n".join(lines)
            lines = []
        if not lines:
            begun = line
        lines.append(found[0])
        last = line + found[0].count("\n")
    if lines:
        yield begun, "\n".join(lines)


def closing(code: str, at: int) -> int:
    """Where the bracket at `at` is closed; the end of the code if nowhere."""
    opened = code[at]
    closed = {"(": ")", "{": "}", "[": "]"}[opened]
    depth = 0
    for found in re.compile("[" + re.escape(opened + closed) + "]").finditer(code, at):
        depth += 1 if found[0] == opened else -1
        if depth == 0:
            return found.start()
    return len(code) - 1


def function_name(head: str) -> str | None:
    """The name of the function whose head this is, or None if it is something else's."""
    plain = DECORATION.sub(" ", head)
    while (shorter := TEMPLATE.sub(" ", plain)) != plain and not re.search(r"\boperator\b", plain):
        plain = shorter
    for found in NAME.finditer(plain):
        name = re.sub(r"\s+", "", found[1])
        if name.split("::")[-1] in NO_NAME:
            continue
        return None if "=" in plain[:found.start()] else name
    return None


def is_in_initializers(head: str) -> bool:
    """Whether a brace after this head of a function belongs to a member that its constructor initializes."""
    return bool(re.search(r"\)[^():]*(?<!:):(?!:)", head)) and bool(re.search(r"[\w>]\s*$", head))


def functions(code: str) -> Iterator[Function]:
    """The functions that are defined in bare code, also in its classes. Not lambdas."""
    yield from functions_in(code, 0, len(code), "")


def functions_in(code: str, begin: int, end: int, scope: str) -> Iterator[Function]:
    head, at = begin, begin
    while at < end:
        if code[at] == "(":
            at = closing(code, at)
        elif code[at] == "{":
            if label := ACCESS.match(code, head):
                head = label.end()
                continue
            last = closing(code, at)
            before = code[head:at]
            plain = TEMPLATE.sub(" ", DECORATION.sub(" ", HEAD_OF_TEMPLATE.sub(" ", before)))
            name = function_name(before)
            if re.match(r"\s*(?:inline\s+)?namespace\b", plain) or not plain.strip():
                yield from functions_in(code, at + 1, last, scope)
                head = last + 1
            elif found := TYPE.match(plain):
                yield from functions_in(code, at + 1, last, f"{scope}{found[1].strip()}::")
                head = last + 1
            elif name is not None and not is_in_initializers(before):
                start = head + len(before) - len(before.lstrip())
                yield Function(scope + name, name, start, at, last)
                head = last + 1
            elif re.match(r"\s*catch\b", plain):
                head = last + 1
            at = last
        elif code[at] in ";}":
            head = at + 1
        at += 1


def classes(code: str) -> Iterator[Class]:
    """The classes that bare code defines, also those in others."""
    yield from classes_in(code, 0, len(code), "")


def classes_in(code: str, begin: int, end: int, scope: str) -> Iterator[Class]:
    for kind, name, first, last in pieces(code, begin, end):
        if kind == "type":
            yield Class(scope + name, first, last, sum(each[0] == "member" for each in pieces(code, first, last)))
            yield from classes_in(code, first, last, f"{scope}{name}::")
        elif kind == "namespace":
            yield from classes_in(code, first, last, scope)


def pieces(code: str, begin: int, end: int) -> Iterator[tuple[str, str, int, int]]:
    """What stands side by side there: a namespace or a type with what is inside it, and members."""
    head, at = begin, begin
    while at < end:
        if code[at] == "(":
            at = closing(code, at)
        elif code[at] in "{;":
            while label := ACCESS.match(code, head):
                head = label.end()
            before = code[head:at]
            plain = TEMPLATE.sub(" ", DECORATION.sub(" ", HEAD_OF_TEMPLATE.sub(" ", before)))
            if code[at] == ";":
                if plain.strip() and not NO_MEMBER.match(plain) and not re.search(r"=\s*(?:delete|default)\s*$", plain):
                    yield "member", "", head, at
                head = at + 1
            else:
                last = closing(code, at)
                if re.match(r"\s*(?:inline\s+)?namespace\b", plain) or not plain.strip():
                    yield "namespace", "", at + 1, last
                    head = last + 1
                elif found := TYPE.match(plain):
                    if not re.match(r"\s*(?:typedef\s+)?enum\b", plain):
                        yield "type", found[1].strip(), at + 1, last
                    head = last + 1
                elif function_name(before) is not None and not is_in_initializers(before):
                    yield "member", "", head, last
                    head = last + 1
                at = last
        at += 1


def loops(code: str) -> Iterator[Loop]:
    """The loops of bare code, also those in others."""
    ends_of_do = set[int]()
    for found in LOOP.finditer(code):
        if found.start() in ends_of_do:
            continue
        if found[1] == "do":
            begin, end = statement_after(code, found.end())
            if (tail := re.compile(r"[\s}]*(while)\s*\(").match(code, end)) is not None:
                ends_of_do.add(tail.start(1))
                yield Loop("do", found.start(), code[tail.end():closing(code, tail.end() - 1)].strip(), code[begin:end])
            continue
        opened = code.find("(", found.end())
        if opened < 0 or code[found.end():opened].strip():
            continue
        closed = closing(code, opened)
        head = code[opened + 1:closed]
        parts = head.split(";")
        condition = parts[-2] if found[1] == "for" and len(parts) >= 3 else head
        begin, end = statement_after(code, closed + 1)
        yield Loop(found[1], found.start(), condition.strip(), code[begin:end])


def statement_after(code: str, at: int) -> tuple[int, int]:
    """Where the statement that follows begins and ends; of a block, what is inside."""
    begin = at = at + len(code[at:]) - len(code[at:].lstrip())
    if code[begin:begin + 1] == "{":
        return begin + 1, closing(code, begin)
    while at < len(code) and code[at] != ";":
        at = closing(code, at) + 1 if code[at] in "({[" else at + 1
    return begin, at + 1
