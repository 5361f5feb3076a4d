"""The second implementation as a client of Scripts/check-vectors: answers each case on standard input with one line.

Run it in the folder above: python3 -m format_reader.client
"""

import json
import sys

from . import backup, epochs, invitation, items, log, machine, receipt, team, transport, vault
from .primitives import Refused

READERS = {
    "genesis": vault.genesis, "root slot": vault.root_slot, "vault key": vault.vault_key,
    "kept vault key": vault.kept_vault_key, "team key": team.team_key, "team plist": team.team_plist, "log entry": log.log_entry,
    "record list": log.record_list, "envelope": transport.envelope, "segment": transport.segment,
    "stream name": transport.stream,
    "transport key": transport.transport_key, "attributes": items.attributes, "record": items.record,
    "group keys": items.group_keys, "credential": machine.credential,
    "device file": machine.device_file, "admin file": machine.admin_file,
    "delivery file": machine.delivery_file, "headless credential": machine.headless_credential,
    "protected value": machine.protected_value, "invitation code": invitation.code,
    "pairing token": invitation.token,
    "invitation request": invitation.request, "invitation answer": invitation.answer,
    "invitations file": invitation.invitations_file, "pending enrolment": invitation.pending_enrolment,
    "checkpoint": epochs.checkpoint, "snapshot chunk": epochs.snapshot_chunk, "closing": epochs.closing,
    "backup statement": backup.statement, "backup key": backup.key, "receipt": receipt.receipt,
    "receipt text": receipt.receipt_text, "buyer": receipt.buyer, "shop key": receipt.shop_key,
}  # fmt: skip


def answer(case):
    try:
        fields = READERS[case["object"]](bytes.fromhex(case["bytes"]), case["inputs"])
    except Refused as refusal:
        return {"outcome": str(refusal), "fields": {}}
    return {"outcome": "accept", "fields": fields}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
