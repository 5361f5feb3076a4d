package import Coffer
package import CofferFormat
package import CofferVault

/// What an app in a sandbox asks of its vault. The broker outside of the sandbox answers it, by the app's rights.
///
/// No request and no answer contains a value: values are bytes beside them, which are wiped.
package struct VaultRequest: Codable, Sendable {
  package enum Kind: String, Codable, Sendable {
    case status, unlock, lock
    case find, read, add, set, change, delete
    case versions, conflicts, version, restore
    case buyer, redeem, receipt
    case changes
    /// Answered at once, and then by one byte for each change.
    case watch
  }

  package let kind: Kind
  /// The items; or the class, the attributes and the group of one.
  package var search: ItemSearch?
  package var scope: SearchScope?
  package var changes: [ItemChange]?
  /// The group to watch, or to move items to.
  package var group: String?
  /// The receipt to redeem.
  package var text: String?
  /// A version, and the group that has it.
  package var version: RecordHash?
  package var place: GroupID?
  /// A position in the store, or after how many milliseconds without use the vault locks.
  package var number: Int64?

  package init(_ kind: Kind, _ search: ItemSearch? = nil) {
    self.kind = kind
    self.search = search
  }
}

/// The answer to a request.
package struct VaultAnswer: Codable, Sendable {
  package var status: BrokeredStatus?
  package var items: [FoundItem]?
  /// The versions of one item, or those in conflict of several.
  package var versions: [[FoundVersion]]?
  package var damaged: [VaultError.Report]?
  /// The attributes of an item as they are stored.
  package var attributes: ItemAttributes?
  package var groups: [String]?
  /// The buyer, or a receipt.
  package var text: String?
  /// The number of changed items, or a position in the store.
  package var number: Int64?

  package init() {}

  /// Returns what the answer to a request of this kind has.
  func part<Value>(_ part: Value?) throws(VaultError) -> Value {
    guard let part else {
      throw VaultError(
        .upgradeNeeded, "the broker of Coffer gives an answer that this app does not know",
        recoverySuggestion: "update Coffer on this machine, and the app")
    }
    return part
  }
}
