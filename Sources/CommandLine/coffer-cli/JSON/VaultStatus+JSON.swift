internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferInspection
internal import CofferTerminal
internal import CofferTrust

extension VaultStatus.Application {
  /// The app in the output of `--json`.
  var json: JSONObject {
    [
      "id": id, "bundleID": bundleID, "registered": registered, "hasCredentialHere": hasCredentialHere,
      "needsNewCredential": needsNewCredential, "requiresPassphrase": requiresPassphrase, "enforcement": enforcement,
      "desktop": desktop?.json,
      "groups": groups.map { JSONObject.group($0.name, $0.isWritable ? .readWrite : .read) },
    ]
  }
}

extension VaultMachine {
  /// The machine in the output of `--json`.
  var json: JSONObject {
    [
      "name": name, "machineID": id, "isThisMachine": isThisMachine, "isAdmin": isAdmin, "enrolled": enrolled,
      "expires": expires, "isExpired": isExpired, "revoked": revoked, "lastWrite": lastWrite,
    ]
  }
}

extension VaultStatus {
  /// The output of `coffer status --json`.
  func json(isStoreChanged: Bool, keepsVaultKey: Bool) -> JSONObject {
    // In parts, because the compiler takes long for one literal.
    let membership: JSONObject = [
      "team": team, "machines": machines.map(\.json), "revocation": revocation, "logLength": logLength,
      "logTime": logTime, "headPhrase": headPhrase, "vaultKeyNumber": vaultKeyNumber,
      "vaultKeyReplaced": vaultKeyReplaced, "keepsVaultKey": keepsVaultKey, "logFork": logFork?.json,
      "logClaims": logClaims,
      "unacknowledged": unacknowledged.map(\.json), "requestedInvitations": requestedInvitations,
    ]
    let sync: JSONObject = [
      "remote": remote, "lastSync": lastSync,
      "sync": remote == nil ? nil : SyncHealthReport(health, watcher: watcher), "epoch": epoch.number,
      "epochBegun": epoch.begun, "epochBegunBy": epoch.beginner, "epochByteCount": epochByteCount,
      "snapshotByteCount": snapshotByteCount, "unsyncedChanges": unsyncedChanges,
      "missingSegmentCount": missingSegmentCount, "pendingRecords": pendingRecords, "refusedRecords": refusedRecords,
      "unadmittedRecords": unadmittedRecords.entries,
    ]
    let contents: JSONObject = [
      "vault": path, "appCount": applications.count, "groupCount": groups.count, "itemCount": itemCount,
      "conflictCount": conflictCount, "replacementCount": replacementCount, "isStoreChanged": isStoreChanged,
      "asOf": time,
    ]
    return contents.including(membership).including(sync)
  }
}

extension VaultStatus.Unacknowledged {
  fileprivate var json: JSONObject {
    ["machine": machine, "revocationEntry": revocationEntry, "revoked": revoked]
  }
}

extension LogFork {
  fileprivate var json: JSONObject {
    [
      "after": parent.sequence,
      "heads": heads.map { ["entry": $0.sequence, "headPhrase": $0.phrase] as JSONObject },
    ]
  }
}
