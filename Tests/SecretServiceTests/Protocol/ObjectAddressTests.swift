import CofferSecretService
import Testing

@Suite struct ObjectAddressTests {
  @Test(arguments: ["login", "coffer.desktop", "a_b", "Ünï cödé/..", "", "_", "__", "_2e"])
  func `Every name is one element of a valid path, from which it is read again`(name: String) {
    let path = ObjectAddress.collection(name).path
    #expect(ObjectAddress(path: path) == .collection(name))
    let element = path.split(separator: "/").last ?? ""
    #expect(path.split(separator: "/").count == 5)
    #expect(
      element.utf8.allSatisfy { byte in
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_".utf8.contains(byte)
      })
  }

  @Test func `A path that no object can have is none`() {
    for path in ["", "x", "/org/freedesktop/other", "/org/freedesktop/secrets/other/x", "/org/freedesktop/secrets/x"] {
      #expect(ObjectAddress(path: path) == nil, "\(path)")
    }
    #expect(ObjectAddress(path: "/org/freedesktop/secrets/collection/a/b/c") == nil)
    #expect(ObjectAddress(path: "/org/freedesktop/secrets/" + String(repeating: "a", count: 5_000)) == nil)
  }

  @Test func `Items are found under the alias of their collection, too`() {
    #expect(
      ObjectAddress(path: "/org/freedesktop/secrets/aliases/default/g1") == .aliasedItem(alias: "default", item: "g1"))
    #expect(ObjectAddress(path: "/org/freedesktop/secrets/aliases/default") == .alias("default"))
  }
}
