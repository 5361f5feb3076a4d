internal import CofferFormat
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// The access groups that an author reaches under one state of the membership log, and the groups that names mean. It
/// needs no keys.
protocol GroupAccess {
  var membership: Membership { get }
  var author: Author { get }
  /// The groups that the author reaches and that have keys, in the order in which they are searched.
  var groups: [AccessibleGroup] { get }
  /// How the vault's team appears in names.
  var naming: TeamNaming { get }
}

extension GroupAccess {
  /// Returns the groups to search: the named one, or all if `name` is nil.
  func groups(named name: String?) throws(VaultError) -> [AccessibleGroup] {
    guard let name else { return groups }
    return [try group(named: name)]
  }

  /// Throws `notEntitled` on a read-only machine, and `upgradeNeeded` if the log has a critical entry that this program
  /// does not know: it must not write then.
  func checkMayWrite() throws(VaultError) {
    guard !membership.isReadOnly(author) else {
      throw VaultError(
        .notEntitled, "the credential \(membership.name(of: author.device)) only reads: nothing that it writes counts",
        recoverySuggestion: "change items on a machine of the vault")
    }
    if let unknown = membership.firstUnknownCritical {
      throw VaultError(
        .upgradeNeeded,
        "entry \(unknown) of the membership log was written by a newer Coffer; this program may only read",
        recoverySuggestion: "upgrade Coffer")
    }
  }

  /// Returns the group to write: the named one, or the default if `name` is nil. Throws `notEntitled` for a group that
  /// the author may only read, or not even that.
  func writableGroup(named name: String?) throws(VaultError) -> AccessibleGroup {
    try checkMayWrite()
    guard let name = name ?? (defaultGroup?.description).map({ naming.shown($0, of: membership.team) }) else {
      throw VaultError(
        .invalidArgument, "no access group is named, and the owner has no default",
        recoverySuggestion: "choose one of: \(list)")
    }
    let group = try group(named: name)
    guard group.access == .readWrite else {
      if let error = regainedRightError(in: group.registered.name) { throw error }
      throw VaultError(
        .notEntitled, "\(authorName) may read the access group \(group.name) but not write it",
        recoverySuggestion:
          "list it under keychain-access-groups in the app's plist and register that as an admin: coffer app add FILE")
    }
    return group
  }

  /// Returns the groups whose items an update or deletion may change: the named one, which must be writable, or all
  /// writable ones if `name` is nil.
  func writableGroups(named name: String?) throws(VaultError) -> [AccessibleGroup] {
    try checkMayWrite()
    return name == nil ? groups.filter { $0.access == .readWrite } : [try writableGroup(named: name)]
  }

  /// The first group of the entitlements; nil for the machine's owner.
  var defaultGroup: AccessGroupName? { registration?.entitlements.defaultGroup }

  /// The app as it is registered; nil for the machine's owner.
  private var registration: App? {
    guard case .principal(let application, _, _) = author.role else { return nil }
    return membership.apps[application]
  }

