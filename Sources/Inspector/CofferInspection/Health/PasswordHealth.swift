internal import Coffer
package import CofferCrypto
internal import CofferFormat
package import CofferPlatform
internal import CofferSystem
internal import CofferTrust
package import CofferVault
internal import Synchronization

/// Which passwords of a vault are easy to guess, used more than once, or old. It has names and no value.
package struct PasswordHealth: Sendable {
  package struct Password: Sendable {
    package let row: ItemRow
    package let strength: PasswordStrength
  }

  package enum Problem: String, CaseIterable, Sendable {
    case reused, common, weak, old

    package var name: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

    package var advice: String {
      switch self {
      case .reused: "Whoever learns one of them can use it everywhere. Give each item a password of its own."
      case .common: "Who guesses tries these first."
      case .weak: "Guessed with fewer than \(PasswordStrength.fairBits) bits."
      case .old: "Not changed for \(PasswordHealth.oldDays / 365) years: it is no weaker, but may have leaked since."
      }
    }
  }

  /// A value of one line with at most so many bytes is a password. Notes, files and keys are not.
  static let maximumByteCount = 256
  /// A password is old if its item was not changed for so many days.
  package static let oldDays = 730

  /// The number of passwords in the list of common ones.
  package static let commonPasswordCount = PasswordWords.common.count

  /// The number of passwords that were opened and compared.
  package internal(set) var examinedCount = 0
  /// The passwords with each problem: for those that are reused, the items of each one.
  private var found: [Problem: [[Password]]] = [:]
  /// The number of items whose value needs a further secret, or a person, each time.
  package internal(set) var protectedCount = 0
  /// The number of items whose value is empty or no password, such as notes and files.
  package internal(set) var otherCount = 0
  package internal(set) var damagedCount = 0
  /// The number of groups of the vault that cannot be read; 0 for an app, which only sees its own.
  package internal(set) var unreadableGroupCount = 0

  /// Returns the passwords with a problem, the worst first. Those that several items have are together.
  package func passwords(with problem: Problem) -> [[Password]] { found[problem] ?? [] }

  /// Returns the number of items with a problem.
  package func count(of problem: Problem) -> Int { passwords(with: problem).reduce(0) { $0 + $1.count } }

  /// Sorts the passwords that were examined, by their hash, into those with each problem.
  fileprivate mutating func sort(_ owners: [Bytes32: [Password]], at now: Date) {
    let all = owners.values.flatMap(\.self)
    let oldest = now.addingTimeInterval(-Double(Self.oldDays) * 86_400)
    found[.reused] = owners.values.filter { $0.count > 1 }.sorted {
      ($1.count, $0[0].row.title, $0[0].row.subtitle) < ($0.count, $1[0].row.title, $1[0].row.subtitle)
    }
    found[.common] = [all.filter(\.strength.isCommon).sorted { $0.row.title < $1.row.title }]
    found[.weak] = [
      all.filter { !$0.strength.isCommon && $0.strength.grade == .weak }.sorted { $0.strength.bits < $1.strength.bits }
    ]
    found[.old] = [all.filter { $0.row.modified < oldest }.sorted { $0.row.modified < $1.row.modified }]
  }

  /// What was not looked at, each in words.
  package var omissions: [String] {
    [
      (protectedCount, "needs a further secret or a person each time", "need a further secret or a person each time"),
      (otherCount, "is no password, such as a note", "are no passwords, such as notes"),
      (damagedCount, "is damaged", "are damaged"),
    ].compactMap { count, one, more in
      count == 0 ? nil : counted(count, "item \(one)", "items \(more)")
    } + (unreadableGroupCount == 0 ? [] : ["\(counted(unreadableGroupCount, "group")) cannot be read"])
  }
}

