/// What an access group demands of the machines that give apps its keys. Each machine obeys for itself: the log cannot
/// show how a machine keeps a credential.
package enum GroupRequirement: UInt8, Hashable, Sendable, CaseIterable {
  case none = 0
  /// A person has to answer before a program gets values of the group.
  case lease = 1
  /// The operating system keeps the app's keys from other programs of the same user.
  case strong = 2

  /// The word for it in commands and FORMAT.md.
  package var name: String {
    switch self {
    case .none: "none"
    case .lease: "lease"
    case .strong: "strong"
    }
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    guard let requirement = GroupRequirement(rawValue: try reader.u8("requirement")) else {
      throw reader.failure(.invalidValue, "requirement")
    }
    self = requirement
  }
}
