internal import Coffer
internal import CofferFormat
internal import Foundation

extension FoundItem {
  /// Returns the access control of the item; nil if it has none. Throws `errSecDecode` if it is damaged.
  func accessControl() throws(SecurityError) -> SecAccessControl? {
    try SecAccessControl(of: attributes)
  }
}
