package import Coffer
internal import CofferAdministration
package import CofferCrypto
package import CofferFormat
package import CofferPlatform
internal import CofferSystem
internal import CofferTrust
package import CofferVault
internal import Synchronization

/// An item whose current value somebody could read who was removed from the vault since. What the vault says of it is
/// available directly: its group, its writer, who could read it, and whether an admin has dismissed it. All texts are
/// as they are stored: show them with ``DisplayText``.
@dynamicMemberLookup
package struct ItemToReplace: Sendable {
  package let kind: ItemKind
  /// The item; nil for one without a reference, which no address can name.
  package let reference: ItemReference?
  /// The service, server or label; never empty.
  package let title: String
  /// The account, issuer or tag; empty if there is none.
  package let subtitle: String
  /// Whether a form can give the item a new value.
  package let isEditable: Bool
  private let item: ExposedItem

  /// The number of the log entry that removed the readers.
  package var revocationEntry: UInt64 { item.exposure.position.sequence }
  /// Identifies the item and the log entry that exposed it, in a form: an older page must not dismiss what a later
  /// removal has exposed again.
  package var key: String { "\(item.address.group)\(item.address.item)\(item.exposure.position.hash.raw.hex)" }

  init(_ item: ExposedItem) {
    let names = ItemNames(item.attributes, of: item.itemClass)
    kind = ItemKind(item.itemClass)
    reference = ItemReference(item.itemClass, item.attributes)
    title = names.title
    subtitle = names.subtitle
    isEditable =
      (kind == .genericPassword || kind == .internetPassword)
      && !ValueGuard(item.attributes).requiresApplicationPassword
    self.item = item
  }

  /// Returns the items themselves, for a change of the log.
  static func exposed(_ items: [ItemToReplace]) -> [ExposedItem] { items.map(\.item) }

  package subscript<Value>(dynamicMember member: KeyPath<ExposedItem, Value>) -> Value { item[keyPath: member] }
}

/// The items to replace.
package struct ItemsToReplace: Sendable {
  /// What was removed from the vault, or which vault key was replaced, and what it exposed.
  package struct Removal: Sendable {
    /// The number of the log entry.
    package let entry: UInt64
    package let time: Date
    /// The machine, the app or the vault key.
    package let subject: String
    /// Who could read the items: the apps and owners, with their machines if these are several, and whoever has a vault
    /// key.
    package let readers: [String]
    /// The number of its items that are still to be replaced.
    package let openCount: Int
    /// The number of its items that have another value by now, or were dismissed.
    package let doneCount: Int
  }

  /// The last one first.
  package let removals: [Removal]
  /// The items of the last removal first, then by group.
  package let items: [ItemToReplace]
  /// The items that an admin has taken off the list.
  package let dismissed: [ItemToReplace]
  /// The errors of damaged items, of which nobody can say whether they are to be replaced.
  package let damaged: [VaultError]

  init(_ exposed: [ItemToReplace], replaced: [UInt64: Int], damaged: [VaultError], names: TeamNames) {
    let all = Dictionary(grouping: exposed, by: \.revocationEntry)
    removals = all.sorted { $0.key > $1.key }.map { entry, items in
      let dismissedCount = items.count { $0.dismissal != nil }
      let readers = Set(items.flatMap(\.exposure.readers))
      let vaultKeys = Set(items.flatMap(\.exposure.vaultKeys))
      let isOneMachine = Set(readers.map(\.device)).count == 1
      let words = readers.map { isOneMachine ? $0.application.map(names.short) ?? "the owner" : names.words($0) }
      return Removal(
        entry: entry, time: items[0].exposure.time, subject: Self.subject(items.map(\.exposure), names),
        readers: words.sorted() + vaultKeys.sorted().map { "whoever has vault key \($0)" },
        openCount: items.count - dismissedCount, doneCount: replaced[entry, default: 0] + dismissedCount)
    }
    let open = Dictionary(grouping: exposed.filter { $0.dismissal == nil }, by: \.revocationEntry)
    items = removals.flatMap { open[$0.entry, default: []] }
    dismissed = exposed.filter { $0.dismissal != nil }
    self.damaged = damaged
  }

  /// Who lost what they could read. The log names each app on each machine: one machine with its owner or several apps
  /// was removed as a whole.
  private static func subject(_ exposures: [Exposure], _ names: TeamNames) -> String {
    let readers = exposures.flatMap(\.readers)
    let machines = Set(readers.map(\.device))
    let apps = Set(readers.map(\.application))
    if readers.isEmpty { return "Vault key \(exposures.flatMap(\.vaultKeys).max() ?? 1)" }
    if apps.count == 1, let app = apps.first ?? nil {
      return machines.count == 1 ? "\(names.short(app)) on \(machines.first ?? "")" : names.short(app)
    }
    return list(machines.sorted(), limit: 3)
  }

  /// Returns the items to replace whose name, account or group contains all words of a text.
  package func items(matching text: String) -> [ItemToReplace] {
    let words = text.lowercased().split(whereSeparator: \.isWhitespace)
    return items.filter { item in
      let place = "\(item.title) \(item.subtitle) \(item.group)".lowercased()
      return words.allSatisfy { place.contains($0) }
    }
  }
}

