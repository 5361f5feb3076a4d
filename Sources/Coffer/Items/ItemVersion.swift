internal import CofferFormat
internal import CofferStore
internal import CofferTrust
public import Foundation

/// One version of an item: what somebody wrote at some time.
public struct ItemVersion<Item: KeychainItem>: Hashable, Sendable {
  /// The names and attributes; nil for a version that deleted the item.
  public let item: Item?
  /// The access group's full name.
  public let group: String
  /// When it was written, by its writer's clock.
  public let written: Date
  /// Who wrote it, verified by its signature.
  public let writer: Writer
  /// True for the version that a look-up gives.
  public let isCurrent: Bool
  let groupID: GroupID
  let hash: RecordHash

  /// True for a version that deleted the item.
  public var isDeletion: Bool { item == nil }
}
