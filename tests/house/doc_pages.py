#!/usr/bin/env python3
"""What is on a page: programs, files, commands and outputs; the script that follows a page, and what it must print.

usage: doc_pages.py script PAGE RESULTS [SOURCES]   a bash script that follows the page, with purecxx, in its folder
       doc_pages.py judge PAGE RESULTS              whether what that has left in RESULTS is what the page says
       doc_pages.py builds PAGE                     the commands that build Pure, a line each

CONTRIBUTING.md, "What a page shows", has the rules. In short: ```cpp with a main is a program, which is compiled and
run; ```sh is run; both unless a comment above the block says otherwise:

    <!-- fragment -->            a part of a program or a file, or the form of an output: nothing is done with it
    <!-- test: PURE_RANKS=2 {} -->   how the program runs; {} is the program. Without it: purerun -n 4 {}
    <!-- file: sum.cpp -->       the block becomes that file, in the page's folder. Where no command of the page names
                                 it, a program is also compiled (to sum) and run
    <!-- status: 1 -->           the commands, or the program, end with this status, not with 0
    <!-- output -->              above ```text: what the block before has printed. "..." is anything in a line, a line
    <!-- output: any order -->   of "..." any lines; or the lines in any order
    <!-- make fresh: WHY -->     these commands build Pure: only `make fresh` runs them, in the top folder of the sources
    <!-- not run: WHY -->        nobody runs these commands, or checks that output
"""
import re
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^```([\w+-]*)\s*$")
MARK = re.compile(r"<!-- ([\w ]+?)(?:: (.*\S))? -->")
MAIN = re.compile(r"\bmain\s*\(")
TYPED = re.compile(r"#include <pure/\w+\.hpp>")
DEFAULT_COMMAND = "purerun -n 4 {}"
CXX = ("cpp", "c++", "cc")
SHELL = ("sh", "bash", "shell", "console")
# Marks, and whether each takes a value: None is "it may".
MARKS = {"fragment": False, "test": True, "file": True, "status": True, "output": None, "make fresh": True,
         "not run": True}


class BadDocument(Exception):
    pass


@dataclass
class Block:
    where: str  # file:line
    language: str
    text: str
    marks: dict[str, str]


@dataclass
class Step:
    """What is done with a block, and what comes of it."""
    where: str
    kind: str  # "file", "program" or "commands"
    text: str
    name: str = ""  # of the file
    command: str = DEFAULT_COMMAND  # of the program
    status: int = 0
    builds_pure: bool = False
    is_skipped: bool = False
    outputs: list["Output"] = field(default_factory=list)

    def standard(self) -> str:
        """pure.h is C++17, and so are its pages."""
        return "c++20" if TYPED.search(self.text) or "#include <pure.h>" not in self.text else "c++17"


@dataclass
class Output:
    where: str
    text: str
    any_order: bool


def marks_above(where: str, lines: list[str]) -> dict[str, str]:
    """The comments that end `lines`, but for empty lines."""
    marks: dict[str, str] = {}
    for line in reversed(lines):
        if not line.strip():
            continue
        mark = MARK.fullmatch(line.strip())
        if not mark:
            break
        name, value = mark.group(1), mark.group(2)
        if name not in MARKS:
            raise BadDocument(f"{where}: there is no mark '{name}'; there are: {', '.join(MARKS)}")
        if MARKS[name] is not None and MARKS[name] != (value is not None):
            raise BadDocument(f"{where}: the mark '{name}' {'needs a' if MARKS[name] else 'takes no'} value")
        marks[name] = value or ""
    return marks


def blocks_of(name: str, document: str) -> list[Block]:
    blocks = []
    lines = document.splitlines()
    index = 0
    while index < len(lines):
        opening = FENCE.match(lines[index])
        index += 1
        if not opening:
            continue
        where, first = f"{name}:{index}", index
        while index < len(lines) and lines[index].rstrip() != "```":
            index += 1
        if index == len(lines):
            raise BadDocument(f"{where}: this block has no end")
        text = "".join(line + "\n" for line in lines[first:index])
        blocks.append(Block(where, opening.group(1), text, marks_above(where, lines[:first - 1])))
        index += 1
    return blocks


def must_not_say(block: Block, *names: str) -> None:
    for name in names:
        if name in block.marks:
            raise BadDocument(f"{block.where}: the mark '{name}' says nothing of such a block")