extension InspectedVault {
  /// Returns the items whose values somebody knows who was removed from the vault, in all groups of this author. An
  /// item is gone once it has another value that was written under the new key of its group; one that somebody has
  /// dismissed is listed with the reason until then. The items are without values.
  package func itemsToReplace() throws(VaultError) -> ItemsToReplace {
    // Read first: what is written meanwhile is counted again.
    let position = try vault.itemChanges(after: nil).position
    var damaged: [VaultError] = []
    var replaced: [UInt64: Int] = [:]
    let exposed = try vault.exposedItems {
      replaced[$0.sequence, default: 0] += 1
    } damaged: {
      damaged.append($0)
    }
    let list = ItemsToReplace(
      exposed.map { ItemToReplace($0) }, replaced: replaced, damaged: damaged, names: TeamNames(team: try team))
    replacementCount.set(list.items.count, at: position)
    return list
  }

  /// Whether the owner looks at a vault from which something was removed.
  package var hasRevocations: Bool {
    get throws(VaultError) {
      guard vault.applicationIdentifier == nil else { return false }
      return try !local.membership().revocations.isEmpty
    }
  }

  /// Takes items off the list, by their ``ItemToReplace/key``, with the reason why their values stay as they are. Call
  /// it again if it was not published. The passphrase is nil if this machine's admin keys need none. Returns nil if
  /// nobody has to know, because none of the items is on the list any more.
  package func dismiss(
    _ items: [ItemToReplace], reason: String, passphrase: SecretText?
  ) throws(VaultError) -> LogPosition? {
    try MembershipChange(in: local).dismiss(
      ItemToReplace.exposed(items), reason: reason, passphrase: Self.source(of: passphrase))
  }

  /// Returns the number of items to replace, which is counted once for each change of the vault.
  package func itemsToReplaceCount() throws(VaultError) -> Int {
    let position = try vault.itemChanges(after: nil).position
    if let known = replacementCount.count(at: position) { return known }
    return try itemsToReplace().items.count
  }
}

/// The number of items to replace as it was counted last. Counting opens every item of the groups from which something
/// was removed, so it is done once for each change of the vault.
final class ReplacementCount: Sendable {
  private let known = Mutex<(position: ChangePosition, count: Int)?>(nil)

  /// Returns the number at a position; nil if the vault was counted at another one.
  func count(at position: ChangePosition) -> Int? {
    known.withLock { $0?.position == position ? $0?.count : nil }
  }

  func set(_ count: Int, at position: ChangePosition) { known.withLock { $0 = (position, count) } }
}
