internal import CofferTestSupport

/// An app in the model: the access groups that it has.
struct ModelApp {
  let identifier: String
  /// The groups in the order of the plist, without the team's prefix.
  let groups: [String]
  let readOnlyGroups: [String]

  /// Two apps that share a group; the second may also read another group of the first.
  static let pair = [
    ModelApp(
      identifier: "com.example.one", groups: ["com.example.alpha", "com.example.shared"], readOnlyGroups: []),
    ModelApp(
      identifier: "com.example.two", groups: ["com.example.shared", "com.example.beta"],
      readOnlyGroups: ["com.example.alpha"]),
  ]

  /// The first group of the list, to which items are added by default.
  var defaultGroup: String { groups[0] }
  var writable: [String] { groups + [identifier] }
  var readable: [String] { writable + readOnlyGroups }

  var plist: [UInt8] {
    Array(
      entitlementsPlist(
        identifier, groups: groups.map { "~\($0)" }, readOnly: readOnlyGroups.map { "~\($0)" }
      ).utf8)
  }
}
