internal import Coffer
internal import CofferFormat
internal import Foundation

extension FoundItem {
  /// What stands between the item and its value; nil where nothing does.
  func accessControl() throws(SecurityError) -> SecAccessControl? {
    try SecAccessControl(of: attributes)
  }
}

extension SecAccessControl {
  /// The access control that an item is stored with; nil where there are no conditions.
  convenience init?(of attributes: ItemAttributes) throws(SecurityError) {
    guard let stored = attributes[.accessControl] else { return nil }
    do throws(FormatError) {
      try self.init(serialized: stored.matchBytes)
    } catch {
      throw SecurityError(errSecDecode, error.description)
    }
  }
}
