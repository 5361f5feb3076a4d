/// Where the versions of an item are: its access group and its identifier there. Both change when the item is moved, and the
/// identifier when its primary key changes.
package struct ItemAddress: Hashable, Comparable, Coded {
  package let group: GroupID
  package let item: ItemID

  package init(group: GroupID, item: ItemID) {
    self.group = group
    self.item = item
  }

  package func write(to writer: inout ByteWriter) {
    group.write(to: &writer)
    item.write(to: &writer)
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    group = try GroupID(from: &reader)
    item = try ItemID(from: &reader)
  }

  package static func < (left: ItemAddress, right: ItemAddress) -> Bool {
    (left.group, left.item) < (right.group, right.item)
  }
}
