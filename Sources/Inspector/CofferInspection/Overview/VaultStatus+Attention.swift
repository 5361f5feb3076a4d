internal import Coffer
internal import CofferAdministration
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

// What `coffer status` and the overview call to attention alike.

extension VaultStatus {
  /// What needs attention of machines and apps.
  package var membershipAttention: [Attention] {
    var attention: [Attention] = []
    func add(_ names: [String], _ make: ([String]) -> Attention) {
      if !names.isEmpty { attention.append(make(names)) }
    }
    let expired = machines.filter(\.isExpired)
    add(expired.map { $0.name.sanitizedForTerminal() }) {
      .expiredCredentials($0, since: expired.compactMap(\.expires).min())
    }
    add(unacknowledged.map { $0.machine.sanitizedForTerminal() }) {
      .unconfirmed(machines: $0, since: unacknowledged.map(\.revoked).max())
    }
    add(requestedInvitations) { .enrolmentRequests(invitations: $0) }
    add(applications.filter(\.needsNewCredential).map(\.bundleID)) { .lackingRights(apps: $0) }
    // What no admin has given to this machine, a member, is not missing.
    add(applications.filter { !$0.hasCredentialHere && $0.isOffered }.map(\.bundleID)) { .noCredential(apps: $0) }
    return attention
  }

  /// Why nothing is synced; nil for a vault with a remote.
  package var missingRemote: Attention? {
    guard remote == nil else { return nil }
    return lostRemote.map { .lostRemote($0) } ?? .noRemote
  }

  /// What needs attention of items and the store. `replacements` is the number of items to replace, if the caller has
  /// counted them.
  package func itemAttention(isStoreChanged: Bool, replacements: Int? = nil) -> [Attention] {
    var attention: [Attention] = isStoreChanged ? [.storeChanged] : []
    attention += unadmittedRecords.entries.map { .unadmitted($0) }
    let replacements = replacements ?? replacementCount
    if replacements > 0 { attention.append(.toReplace(items: replacements)) }
    let conflicting = groups.filter { $0.conflictCount > 0 }
    if !conflicting.isEmpty {
      let names = TeamNames(team: team)
      attention.append(
        .conflicts(
          items: conflicting.reduce(0) { $0 + $1.conflictCount }, groups: conflicting.map { names.short($0.name) }))
    }
    return attention
  }
}
