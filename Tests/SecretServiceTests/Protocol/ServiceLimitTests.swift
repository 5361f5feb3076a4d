import Testing

@testable import CofferSecretService

@Suite struct ServiceLimitTests {
  @Test func `Attributes that are too many, too long or without a name are refused by name`() throws {
    let many = Dictionary(uniqueKeysWithValues: (0..<65).map { ("a\($0)", "b") })
    let long = String(repeating: "x", count: 8_193)
    for attributes in [many, ["a": long], [long: "a"]] {
      #expect(
        name { () throws(ServiceError) in try ServiceLimits.check(attributes: attributes) }
          == "org.freedesktop.DBus.Error.LimitsExceeded")
    }
    #expect(
      name { () throws(ServiceError) in try ServiceLimits.check(attributes: ["": "a"]) }
        == "org.freedesktop.DBus.Error.InvalidArgs")
    #expect(
      name { () throws(ServiceError) in try ServiceLimits.check(label: long) }
        == "org.freedesktop.DBus.Error.LimitsExceeded")
    try ServiceLimits.check(attributes: ["a": String(repeating: "x", count: 8_192)])
    try ServiceLimits.check(attributes: many.filter { $0.key != "a0" })
  }

  @Test func `A collection is identified by its label, as gnome-keyring does it, and by a number if another one is`() {
    // What gnome-keyring 42.1 makes of these labels.
    let labels = [
      "awsvault": "awsvault", "aws-vault": "aws-vault", "AwsVault": "AwsVault", "My Keys/x: y": "My_Keys_x__y",
      "Ünï": "Ünï", "": "unnamed", "login": "login_1", "session": "session_1",
    ]
    for (label, identifier) in labels {
      #expect(CollectionInfo.newSubcollection(label: label, besides: []) == identifier)
    }
    #expect(CollectionInfo.newSubcollection(label: "a", besides: ["a", "a_1"]) == "a_2")
    let long = CollectionInfo.newSubcollection(label: String(repeating: "ü", count: 8_000), besides: [])
    #expect(CollectionInfo.isSubcollection(long))
  }

  @Test func `Only identifiers that the service gives count as those of locked objects`() {
    // The second is one of an earlier version.
    for text in ["awsvault", "c0123456789abcdef", "login_1", "unnamed"] {
      #expect(CollectionInfo.isSubcollection(text), "\(text)")
    }
    for text in ["", "login", "default", "session", "a b", "a/b", "a\u{7}", String(repeating: "a", count: 256)] {
      #expect(!CollectionInfo.isSubcollection(text), "\(text)")
    }
    #expect(IndexedItem.isIdentifier("g" + String(repeating: "0", count: 32)))
    for text in ["", "g", "l" + String(repeating: "0", count: 32), "g" + String(repeating: "G", count: 32)] {
      #expect(!IndexedItem.isIdentifier(text), "\(text)")
    }
  }

  private func name(_ body: () throws(ServiceError) -> Void) -> String? {
    do throws(ServiceError) {
      try body()
      return nil
    } catch {
      return error.name
    }
  }
}