extension InspectedVault {
  /// Opens the passwords that this author may read, one by one, and compares them.
  ///
  /// A value that needs a further secret stays closed. Values are compared by a keyed hash, whose random key is dropped
  /// with this vault, and overwritten. Throws `notEntitled` in a process tree that may see no values: from the answer,
  /// one could guess them.
  package func passwordHealth(at now: Date = Date()) throws(VaultError) -> PasswordHealth {
    // Read first: what is written meanwhile is looked at again.
    let position = try vault.itemChanges(after: nil).position
    var health = PasswordHealth()
    var owners: [Bytes32: [PasswordHealth.Password]] = [:]
    for itemClass in [ItemClass.genericPassword, .internetPassword] {
      var cursor = SearchCursor(ItemSearch(itemClass))
      while !cursor.isFinished {
        let page = try vault.page(&cursor)
        health.damagedCount += page.damaged.count
        for found in page.items { try examine(found, &health, &owners) }
      }
    }
    passwordDigests.set(owners.mapValues { Set($0.map(\.row.reference)) }, at: position)
    health.sort(owners, at: now)
    if vault.applicationIdentifier == nil {
      health.unreadableGroupCount = try max(0, local.membership().groups.count - vault.accessGroups.count)
    }
    return health
  }

  private func examine(
    _ found: FoundItem, _ health: inout PasswordHealth, _ owners: inout [Bytes32: [PasswordHealth.Password]]
  ) throws(VaultError) {
    let guards = [ValueGuard(found.attributes)] + (found.hasConflict ? try currentGuards(at: found.address) : [])
    guard guards.allSatisfy(\.isOpen) else {
      health.protectedCount += 1
      return
    }
    var stored: FoundItem?
    do throws(VaultError) {
      stored = try vault.storedVersion(found.version, of: found.address)
    } catch {
      guard error.code == .integrity else { throw error }
      health.damagedCount += 1
      return
    }
    // Another program has changed or deleted the item since.
    guard var bytes = stored?.value else { return }
    // What has another owner would be copied, and only the copy overwritten.
    stored = nil
    defer { bytes.wipe() }
    let part = found.attributes.string(.comment).flatMap(EntryOrigin.init(comment:))?.part ?? ""
    guard part.isEmpty, Self.isPassword(bytes) else {
      health.otherCount += 1
      return
    }
    health.examinedCount += 1
    let password = PasswordHealth.Password(row: ItemRow(found), strength: PasswordStrength(bytes))
    owners[passwordDigests.digest(of: bytes), default: []].append(password)
  }

  private static func isPassword(_ bytes: [UInt8]) -> Bool {
    !bytes.isEmpty && bytes.count <= PasswordHealth.maximumByteCount && bytes.isValidText
      && !bytes.contains(UInt8(ascii: "\n"))
  }

  /// The largest vault in which a password is compared with all others while it is typed.
  private static let comparedItemLimit = 5_000

  /// Returns how many items other than one have a password. Nil in a large vault, unless all were compared since its
  /// last change.
  package func countItems(
    withPassword password: SecretText, except item: ItemReference?
  ) throws(VaultError) -> Int? {
    let position = try vault.itemChanges(after: nil).position
    if passwordDigests.position != position {
      guard try vault.itemCount(of: nil, in: nil) <= Self.comparedItemLimit else { return nil }
      _ = try passwordHealth()
    }
    return passwordDigests.owners(of: password).filter { $0 != item }.count
  }
}

/// The passwords of a vault as they were compared last: which items have one, by a hash with a random key. It says
/// nothing to whoever has not the key, which is in guarded memory and leaves it with the vault.
final class PasswordDigests: Sendable {
  private struct State {
    var position: ChangePosition?
    var owners: [Bytes32: Set<ItemReference>] = [:]
  }

  private static let domain = Domain("coffer.reuse.1")
  private let key = SymmetricKey.random()
  private let state = Mutex(State())

  /// When the passwords were compared; nil if they were not.
  var position: ChangePosition? { state.withLock { $0.position } }

  func digest(of bytes: [UInt8]) -> Bytes32 { key.keyedHash32(bytes, domain: Self.domain) }

  func owners(of password: SecretText) -> Set<ItemReference> {
    let digest = key.keyedHash32(password, domain: Self.domain)
    return state.withLock { $0.owners[digest] ?? [] }
  }

  func set(_ owners: [Bytes32: Set<ItemReference>], at position: ChangePosition) {
    state.withLock { $0 = State(position: position, owners: owners) }
  }

  func removeAll() { state.withLock { $0 = State() } }
}
