internal import CofferTestSupport

/// An app as the rules see it: the access groups that it holds.
struct ModelApp {
  let identifier: String
  /// As the plist lists them, without the team's prefix.
  let groups: [String]
  let readOnlyGroups: [String]

  /// Two apps that share a group; the second may read another of the first.
  static let pair = [
    ModelApp(
      identifier: "com.example.one", groups: ["com.example.alpha", "com.example.shared"], readOnlyGroups: []),
    ModelApp(
      identifier: "com.example.two", groups: ["com.example.shared", "com.example.beta"],
      readOnlyGroups: ["com.example.alpha"]),
  ]

  /// The first of the list, where items are added unless said otherwise.
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
