internal import Coffer
internal import CofferCrypto

/// The items that a person is about to change together, as they were when they were shown.
package struct ItemSelection: Sendable, Hashable {
  package let count: Int
  /// What identifies these versions of these items, for a form.
  package let digest: String

  init(_ revisions: [ItemRevision]) {
    count = revisions.count
    digest = Hash.digest(Array(revisions.map(\.text).sorted().joined(separator: " ").utf8), domain: .selection).hex
  }
}

extension Domain {
  fileprivate static let selection = Domain("coffer.select.1")
}
