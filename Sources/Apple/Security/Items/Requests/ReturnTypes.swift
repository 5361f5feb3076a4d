/// The kinds of results that a call requests: the keys `kSecReturn…`.
struct ReturnTypes: OptionSet, Sendable {
  let rawValue: UInt8

  static let data = ReturnTypes(rawValue: 1)
  static let attributes = ReturnTypes(rawValue: 2)
  static let reference = ReturnTypes(rawValue: 4)
  static let persistentReference = ReturnTypes(rawValue: 8)

  /// True if the value of the item is needed.
  var needValues: Bool { !isDisjoint(with: [.data, .reference]) }

  /// True if exactly one kind is requested.
  var isSingle: Bool { rawValue.nonzeroBitCount == 1 }
}