def step_of(block: Block, all_commands: str) -> Step | None:
    """What is to be done with the block; nothing with a fragment, and with a language that is not run."""
    marks = block.marks
    if "fragment" in marks:
        if block.language in CXX and MAIN.search(block.text):
            raise BadDocument(f"{block.where}: a block with a main is no fragment: let it be compiled")
        must_not_say(block, *(name for name in marks if name != "fragment"))
        return None
    if block.language in SHELL:
        must_not_say(block, "test", "output", "file")
        return Step(block.where, "commands", block.text, status=int(marks.get("status", 0)),
                    builds_pure="make fresh" in marks, is_skipped="not run" in marks)
    must_not_say(block, "make fresh")
    file = marks.get("file", "")
    if file and ("/" in file or not re.fullmatch(r"[\w.+-]+", file)):
        raise BadDocument(f"{block.where}: '{file}' is no name of a file in the page's folder")
    is_program = block.language in CXX and bool(MAIN.search(block.text))
    is_named_by_commands = re.search(rf"(?<![\w.]){re.escape(file)}(?![\w.])", all_commands) if file else None
    if is_program and not is_named_by_commands:
        return Step(block.where, "program", block.text, file or "program.cpp", marks.get("test", DEFAULT_COMMAND),
                    int(marks.get("status", 0)))
    must_not_say(block, "test", "status")
    if file:
        return Step(block.where, "file", block.text, file)
    if block.language in CXX:
        raise BadDocument(f"{block.where}: a block without a main: make it a program, or write <!-- fragment --> above "
                          "it")
    if block.language in ("c", "cmake", "make", "makefile", "text"):
        raise BadDocument(f"{block.where}: say above this block what it is: <!-- file: NAME -->, <!-- fragment -->"
                          + (", or the <!-- output --> of the block before" if block.language == "text" else ""))
    return None


def steps_of(name: str, document: str) -> list[Step]:
    """What a reader of the page does, in order."""
    blocks = blocks_of(name, document)
    all_commands = "\n".join(block.text for block in blocks if block.language in SHELL and not
                             {"fragment", "not run"} & block.marks.keys())
    steps: list[Step] = []
    for block in blocks:
        if "output" in block.marks:
            must_not_say(block, *(mark for mark in block.marks if mark not in ("output", "not run")))
            if block.marks["output"] not in ("", "any order"):
                raise BadDocument(f"{block.where}: the mark 'output' knows 'any order', and nothing else")
            if block.language != "text":
                raise BadDocument(f"{block.where}: an output is a block of ```text")
            if not steps or steps[-1].kind == "file":
                raise BadDocument(f"{block.where}: nothing above has an output")
            if "not run" not in block.marks:
                steps[-1].outputs.append(Output(block.where, block.text, block.marks["output"] == "any order"))
        elif step := step_of(block, all_commands):
            steps.append(step)
    return steps


# ---- what was printed ----------------------------------------------------------------------------------------------

def line_pattern(line: str) -> str:
    return ".*".join(re.escape(part) for part in line.split("..."))


