internal import CofferFormat
internal import CofferTrust

extension Vault {
  /// A group that an operation goes to, with what the actor may do there.
  struct Target {
    let group: CofferTrust.AccessGroup
    let access: Entitlements.Access
  }

  /// The groups to search: the one named, or all of the actor's.
  func targets(named name: String?, in membership: Membership) throws(VaultError) -> [Target] {
    let groups = actor.groups(in: membership)
    let chosen = try name.map { (name) throws(VaultError) in [try select(name, from: groups, membership)] } ?? groups
    return chosen.compactMap { group in
      membership.groups[GroupID(vault: membership.vault, name: group.name.description)]
        .map { Target(group: $0, access: group.access) }
    }
  }

  /// The group to write: the one named, or the default. Throws where the actor may only read it.
  func writeTarget(named name: String?, in membership: Membership) throws(VaultError) -> Target {
    if let unknown = membership.firstUnknownCritical {
      throw VaultError(
        .upgradeNeeded,
        "entry \(unknown) of the membership log was written by a newer Coffer; this program may only read",
        mend: "upgrade Coffer")
    }
    guard let name = name ?? defaultGroup(in: membership)?.description else {
      throw VaultError(
        .invalidArgument, "no access group is named, and the owner has no default",
        mend: "choose one of: \(Self.list(actor.groups(in: membership)))")
    }
    guard let target = try targets(named: name, in: membership).first else {
      throw VaultError(.notEntitled, "the access group \(name) has no key yet", mend: "sync, or register the app again")
    }
    guard target.access == .readWrite else {
      throw VaultError(
        .notEntitled,
        "\(actorName) may read the access group \(target.group.name) but not write it",
        mend:
          "list it under keychain-access-groups in the app's plist and register that as an admin: coffer app add FILE")
    }
    return target
  }

  /// Throws where a write to this group would: before a secret is asked for.
  package func checkWritable(_ group: String?) throws(VaultError) {
    _ = try writeTarget(named: group, in: local.membership())
  }

  /// Finds a group by its full name, by its name with `$(AppIdentifierPrefix)`, or without the prefix where that is clear.
  private func select(
    _ name: String, from groups: [GroupAccess], _ membership: Membership
  ) throws(VaultError) -> GroupAccess {
    var wanted = name
    let variables = ["AppIdentifierPrefix", "TeamIdentifierPrefix"].flatMap { ["$(\($0))", "${\($0)}"] }
    for variable in variables where wanted.hasPrefix(variable) {
      wanted = membership.team.prefix + wanted.dropFirst(variable.count)
    }
    let names = [wanted, membership.team.prefix + wanted]
    guard let group = groups.first(where: { names.contains($0.name.description) }) else {
      guard applicationIdentifier != nil else {
        throw VaultError(
          .notEntitled,
          "no app of this vault has the access group \(Self.printable(wanted)); there are: \(Self.list(groups))",
          mend: "add the group to an app's plist and register that: coffer app add FILE")
      }
      throw VaultError(
        .notEntitled,
        "\(actorName) is not entitled to the access group \(Self.printable(wanted)); it has: \(Self.list(groups))",
        mend: "add the group to the app's plist and register that as an admin: coffer app add FILE")
    }
    return group
  }

  private var actorName: String { applicationIdentifier ?? "the owner" }

  private static func list(_ groups: [GroupAccess]) -> String {
    groups.isEmpty ? "none" : groups.map(\.name.description).joined(separator: ", ")
  }

  /// A name from outside, fit for one line of an error.
  private static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(text.unicodeScalars.prefix(200).filter { $0.properties.generalCategory != .control }))
  }
}
