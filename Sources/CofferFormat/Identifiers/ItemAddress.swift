/// Where the versions of an item are: its access group and its identifier there. Both change when the item is moved, and the
/// identifier when its primary key changes.
package struct ItemAddress: Hashable, Comparable, Sendable {
  package let group: GroupID
  package let item: ItemID

  package init(group: GroupID, item: ItemID) {
    self.group = group
    self.item = item
  }

  package static func < (left: ItemAddress, right: ItemAddress) -> Bool {
    (left.group, left.item) < (right.group, right.item)
  }
}
