internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the vault, its machines, and the changes that are not synced.",
    discussion: """
      Compare the head phrase on two machines: if the phrases differ after both machines synced, do not trust the \
      repository.

      The changes on the remote become more until a machine of an admin puts a snapshot of all items in their place: from \
      time to time, or at once with: coffer compact
      """)
  @OptionGroup var output: ReportOptions

  func run() throws {
    let local = try LocalVault.openForReading(warn: Terminal.printError)
    let status = try VaultStatus.read(from: local)
    let isStoreChanged = try local.keysInMemory == nil && local.isStoreChanged()
    guard !output.json else {
      return try Output.json(status.json(isStoreChanged: isStoreChanged, keepsVaultKey: local.keepsVaultKey))
    }
    var rows = [
      ["Vault", Self.place(of: local, status)], ["Team", status.team],
      [
        "Machines",
        status.machines.map { machine in
          let notes = [
            machine.isThisMachine ? "this one" : "",
            machine.isAdmin ? "" : machine.expires == nil ? "member" : "read-only",
          ].filter { !$0.isEmpty }
          return Output.cell(machine.name) + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))")
        }.joined(separator: ", "),
      ],
      ["Apps", "\(status.applications.count)"],
      ["Items", "\(status.itemCount) in \(status.groups.count) access groups"],
      ["Membership log", "\(status.logLength) entries, last \(Output.date(status.logTime))"],
      ["Head phrase", status.headPhrase],
    ]
    if let replaced = status.vaultKeyReplaced {
      rows.append(["Vault key", "number \(status.vaultKeyNumber), since \(Output.date(replaced))"])
    }
    if local.keepsVaultKey { rows.append(["Vault key", "not written down yet (coffer vault-key show)"]) }
    if let revocation = status.revocation { rows.append(["Removed", revocation]) }
    if let fork = status.logFork { rows.append(["Log fork", fork.words]) }
    for claim in status.logClaims { rows.append(["Log", "the remote \(claim)"]) }
    // What a headless credential reads is kept nowhere, so nothing of it is synced.
    let isKept = local.keysInMemory == nil
    let lost = status.lostRemote.map { "lost: \(Output.cell(VaultFolder.rejoinSuggestion(from: $0)))" }
    rows.append(["Remote", status.remote.map(Output.cell) ?? lost ?? "none (coffer remote set URL)"])
    if isKept, status.remote != nil {
      rows.append(["Last sync", status.lastSync.map { Output.date($0, asOf: status.time) } ?? "never"])
    }
    if status.remote != nil { rows.append(["On the remote", status.remoteSizeWords]) }
    if isKept {
      rows.append([
        "Not synced",
        "\(counted(status.unsyncedChanges, "change")) of this machine, as of \(Output.date(status.time))",
      ])
    }
    if isKept, status.remote != nil {
      if status.lastSync != nil {
        rows.append([
          "Not received",
          "\(counted(status.missingSegmentCount, "file")) with changes that other machines have seen, as of the last sync",
        ])
      }
      rows += status.syncHealth.rows(asOf: status.time)
      let others = status.machines.filter { !$0.isThisMachine && $0.expires == nil }
      if !others.isEmpty {
        rows.append([
          "Last writes",
          others.map { machine in
            let time = machine.lastWrite.map { Output.date($0, asOf: status.time) } ?? "nothing yet"
            return "\(Output.cell(machine.name)) \(time)"
          }.joined(separator: ", ") + ", as of the last sync",
        ])
      }
    }
    if let own = status.machines.first(where: \.isThisMachine), !own.isAdmin, own.expires == nil {
      let admins = status.adminNames.map { "changes of membership are made on \($0)" } ?? "no machine is an admin"
      rows.append(["Role", "member: \(admins)"])
    }
    let attention = status.membershipAttention + status.itemAttention(isStoreChanged: isStoreChanged)
    try Output.table(rows + attention.map(Self.row))
  }

  /// Where the vault is: its folder, or the memory of this program.
  private static func place(of local: LocalVault, _ status: VaultStatus) -> String {
    local.keysInMemory == nil ? status.path : "in memory, read from the remote with a headless credential"
  }

  /// What needs attention, in the words of the overview in `coffer inspect`.
  private static func row(_ entry: Attention) -> [String] {
    if case .unadmitted(let records) = entry {
      return [records.state == .pending ? "Pending" : "Refused", records.words]
    }
    let title =
      switch entry {
      case .storeChanged: "Store"
      case .conflicts: "Conflicts"
      case .toReplace: "To replace"
      case .unconfirmed: "Not confirmed"
      case .enrolmentRequests: "Invitation"
      case .expiredCredentials: "Expired"
      case .noCredential: "No credential here"
      case .lackingRights: "Credential lacks rights"
      default: "Attention"
      }
    return [title, "\(entry.sentence) \(entry.advice)"]
  }
}

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
      "sync": remote == nil ? nil : syncHealth, "epoch": epoch.number,
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

extension DesktopProgram {
  /// The program in the output of `--json`.
  var json: JSONObject { ["kind": kind ?? "other", "name": name, "strength": strength] }
}