def tidy(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def is_as_said(output: Output, printed: str) -> bool:
    said, lines = tidy(output.text), tidy(printed)
    if not output.any_order:
        pattern = "".join("(?:.*\n)*" if line.strip() == "..." else line_pattern(line) + "\n" for line in said)
        return re.fullmatch(pattern, "".join(line + "\n" for line in lines)) is not None
    others_allowed = any(line.strip() == "..." for line in said)
    for line in sorted((line for line in said if line.strip() != "..."), key=lambda line: line.count("...")):
        found = next((each for each in lines if re.fullmatch(line_pattern(line), each)), None)
        if found is None:
            return False
        lines.remove(found)
    return others_allowed or not lines


# ---- the script ----------------------------------------------------------------------------------------------------

# In the page's folder, in one shell: what a block exports, and where it goes, is there for the next ones.
FUNCTIONS = r"""
began() { # began NUMBER: what is printed from here on belongs to that step
  step=$1
  [[ -z ${PURETEST_SHOW:-} ]] || printf '\n=== %s\n' "$2"
}
printed() { # printed STATUS: the step is over; ends the page where the status is not the one that the page says
  local status=$1 said=$2
  [[ -z ${PURETEST_SHOW:-} ]] || cat "$results/$step.out"
  echo "$status" > "$results/$step.status"
  [[ $status == "$said" ]] || exit 1
}
program() { # program NUMBER WHERE STATUS FILE COMMAND OPTION...: the program is in stdin
  local number=$1 where=$2 said=$3 file=$4 command=$5
  began "$number" "$where: $file: $command"
  cat > "$file"
  if ! "$compiler" "${@:6}" "$file" -o "${file%.*}" "${linking[@]}" > "$results/$step.out" 2>&1; then
    echo "does not compile" >> "$results/$step.out"
    printed compile "$said"
  fi
  timeout 60 bash -c "$command" > "$results/$step.out" 2>&1 < /dev/null
  printed $? "$said"
}
commands() { # commands NUMBER WHERE STATUS FOLDER: in FOLDER, or here; the commands are in stdin
  local back=$PWD
  began "$1" "$2"
  commands=$(cat)
  [[ -z ${PURETEST_SHOW:-} ]] || printf '%s\n' "$commands"
  [[ -z $4 ]] || cd "$4" || exit 1
  if [[ $3 == 0 ]]; then # a command that fails ends this shell
    echo failed > "$results/$step.status"
    trap 'printed failed 0' EXIT
    set -e
    eval "$commands" > "$results/$step.out" 2>&1 < /dev/null
    set +e
    trap - EXIT
    printed 0 0
  else
    (set -e; eval "$commands") > "$results/$step.out" 2>&1 < /dev/null
    printed $? "$3"
  fi
  [[ -z $4 ]] || cd "$back" || exit 1
}
"""


def here_document(text: str) -> str:
    return f" << 'END_OF_BLOCK'\n{text}END_OF_BLOCK\n"


def script_for(steps: list[Step], results: str, compiling: list[str], linking: list[str], sources: str | None,
               options_for=lambda text, standard: []) -> str:
    """Follows one page. compiling: the compiler and its options, without -std; sources: where blocks that build Pure
    are run, if anywhere; options_for(text, standard): what is added for one program."""
    quoted = shlex.join
    script = ["set -uo pipefail\n", f"results={shlex.quote(results)}\n", f"compiler={shlex.quote(compiling[0])}\n",
              f"linking=({quoted(linking)})\n", FUNCTIONS]
    for number, step in enumerate(steps):
        if step.kind == "file":
            script.append(f"cat > {shlex.quote(step.name)}" + here_document(step.text))
        elif step.kind == "program":
            binary = "./" + step.name.rpartition(".")[0]
            options = [f"-std={step.standard()}", *compiling[1:], *options_for(step.text, step.standard())]
            script.append(quoted(["program", str(number), step.where, str(step.status), step.name,
                                  step.command.replace("{}", binary), *options]) + here_document(step.text))
        elif not step.is_skipped and not (step.builds_pure and sources is None):
            script.append(quoted(["commands", str(number), step.where, str(step.status),
                                  (sources or "") if step.builds_pure else ""]) + here_document(step.text))
    script.append("exit 0\n")
    return "".join(script)


def judge(steps: list[Step], results: Path) -> list[tuple[str, str]]:
    """Where and what is wrong, or "ok", for every step that was to be done."""
    found = []
    for number, step in enumerate(steps):
        printed, ended = results / f"{number}.out", results / f"{number}.status"
        if step.kind == "file" or not printed.exists():
            continue
        text = printed.read_text(encoding="utf-8", errors="replace")
        status = ended.read_text(encoding="utf-8").strip() if ended.exists() else "none: it was cut off"
        what = f"`{step.command}`" if step.kind == "program" else "this"
        if status == "compile":
            found.append((step.where, text))
        elif status != str(step.status):
            still = " (it still ran after 60 s)" if status == "124" else ""
            found.append((step.where, f"{what} ends with status {status}{still}, not {step.status}\n{text}"))
        else:
            wrong = [output.where for output in step.outputs if not is_as_said(output, text)]
            found.extend((where, f"the output is not what {step.where} prints:\n{text}") for where in wrong)
            if not wrong:
                found.append((step.where, "ok"))
    return found


def read_steps(page: Path) -> list[Step]:
    name = f"docs/{page.name}" if page.parent.name == "docs" else page.name
    return steps_of(name, page.read_text(encoding="utf-8"))


def main() -> int:
    what, *arguments = sys.argv[1:] or [""]
    if what == "builds" and len(arguments) == 1:
        print("".join(step.text for step in read_steps(Path(arguments[0])) if step.builds_pure), end="")
        return 0
    if what == "script" and len(arguments) in (2, 3):
        page, results, sources = [*arguments, None][:3]
        print(script_for(read_steps(Path(page)), results, ["purecxx", "-Wall", "-Wextra", "-Werror"], [], sources), end="")
        return 0
    if what == "judge" and len(arguments) == 2:
        found = judge(read_steps(Path(arguments[0])), Path(arguments[1]))
        for where, problem in found:
            print(f"{where}: {problem}")
        return 0 if all(problem == "ok" for _, problem in found) else 1
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
