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

  @Test func `Only identifiers that the service gives count as those of locked objects`() {
    let identifier = CollectionInfo.newSubcollection()
    #expect(CollectionInfo.isSubcollection(identifier) && identifier != CollectionInfo.newSubcollection())
    for text in ["", "c", "login", "coffer.desktop", "c0123456789abcdeg", identifier + "0"] {
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
