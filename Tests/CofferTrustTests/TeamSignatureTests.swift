import CofferCrypto
import CofferFormat
import CofferTrust
import Foundation
import Testing

/// The signature of a vendor's team in a plist. The expected values come from an implementation in Python.
@Suite struct TeamSignatureTests {
  private let plist = entitlementsXML(
    application: "$(AppIdentifierPrefix)com.example.photo",
    keychain: ["$(AppIdentifierPrefix)com.example.photo", "$(AppIdentifierPrefix)com.example.suite"],
    applicationGroups: ["group.com.example.all"], readOnly: ["$(AppIdentifierPrefix)com.example.marker"])
  private let text =
    "COFFERTEAM1-000G-40R4-0M30-E209-185G-R38E-1W81-24GK-2GAH-C5RR-34D1-P70X-3RFP-2SX7"

  private func key() throws -> SigningKey { try VendorKey(.team, parsing: SecretText(copying: text.utf8)).signing() }

  private func signed(_ xml: String, by key: SigningKey) throws -> String {
    String(
      decoding: try EntitlementsDocument.signed(Array(xml.utf8), source: "App.entitlements", by: key), as: UTF8.self)
  }

  @Test func `Key, label and signature are those of the specification`() throws {
    let key = try key()
    let signed = try signed(plist, by: key)
    #expect(signed.contains("<string>A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=</string>"))
    #expect(
      signed.contains(
        "<string>Kr0/rawhuXxwnXpBWXggHLuv/HZfaAeIIAPzoPLkSUR3Sb6iYhUvfxjkyOt1V8Tn0QjieYB9rmt+vGovaneLCQ==</string>"))
    #expect(TeamID(vendor: key.publicKey).description == "ATYPK32SJM")
    #expect(try document(signed).team() == key.publicKey)
    #expect(try document(plist).team() == nil)
  }

  @Test func `Signing again changes nothing, and another team replaces the signature and keeps the rest`() throws {
    let first = try signed(plist.replacing("<dict>", with: "<dict><!-- the suite -->"), by: key())
    #expect(try signed(first, by: key()) == first)
    let other = SigningKey.random()
    let second = try signed(first, by: other)
    #expect(try document(second).team() == other.publicKey)
    #expect(second.contains("the suite") && second.components(separatedBy: "coffer-team-key").count == 2)
  }

  @Test func `A change of the identifier, of a group, of its list or of their order invalidates the signature`() throws
  {
    let signed = try signed(plist, by: key())
    let names = ["$(AppIdentifierPrefix)com.example.photo", "$(AppIdentifierPrefix)com.example.suite"]
    let elements = names.map { "<string>\($0)</string>" }
    for altered in [
      signed.replacing(
        "<string>\(names[0])</string><key>", with: "<string>$(AppIdentifierPrefix)com.example.x</string><key>"),
      signed.replacing("com.example.suite", with: "com.example.other"),
      signed.replacing(elements.joined(), with: elements.reversed().joined()),
      signed.replacing("coffer-read-only-access-groups", with: "com.example.ignored"),
    ] {
      #expect(altered != signed)
      #expect { try document(altered).team() } throws: { ($0 as? EntitlementsError)?.code == .invalidSignature }
    }
  }

  @Test func `Half a statement, and values of other sizes, are refused`() throws {
    let signed = try signed(plist, by: key())
    for altered in [
      signed.replacing("coffer-team-key", with: "com.example.ignored"),
      signed.replacing("coffer-team-signature", with: "com.example.ignored"),
      signed.replacing("A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=", with: "A6EHvw=="),
      signed.replacing("<string>A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=</string>", with: "<true/>"),
    ] {
      #expect { try document(altered) } throws: { ($0 as? EntitlementsError)?.code == .invalidSignature }
    }
  }

  @Test func `A plist without its identifier, or in the binary format, is not signed`() throws {
    let key = try key()
    let unnamed = entitlementsXML(keychain: ["$(AppIdentifierPrefix)com.example.photo"])
    #expect { try signed(unnamed, by: key) } throws: {
      ($0 as? EntitlementsError)?.code == .missingApplicationIdentifier
    }
    let binary = try PropertyListSerialization.data(
      fromPropertyList: ["application-identifier": "$(AppIdentifierPrefix)com.example.photo"], format: .binary,
      options: 0)
    #expect(throws: EntitlementsError.self) {
      try EntitlementsDocument.signed([UInt8](binary), source: "App.entitlements", by: key)
    }
  }

  @Test func `An update keeps what the app had, and has its own order`() throws {
    let earlier = try entitlements(plist)
    let update = try entitlements(
      entitlementsXML(
        application: "$(AppIdentifierPrefix)com.example.photo", keychain: ["$(AppIdentifierPrefix)com.example.new"],
        readOnly: ["$(AppIdentifierPrefix)com.example.suite"]))
    let both = update.keeping(earlier)
    #expect(
      both.groups.map(\.name.description) == [
        "ABCDEFGHIJ.com.example.new", "ABCDEFGHIJ.com.example.suite", "ABCDEFGHIJ.com.example.photo",
        "group.com.example.all", "ABCDEFGHIJ.com.example.marker",
      ])
    #expect(both.access(to: both.groups[1].name) == .readWrite)
    try earlier.checkSubset(of: both, source: "test")
    try update.checkSubset(of: both, source: "test")
  }
}
