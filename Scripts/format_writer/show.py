"""The subcommand that prints what somebody's keys open."""

import json


def add(subcommands):
    command = subcommands.add_parser("show", help="print as JSON what the keys open in every commit of the repository")
    command.set_defaults(run=show)


def show(attack):
    repository, values, generations, unopened, seen = attack.repository, {}, {}, set(), set()
    commits = repository.commits()
    heads = {}
    for commit in commits:
        if not attack.is_of_vault(commit):
            continue
        state = attack.state(commit)
        heads[commit] = len(state.entries)
        for group in state.groups.values():
            generations.setdefault(group.name, set()).update(group.keys)
        for record in state.records():
            if record in seen or not (fields := state.opened_record(record)):
                continue
            seen.add(record)
            if fields["content"] == "value":
                values[fields["hash"]] = {
                    "account": fields.get("attribute acct", "").removeprefix("string "),
                    "group": fields["group"], "value": bytes.fromhex(fields["value"]).decode(errors="replace"),
                }  # fmt: skip
        unopened.update(
            path for path in state.files if path.split("/")[0] in ("log", "segments") and not state.open(path).object
        )
    boxed = {}
    for name in repository.epochs():
        state = attack.state(name)
        found = [
            state.log_path(entry.number) for entry in state.entries if state.open(state.log_path(entry.number)).boxes
        ]
        boxed[name] = found
    branches = {
        name: {"entries": heads.get(commit), "files": len(repository.files(commit))}
        for name, commit in repository.branches().items()
    }  # fmt: skip
    print(json.dumps({
        "boxed": boxed, "branches": branches,
        "groups": {name: sorted(found) for name, found in sorted(generations.items())},
        "items": sorted(values.values(), key=lambda item: (item["account"], item["value"])),
        "transport keys": sorted(attack.keyring.transport), "unopened": sorted(unopened),
    }, indent=1))  # fmt: skip
