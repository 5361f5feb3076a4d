internal import Coffer
internal import CofferFormat

extension SecAccessControl {
  /// Creates the access control of a stored item; nil if it has none. Throws `errSecDecode` if it is damaged.
  convenience init?(of attributes: ItemAttributes) throws(SecurityError) {
    guard let stored = attributes[.accessControl] else { return nil }
    do throws(FormatError) {
      try self.init(serialized: stored.matchBytes)
    } catch {
      throw SecurityError(errSecDecode, error.description)
    }
  }
}
