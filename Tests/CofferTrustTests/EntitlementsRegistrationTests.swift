import CofferTrust
import Foundation
import Testing

@Suite struct EntitlementsRegistrationTests {
  private let application = "$(AppIdentifierPrefix)com.example.photo"

  private func group(_ text: String) throws -> AccessGroupName { try #require(AccessGroupName(text)) }

  @Test func `Groups are in Apple's order, read-only ones last, and the first keychain group is the default`() throws {
    let read = try entitlements(
      entitlementsXML(
        application: application, keychain: ["$(AppIdentifierPrefix)b", "$(AppIdentifierPrefix)a"],
        applicationGroups: ["group.z", "group.y"], readOnly: ["$(AppIdentifierPrefix)0"]))
    #expect(
      read.groups.map(\.name.description) == [
        "ABCDEFGHIJ.b", "ABCDEFGHIJ.a", "ABCDEFGHIJ.com.example.photo", "group.z", "group.y", "ABCDEFGHIJ.0",
      ])
    #expect(read.groups.map(\.access) == [.readWrite, .readWrite, .readWrite, .readWrite, .readWrite, .readOnly])
    #expect(read.defaultGroup.description == "ABCDEFGHIJ.b")
  }

  @Test func `An app identifier listed among the keychain groups keeps its position there`() throws {
    let read = try entitlements(
      entitlementsXML(application: application, keychain: ["$(AppIdentifierPrefix)a", application]))
    #expect(read.groups.map(\.name.description) == ["ABCDEFGHIJ.a", "ABCDEFGHIJ.com.example.photo"])
  }

  @Test func `Without keychain groups the default is the app's own group, never a read-only one`() throws {
    let read = try entitlements(
      entitlementsXML(
        application: application, applicationGroups: ["group.a"], readOnly: ["$(AppIdentifierPrefix)a"]))
    #expect(read.defaultGroup.description == "ABCDEFGHIJ.com.example.photo")
    #expect(read.access(to: read.defaultGroup) == .readWrite)
  }

  @Test func `Access to a group is as the plist states, and to others there is none`() throws {
    let read = try entitlements(
      entitlementsXML(
        application: application, keychain: ["$(AppIdentifierPrefix)w"], readOnly: ["$(AppIdentifierPrefix)r"]))
    #expect(read.access(to: try group("ABCDEFGHIJ.w")) == .readWrite)
    #expect(read.access(to: try group("ABCDEFGHIJ.r")) == .readOnly)
    #expect(read.access(to: try group("ABCDEFGHIJ.W")) == nil)
    #expect(read.access(to: try group("group.w")) == nil)
  }

  @Test func `A presented plist may claim the registered rights, in another order, or fewer`() throws {
    let registered = try entitlements(
      entitlementsXML(
        application: application, keychain: ["$(AppIdentifierPrefix)a", "$(AppIdentifierPrefix)b"],
        applicationGroups: ["group.c"]))
    for presented in [
      registered, try entitlements(entitlementsXML(application: application)),
      try entitlements(
        entitlementsXML(
          application: application, keychain: ["$(AppIdentifierPrefix)b"], readOnly: ["$(AppIdentifierPrefix)a"])),
    ] {
      try presented.checkSubset(of: registered, source: "App.entitlements")
    }
  }

  @Test func `A plist with an added group is refused with plist, key, group and recovery suggestion`() throws {
    let registered = try entitlements(entitlementsXML(application: application, keychain: ["$(AppIdentifierPrefix)a"]))
    let edited = try entitlements(
      entitlementsXML(
        application: application, keychain: ["$(AppIdentifierPrefix)a"], applicationGroups: ["group.more"]))
    let error = try #require(throws: EntitlementsError.self) {
      try edited.checkSubset(of: registered, source: "Edited.entitlements")
    }
    #expect(error.code == .exceedsRegistration)
    #expect(error.group == "group.more")
    #expect(error.description.hasPrefix("Edited.entitlements: com.apple.security.application-groups: \"group.more\" "))
    #expect(error.recoverySuggestion.contains("coffer app add"))
  }

  @Test func `A plist that changes reading to writing is refused`() throws {
    let registered = try entitlements(entitlementsXML(application: application, readOnly: ["$(AppIdentifierPrefix)a"]))
    let edited = try entitlements(entitlementsXML(application: application, keychain: ["$(AppIdentifierPrefix)a"]))
    let error = try #require(throws: EntitlementsError.self) {
      try edited.checkSubset(of: registered, source: "Edited.entitlements")
    }
    #expect(error.code == .exceedsRegistration)
    #expect(error.what.contains("read-only"))
  }

  @Test func `A plist of another app is refused even if it claims no more`() throws {
    let registered = try entitlements(
      entitlementsXML(application: application, keychain: ["$(AppIdentifierPrefix)com.example.mail"]))
    let other = try entitlements(entitlementsXML(application: "$(AppIdentifierPrefix)com.example.mail"))
    let error = try #require(throws: EntitlementsError.self) {
      try other.checkSubset(of: registered, source: "Mail.entitlements")
    }
    #expect(error.code == .otherApplication)
  }

  @Test func `Every included plist expands without an option`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Entitlements")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent != "README.md" }
    #expect(!files.isEmpty)
    let team = try #require(TeamID("ABCDEFGHIJ"))
    for file in files {
      #expect(file.pathExtension == "entitlements")
      let document = try EntitlementsDocument(bytes: Array(Data(contentsOf: file)), source: file.lastPathComponent)
      _ = try document.expanded(team: team, bundleID: nil, sourcePrefix: nil)
    }
  }

  @Test func `The README of the plists names every key that is used`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Entitlements/README.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    for key in EntitlementsKey.allCases { #expect(text.contains("**`\(key.rawValue)`**")) }
  }

  @Test func `The free photo app reads the paid app's marker and cannot write it`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Entitlements")
    let team = try #require(TeamID("ABCDEFGHIJ"))
    var access: [Entitlements.Access?] = []
    for name in ["PhotoFree.entitlements", "PhotoPro.entitlements"] {
      let bytes = try Array(Data(contentsOf: folder.appending(path: name)))
      let read = try EntitlementsDocument(bytes: bytes, source: name)
        .expanded(team: team, bundleID: nil, sourcePrefix: nil)
      access.append(read.access(to: try group("ABCDEFGHIJ.com.example.photo.purchases")))
    }
    #expect(access == [.readOnly, .readWrite])
  }
}
