package import CofferFormat

/// The number of pending or refused records of one author in one group.
package struct UnadmittedCount: Hashable, Sendable {
  /// The author that the records name.
  package let author: AuthorID
  package let group: GroupID
  /// A machine that sent them; nil if no segment with them is known.
  package let device: DeviceID?
  /// True if each segment with the records names a later log entry than this machine has followed.
  package let isPending: Bool
  package let count: Int

  package init(author: AuthorID, group: GroupID, device: DeviceID?, isPending: Bool, count: Int) {
    self.author = author
    self.group = group
    self.device = device
    self.isPending = isPending
    self.count = count
  }
}
