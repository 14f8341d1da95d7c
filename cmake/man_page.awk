# Makes a man page of what `TOOL --help` prints: the only text that there is.
#
#   TOOL --help | awk -v name=purerun -v version=0.1.0 -v see='pure(1)' -f man_page.awk > purerun.1
#
# How --help is read. First a description, then "Usage: ...". A line that ends with a colon, and has indented lines below
# it, is a title: a section of rows, "  TERM  text", whose text may go on in lines that are indented further. "Word: text"
# at the beginning of a paragraph is a section, too. Examples stay as they are. Any other paragraph belongs to the
# section above it, or, behind an empty line, to the description.

# What troff would take for a command of its own.
function escaped(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  gsub(/^[.']/, "\\\\\\&&", text)
  return text
}

function indent(text) {
  match(text, /^ */)
  return RLENGTH
}

function capital(text) { return toupper(substr(text, 1, 1)) substr(text, 2) }

function trimmed(text) {
  gsub(/^ +| +$/, "", text)
  return text
}

# A term of a row: options are bold, what they take is in italics.
function styled(term,    words, count, i, text) {
  if (term !~ /^-/) return "\\fB" escaped(term) "\\fR"
  gsub(/,-/, ", -", term)
  count = split(term, words, / /)
  for (i = 1; i <= count; ++i) {
    text = text (i > 1 ? " " : "") (words[i] ~ /^-/ ? "\\fB" : "\\fI") escaped(words[i]) "\\fR"
  }
  return text
}

# Sections are kept until the end: the description comes before all others.
function add(line) { body[section] = body[section] line "\n" }

function begin(title) {
  section = toupper(title)
  if (!(section in body)) order[++sections] = section
}

# The row lines[at], with the lines below it that go on with its text.
function whole(    text, outer) {
  text = trimmed(lines[at])
  outer = indent(lines[at]) + (text ~ /^- / ? 1 : 2)
  while (lines[at + 1] != "" && indent(lines[at + 1]) > outer) text = text "  " trimmed(lines[++at])
  return text
}

function add_row(    text, term, gap) {
  text = whole()
  gap = match(text, /  +/)
  if (text ~ /^- /) {
    gsub(/  +/, " ", text)
    add(".IP \\(bu 2\n" escaped(substr(text, 3)))
    return
  }
  term = gap ? substr(text, 1, gap - 1) : text
  text = gap ? substr(text, gap + RLENGTH) : ""
  gsub(/  +/, " ", text)
  add(".TP\n" styled(term) "\n" escaped(text))
}

function add_examples() {
  add(".nf")
  while (lines[at + 1] ~ /^ /) add(escaped(substr(lines[++at], 3)))
  add(".fi")
}

# Whether lines[line] is the title of a section: "Options:", "Exit status:", "Mappings (--map-by):", above rows.
function is_title(line) {
  return lines[line] ~ /^[A-Z][a-z]+( [a-z]+| \(.*\))?:$/ && lines[line + 1] ~ /^ /
}

function begin_titled(    title, more) {
  title = substr(lines[at], 1, length(lines[at]) - 1)
  if (match(title, / \(.*\)$/)) {
    more = substr(title, RSTART + 2, RLENGTH - 3)
    title = substr(title, 1, RSTART - 1)
  }
  begin(title == "Subcommands" ? "Commands" : title)
  if (more != "") add(body[section] == "" ? escaped(capital(more)) ":" : ".SS " escaped(capital(more)))
  if (title == "Examples") add_examples()
}

# A paragraph that begins with lines[at].
function add_paragraph(    line) {
  line = lines[at]
  if (match(line, /^[A-Z][a-z]+( [a-z]+)?: /)) {
    begin(substr(line, 1, RLENGTH - 2))
    line = capital(substr(line, RLENGTH + 1))
  } else if (lines[at - 1] == "") {
    section = "DESCRIPTION"
  }
  if (body[section] != "") add(".PP")
  add(escaped(line))
  while (lines[at + 1] ~ /^[^ ]/ && !is_title(at + 1) && lines[at + 1] !~ /^[A-Z][a-z]+( [a-z]+)?: /) add(escaped(lines[++at]))
}

{ lines[NR] = $0 }

END {
  for (at = 1; at <= NR && lines[at] !~ /^Usage: /; ++at) what = trimmed(what " " lines[at])
  sub(/\.$/, "", what)
  usage = substr(lines[at], 8)
  while (lines[at + 1] ~ /^ /) usage = usage " " trimmed(lines[++at])

  begin("description")
  for (++at; at <= NR; ++at) {
    if (is_title(at)) begin_titled()
    else if (lines[at] ~ /^ /) add_row()
    else if (lines[at] != "") add_paragraph()
  }

  printf ".TH %s 1 \"\" \"Pure %s\" \"User Commands\"\n", toupper(name), version
  printf ".SH NAME\n%s \\- %s\n", escaped(name), escaped(tolower(substr(what, 1, 1)) substr(what, 2))
  printf ".SH SYNOPSIS\n\\fB%s\\fR\n", escaped(usage)
  for (i = 1; i <= sections; ++i) {
    if (body[order[i]] != "") printf ".SH %s\n%s", order[i], body[order[i]]
  }
  printf ".SH SEE ALSO\n%s\n", escaped(see)
}
