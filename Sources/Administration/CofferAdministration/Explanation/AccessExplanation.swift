public import Coffer
internal import CofferFormat
internal import CofferSystem
package import CofferVault

/// Why an app can or cannot read an access group, or an item, on this machine: a chain of links from its entitlements
/// plist to the record. Access ends at the first link that does not hold.
///
/// ``Vault/explainAccess(of:to:presenting:at:)`` and ``Vault/explainAccess(of:to:in:)`` create it.
public struct AccessExplanation: Hashable, Sendable, Encodable {
  /// One condition of access.
  public struct Link: Hashable, Sendable, Encodable {
    /// The conditions, in their order.
    public enum Kind: String, Hashable, Sendable, Encodable, CaseIterable {
      /// The app's plist names the group.
      case plist
      /// The membership log registers the app with this right.
      case registration
      /// The app has keys of its own on this machine.
      case principal
      /// The group's key is sealed to these keys.
      case groupKey
      /// The record is valid, here, and not protected further.
      case record
    }

    /// Whether a condition holds.
    public enum State: String, Hashable, Sendable, Encodable {
      /// The condition is fulfilled.
      case holds
      /// Access ends here.
      case ends
      /// An earlier link ends access, so this one is not reached.
      case notReached
    }

    /// The condition.
    public let kind: Kind
    /// Whether it holds.
    public let state: State
    /// What is the case, as a sentence.
    public let sentence: String
    /// What to do, as a sentence; nil if nothing has to be done.
    public let advice: String?

    /// The name of the condition.
    public var title: String {
      switch kind {
      case .plist: "Entitlements plist"
      case .registration: "Registration in the membership log"
      case .principal: "Keys of the app on this machine"
      case .groupKey: "Key of the access group"
      case .record: "Record"
      }
    }
  }

  /// The app, as it was asked for or by its full identifier if it is registered.
  public let app: String
  /// The group, as it was asked for or by its full name if it is registered.
  public let group: String
  /// This machine's name.
  public let machine: String
  /// Whether every link holds.
  public let canRead: Bool
  /// Whether the app may write, too.
  public let canWrite: Bool
  /// The conditions: one of each ``Link/Kind-swift.enum``, in their order.
  public let links: [Link]

  /// The link at which access ends; nil if the app can read.
  public var end: Link? { links.first { $0.state == .ends } }

  /// The answer, as a sentence.
  public var conclusion: String {
    if let end {
      return "\(app) cannot read \(group) on \(machine). Access ends at: \(end.title)."
    }
    return canWrite
      ? "\(app) can read and write \(group) on \(machine)."
      : "\(app) can read \(group) on \(machine), but not write it."
  }

  /// Creates an explanation. Every link after the first that does not hold is marked as not reached.
  init(app: String, group: String, machine: String, isWritable: Bool, links: [Link]) {
    let end = links.firstIndex { $0.state == .ends }
    self.app = app
    self.group = group
    self.machine = machine
    canRead = end == nil
    canWrite = end == nil && isWritable
    self.links = links.enumerated().map { index, link in
      guard let end, index > end else { return link }
      return Link(kind: link.kind, state: .notReached, sentence: link.sentence, advice: nil)
    }
  }
}

extension Vault {
  /// Explains why an app can or cannot read its access groups on this machine, without a key and without a passphrase.
  ///
  ///     for explanation in try Vault.explainAccess(of: "com.example.photo.free") { print(explanation.conclusion) }
  ///
  /// - Parameters:
  ///   - application: The app's full identifier, or a bundle identifier that is unique in the vault.
  ///   - accessGroup: The group's full name, or its name without the team's prefix; nil for all groups of the app.
  ///   - entitlements: The plist that the app presents when it opens the vault, to compare it with the registered one;
  ///     nil for the registered one alone.
  ///   - location: The vault's location; the user's own vault (``VaultLocation/standard()``) if nil.
  /// - Returns: An explanation for each group: one if a group is named, also if the app or the group does not exist.
  /// - Throws: ``VaultError``: `notEntitled` if neither a group nor a registered app is named; `noVault`; `integrity`.
  public static func explainAccess(
    of application: String, to accessGroup: String? = nil, presenting entitlements: EntitlementsSource? = nil,
    at location: VaultLocation? = nil
  ) throws(VaultError) -> [AccessExplanation] {
    try explainAccess(
      of: application, to: accessGroup, presenting: entitlements, in: LocalVault.openForReading(at: location))
  }

  /// Explains why an app can or cannot read its access groups in an open vault. As
  /// ``explainAccess(of:to:presenting:at:)``.
  package static func explainAccess(
    of application: String, to accessGroup: String?, presenting entitlements: EntitlementsSource?, in local: LocalVault
  ) throws(VaultError) -> [AccessExplanation] {
    let facts = try AccessFacts.read(from: local, withActivity: false)
    let presented = entitlements.map { PresentedPlist.read($0, in: facts.membership) }
    if let accessGroup {
      return [facts.explanation(ofApp: application, group: accessGroup, presented: presented)]
    }
    let explanations = facts.explanations(ofApp: application, presented: presented)
    if explanations.isEmpty { _ = try local.application(named: application) }
    return explanations
  }

  /// Explains why an app can or cannot read an item on this machine.
  ///
  /// Only groups that this vault's author can read are searched: open the vault as another app, or use `coffer why`, to
  /// explain an item of other groups.
  ///
  /// - Parameters:
  ///   - application: The app's full identifier, or a bundle identifier that is unique in the vault.
  ///   - item: The item, by its primary key.
  ///   - accessGroup: The group to search; all groups of this vault's author if nil.
  /// - Returns: An explanation for each group that has such an item; none if no group has one.
  /// - Throws: ``VaultError``: `locked`; `notEntitled` for a group that this vault's author cannot read; `integrity`
  ///   for a damaged item; `invalidArgument` for a vault in memory, which has no registrations.
  public func explainAccess<Item: KeychainItem>(
    of application: String, to item: Item, in accessGroup: String? = nil
  ) throws(VaultError) -> [AccessExplanation] {
    guard memory == nil else {
      throw VaultError(
        .invalidArgument, "a vault in memory has no registrations, so access to it cannot be explained",
        recoverySuggestion: "use a vault in a folder")
    }
    var search = ItemQuery<Item>().naming(item).search
    search.group = accessGroup
    let found = try find(search, withValues: false)
    guard !found.isEmpty else { return [] }
    let facts = try AccessFacts.read(from: local, withActivity: false)
    return found.map { facts.explanation(ofApp: application, group: $0.group, item: $0) }
  }
}
