import Coffer
import CofferSystem
import Testing

@testable import CofferSecretService

@Suite struct NewItemTests {
  private func item(_ attributes: [String: String], label: String = "", in collection: String? = nil) -> NewItem {
    NewItem(label: label, attributes: attributes, contentType: "text/plain", subcollection: collection, value: [1])
  }

  @Test func `Two machines that store the same item at the same time give it the same names`() {
    let attributes = ["server": "example.com", "user": "jane", "protocol": "https"]
    let one = item(attributes, label: "One").password(isUnique: false)
    let other = item(attributes, label: "Another").password(isUnique: false)
    #expect(one.service == "example.com" && one.account.hasPrefix("jane "))
    #expect(one.service == other.service && one.account == other.account)
  }

  @Test func `Items that differ in any attribute or in their collection have other names`() {
    let attributes = ["server": "example.com", "user": "jane"]
    let name = item(attributes).password(isUnique: false).account
    for other in [
      item(["server": "example.com", "user": "jane", "port": "1"]), item(attributes, in: "c1"),
      item(["server": "example.com", "user": "jane", "": "x"]),
    ] {
      #expect(other.password(isUnique: false).account != name)
    }
    #expect(item(attributes).password(isUnique: true).account != item(attributes).password(isUnique: true).account)
  }

  @Test func `An item without known attributes is named after its schema, then after its label`() {
    #expect(item(["xdg:schema": "org.example"], label: "L").password(isUnique: false).service == "org.example")
    #expect(item(["a": "b"], label: "L").password(isUnique: false).service == "L")
    #expect(item([:]).password(isUnique: false).service == "secret")
    let long = item(["service": String(repeating: "é", count: 4_000)]).password(isUnique: false)
    #expect(long.service.unicodeScalars.count == 200)
  }

  @Test func `The record of an item has its attributes and no secret`() throws {
    let password = item(["a": "b"], in: "c1").password(isUnique: false)
    let record = try #require(password.generic.flatMap { SecretServiceRecord(bytes: [UInt8]($0)) })
    #expect(record.attributes == ["a": "b"] && record.collection == "c1" && record.aliases == nil)
  }
}
