#!/usr/bin/env python3
"""Writes the manual pages of a program from what it says of itself.

Usage: coffer --experimental-dump-help | manual.py --version VERSION --date YYYY-MM-DD [--section N] FOLDER

FOLDER receives coffer.1, and a page for each command, such as coffer-get.1; the page of a command with subcommands
describes these too. A program without commands has one page.
"""
import argparse
import json
import pathlib
import re
import sys


def escaped(text):
    """Text in which troff finds no request, and prints every character as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha")
    text = text.replace("~", "\\(ti")
    return re.sub(r"^\.", r"\\&.", text, flags=re.MULTILINE)


def paragraphs(text):
    """Paragraphs of prose, and indented lines as they are."""
    lines = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        example = all(line.startswith("  ") for line in block.split("\n"))
        lines += [".PP"]
        if example:
            lines += [".nf"]
        lines += [escaped(line) for line in block.split("\n")]
        if example:
            lines += [".fi"]
    return lines


def spelled(name):
    return {"long": "--", "short": "-", "longWithSingleDash": "-"}[name["kind"]] + name["name"]


def title(argument):
    if argument["kind"] == "positional":
        return f"\\fI{escaped(argument['valueName'])}\\fR"
    names = ", ".join(f"\\fB{escaped(spelled(name))}\\fR" for name in argument["names"])
    return names if argument["kind"] == "flag" else f"{names} \\fI{escaped(argument['valueName'])}\\fR"


def usage(argument):
    if argument["kind"] == "positional":
        text = f"\\fI{escaped(argument['valueName'])}\\fR"
    else:
        text = f"\\fB{escaped(spelled(argument['preferredName']))}\\fR"
        if argument["kind"] == "option":
            text += f" \\fI{escaped(argument['valueName'])}\\fR"
    if argument["parsingStrategy"] == "postTerminator":
        text = f"\\fB\\-\\-\\fR {text}"
    if argument["isRepeating"]:
        text += " ..."
    return f"[{text}]" if argument["isOptional"] else text


def shown(items):
    return [item for item in items if item["shouldDisplay"]]


def arguments(command):
    for argument in shown(command.get("arguments", [])):
        yield from [".TP", title(argument)]
        text = argument.get("abstract", "")
        if argument.get("discussion"):
            text += " " + argument["discussion"]
        if argument.get("allValues") and argument["kind"] != "flag":
            text += f" One of: {', '.join(argument['allValues'])}."
        if argument.get("defaultValue"):
            text += f" Default: {argument['defaultValue']}."
        yield escaped(" ".join(text.split())) or "\\&"


def synopsis(path, command):
    parts = [f"\\fB{escaped(path)}\\fR"] + [usage(argument) for argument in shown(command.get("arguments", []))]
    if list(subcommands(path, command)):
        parts.append("\\fIsubcommand\\fR")
    return [".PP", " ".join(parts)]


def described(path, command):
    return [escaped(command.get("abstract", ""))] + paragraphs(command.get("discussion", ""))


def subcommands(path, command):
    for child in shown(command.get("subcommands", [])):
        if child["commandName"] == "help":
            continue
        yield f"{path} {child['commandName']}", child


def nested(path, command):
    """The sections of the subcommands, and of theirs."""
    for name, child in subcommands(path, command):
        yield from [f".SH {escaped(name.upper())}"] + synopsis(name, child) + [".PP"] + described(name, child)
        yield from arguments(child)
        yield from nested(name, child)


def page(path, command, heading, after):
    name = path.replace(" ", "-")
    first = f"{escaped(name)} \\- {escaped(command.get('abstract', '').rstrip('.'))}"
    lines = [heading.format(name=name.upper()), ".SH NAME", first, ".SH SYNOPSIS", *synopsis(path, command)]
    lines += [".SH DESCRIPTION", *described(path, command)]
    options = list(arguments(command))
    if options:
        lines += [".SH OPTIONS", *options]
    if command.get("aliases"):
        before = path.rpartition(" ")[0]
        lines += [".SH OTHER NAMES", escaped(", ".join(f"{before} {alias}" for alias in command["aliases"]))]
    return "\n".join(lines + after) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--version", required=True)
    parser.add_argument("--date", required=True)
    parser.add_argument("--section", choices=["1", "8"], default="1")
    parser.add_argument("folder", type=pathlib.Path)
    given = parser.parse_args()
    root = json.load(sys.stdin)["command"]
    program, section = root["commandName"], given.section
    kind = "User Commands" if section == "1" else "System Administration"
    heading = f'.TH "{{name}}" {section} "{given.date}" "Coffer {given.version}" "{kind}"'
    own = []
    for path, command in subcommands(program, root):
        own += [".TP", f"\\fB{escaped(path.replace(' ', '-'))}\\fR({section})", escaped(command.get("abstract", ""))]
        after = list(nested(path, command)) + [".SH SEE ALSO", f"\\fB{program}\\fR({section})"]
        (given.folder / f"{path.replace(' ', '-')}.{section}").write_text(page(path, command, heading, after))
    own = [".SH COMMANDS", *own] if own else [".SH SEE ALSO", "\\fBcoffer\\fR(1)"]
    (given.folder / f"{program}.{section}").write_text(page(program, root, heading, own))


main()