  /// Finds a group by its full name; by its name with `$(AppIdentifierPrefix)` or with the prefix that the app's plist
  /// was registered with; or without a prefix.
  func group(named name: String) throws(VaultError) -> AccessibleGroup {
    var wanted = name
    let own = naming.prefix(of: membership.team)
    let variables = ["AppIdentifierPrefix", "TeamIdentifierPrefix"].flatMap { ["$(\($0))", "${\($0)}"] }
    for variable in variables where wanted.hasPrefix(variable) {
      wanted = own + wanted.dropFirst(variable.count)
    }
    // Existing code contains its team's prefix as a literal; the registration maps it.
    if let prefix = registration?.statement.sourcePrefix, wanted.hasPrefix(prefix + ".") {
      wanted = own + wanted.dropFirst(prefix.count + 1)
    }
    if let group = groups.first(where: { $0.name == wanted }) { return group }
    let literal = literalTeamPrefix(of: wanted)
    let renamed = literal.map { own + wanted.dropFirst($0.count + 1) }
    let meant = groups.first { $0.name == renamed }
    // The prefix of a vault in memory is random, so no code can contain it as a literal.
    if naming.isInMemory, let meant { return meant }
    let prefixed = own + wanted
    if let group = groups.first(where: { $0.name == prefixed }) { return group }
    if author.groups(in: membership).contains(where: {
      [wanted, prefixed].contains(naming.shown($0.name.description, of: membership.team))
    }) {
      throw VaultError(
        .notEntitled, "the access group \(wanted.sanitizedForTerminal()) has no key yet",
        recoverySuggestion: "sync, or register the app again")
    }
    let entitled = registration?.entitlements.groups.first {
      [wanted, prefixed].contains(naming.shown($0.name.description, of: membership.team))
    }
    if let error = entitled.flatMap({ regainedRightError(in: $0.name) }) { throw error }
    guard case .principal = author.role else {
      guard !wanted.isEmpty else {
        throw VaultError(
          .notEntitled, "the name of the access group is empty", recoverySuggestion: "name one of these: \(list)")
      }
      // Capitals count, and the first part of a name, too.
      let similar = groups.first { group in
        [wanted, prefixed, own + "coffer." + wanted].contains { $0.lowercased() == group.name.lowercased() }
      }
      let creation =
        "create a group of your own with `coffer group create NAME`, or add it to an app's plist and register that: coffer app add FILE"
      throw VaultError(
        .notEntitled, "no app of this vault has the access group \(wanted.sanitizedForTerminal()); there are: \(list)",
        recoverySuggestion: similar.map { "did you mean \($0.name)? Otherwise \(creation)" } ?? creation)
    }
    var recoverySuggestion = "add the group to the app's plist and register that as an admin: coffer app add FILE"
    if let literal, let meant {
      recoverySuggestion =
        "if \(meant.name) is meant, register the prefix as an admin: coffer app add --source-prefix \(literal) FILE"
    } else if naming.isInMemory {
      recoverySuggestion += "; a vault in memory uses the plist that COFFER_ENTITLEMENTS names"
    }
    throw VaultError(
      .notEntitled,
      "\(authorName) is not entitled to the access group \(wanted.sanitizedForTerminal()); it has: \(list)",
      recoverySuggestion: recoverySuggestion)
  }

  /// Returns the error for a right that the app has and that its credential here lost before the app got it back; nil
  /// if there is no such right. Only a new credential gets it.
  private func regainedRightError(in name: AccessGroupName) -> VaultError? {
    let id = GroupID(vault: membership.vault, name: name.description)
    guard let registration, let wanted = registration.entitlements.access(to: name),
      let lost = membership.lostRight(of: author, to: id, needing: wanted)
    else { return nil }
    let right = lost.remaining == nil ? "its rights in" : "the right to write"
    return VaultError(
      .notEntitled,
      "the credential of \(authorName) on this machine has lost \(right) \(naming.shown(name.description, of: membership.team)) (entry \(lost.entry) of the log), and the app got that back later",
      recoverySuggestion: "give the app a new credential here: coffer app install \(registration.id.bundleID)")
  }

  private var authorName: String {
    guard case .principal(let application, _, _) = author.role else { return "the owner" }
    return naming.shown(application.description, of: application.team)
  }

  private var list: String { groups.isEmpty ? "none" : groups.map(\.name).joined(separator: ", ") }
}

extension GroupAccess {
  /// Throws the error that a call would throw because of its group.
  func check(_ use: GroupUse) throws(VaultError) { _ = try groups(for: use) }

  /// Returns the groups that a call uses.
  func groups(for use: GroupUse) throws(VaultError) -> [AccessibleGroup] {
    switch use {
    case .reading(let name): try groups(named: name)
    case .readingEach(let names): try names.map { name throws(VaultError) in try groups(named: name) }.flatMap(\.self)
    case .writing(let name): [try writableGroup(named: name)]
    case .changing(let name): try writableGroups(named: name)
    }
  }
}

/// What a command is about to do in the access group that it names, or in those that it means if it names none.
package enum GroupUse: Sendable {
  /// Read items: in all groups if none is named.
  case reading(String?)
  /// Read items in each of these groups.
  case readingEach([String])
  /// Write one item: in the default group if none is named.
  case writing(String?)
  /// Update or delete items: in all groups that can be written if none is named.
  case changing(String?)

  var isWrite: Bool {
    switch self {
    case .reading, .readingEach: false
    case .writing, .changing: true
    }
  }
}

/// The groups of an author before the vault is unlocked.
struct LockedAccess: GroupAccess {
  let membership: Membership
  let author: Author
  let groups: [AccessibleGroup]
  let naming: TeamNaming

  init(_ author: Author, _ membership: Membership, _ naming: TeamNaming) {
    self.author = author
    self.membership = membership
    self.naming = naming
    groups = author.accessibleGroups(in: membership, naming)
  }
}
