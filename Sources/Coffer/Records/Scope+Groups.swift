internal import CofferFormat
internal import CofferSystem
internal import CofferTrust

extension Scope {
  /// The groups to search: the one named, or all.
  func targets(named name: String?) throws(VaultError) -> [Target] {
    guard let name else { return targets }
    return [try target(named: name)]
  }

  /// Throws where the log says something that this program does not know and must not write past.
  func checkUnderstood() throws(VaultError) {
    if let unknown = membership.firstUnknownCritical {
      throw VaultError(
        .upgradeNeeded,
        "entry \(unknown) of the membership log was written by a newer Coffer; this program may only read",
        mend: "upgrade Coffer")
    }
  }

  /// The group to write: the one named, or the default. Throws where it may only be read.
  func writeTarget(named name: String?) throws(VaultError) -> Target {
    try checkUnderstood()
    guard let name = name ?? defaultGroup?.description else {
      throw VaultError(
        .invalidArgument, "no access group is named, and the owner has no default", mend: "choose one of: \(list)")
    }
    let target = try target(named: name)
    guard target.access == .readWrite else {
      throw VaultError(
        .notEntitled, "\(authorName) may read the access group \(target.name) but not write it",
        mend:
          "list it under keychain-access-groups in the app's plist and register that as an admin: coffer app add FILE")
    }
    return target
  }

  /// The groups that a change of what is found may touch: the one named, which must be writable, or all that are.
  func writeTargets(named name: String?) throws(VaultError) -> [Target] {
    try checkUnderstood()
    return name == nil ? targets.filter { $0.access == .readWrite } : [try writeTarget(named: name)]
  }

  /// The first group of the entitlements; nil for the machine's owner.
  var defaultGroup: AccessGroupName? {
    registration?.entitlements.defaultGroup
  }

  /// The app as it is registered; nil for the machine's owner.
  private var registration: App? {
    guard case .principal(let application, _, _) = author.role else { return nil }
    return membership.apps[application]
  }

  /// Finds a group by its full name, by its name with `$(AppIdentifierPrefix)` or the prefix that the app's plist was
  /// registered with, or without the prefix where that is clear.
  private func target(named name: String) throws(VaultError) -> Target {
    var wanted = name
    let variables = ["AppIdentifierPrefix", "TeamIdentifierPrefix"].flatMap { ["$(\($0))", "${\($0)}"] }
    for variable in variables where wanted.hasPrefix(variable) {
      wanted = membership.team.prefix + wanted.dropFirst(variable.count)
    }
    // Existing code has its team's prefix written out; the registration says which one that is.
    if let prefix = registration?.statement.sourcePrefix, wanted.hasPrefix(prefix + ".") {
      wanted = membership.team.prefix + wanted.dropFirst(prefix.count + 1)
    }
    if let target = targets.first(where: { $0.name == wanted }) { return target }
    let literal = literalTeamPrefix(of: wanted)
    let renamed = literal.map { membership.team.prefix + wanted.dropFirst($0.count + 1) }
    let meant = targets.first { $0.name == renamed }
    // A vault in memory has a prefix that nobody could have written out.
    if isInMemory, let meant { return meant }
    let prefixed = membership.team.prefix + wanted
    if let target = targets.first(where: { $0.name == prefixed }) { return target }
    if author.groups(in: membership).contains(where: { [wanted, prefixed].contains($0.name.description) }) {
      throw VaultError(
        .notEntitled, "the access group \(wanted.sanitizedForTerminal()) has no key yet",
        mend: "sync, or register the app again")
    }
    guard case .principal = author.role else {
      throw VaultError(
        .notEntitled, "no app of this vault has the access group \(wanted.sanitizedForTerminal()); there are: \(list)",
        mend: "add the group to an app's plist and register that: coffer app add FILE")
    }
    var mend = "add the group to the app's plist and register that as an admin: coffer app add FILE"
    if let literal, let meant {
      mend =
        "if \(meant.name) is meant, register the prefix as an admin: coffer app add --source-prefix \(literal) FILE"
    } else if isInMemory {
      mend += "; a vault in memory takes the plist that COFFER_ENTITLEMENTS names"
    }
    throw VaultError(
      .notEntitled,
      "\(authorName) is not entitled to the access group \(wanted.sanitizedForTerminal()); it has: \(list)",
      mend: mend)
  }

  private var authorName: String {
    if case .principal(let application, _, _) = author.role { application.description } else { "the owner" }
  }

  private var list: String { targets.isEmpty ? "none" : targets.map(\.name).joined(separator: ", ") }
}
