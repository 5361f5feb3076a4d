import CofferFormat
import CofferKeys
import CofferStore
import CofferTrust
import Foundation
import Testing

@testable import Coffer

/// Changes of membership that are being pushed and may be discarded.
@Suite struct UnpublishedMembershipTests {
  private let fixture: TemporaryVault
  private let name = GenericPassword(service: "s", account: "a")

  /// Returns a vault whose remote has everything so far.
  init() throws {
    fixture = try TemporaryVault()
    try fixture.app("com.example.one")
    try fixture.local.store.write { writer in
      try writer.setSetting(.remoteURL, Array("/nowhere".utf8))
      try writer.markLogPublished(writer.logLength(), as: [])
    }
  }

  private func register(_ application: String, groups: [String] = []) throws -> AppRegistration.Outcome {
    try AppRegistration(fixture.local, passphrase: .unavailable)
      .register(
        .init(
          plist: TemporaryVault.plist(application, groups: groups), source: "test", bundleID: nil, sourcePrefix: nil))
  }

  private func open(_ application: String = "com.example.one") throws -> Vault {
    try Vault.open(.bytes(TemporaryVault.plist(application)), at: fixture.location)
  }

  @Test func `An app that was opened during the push opens again after the change was discarded`() throws {
    let published = try fixture.local.membership().head
    _ = try register("com.example.two")
    #expect(try fixture.local.membership().head != published)
    try open().set("v", for: name)
    #expect(try fixture.credential(of: "com.example.one").seen == published)
    try fixture.local.discardUnpublishedLog()
    #expect(try open().string(for: name) == "v")
    // Entries that the remote has accepted are pinned.
    _ = try register("com.example.three")
    try fixture.local.store.write { try $0.markLogPublished($0.logLength(), as: []) }
    _ = try open()
    #expect(try fixture.credential(of: "com.example.one").seen == fixture.local.membership().head)
  }

  @Test func `Nothing is written to a group whose key may be discarded until the push is settled`() throws {
    let owner = try fixture.owner()
    let plist = ["~com.example.one", "~com.example.new"]
    _ = try register("com.example.one", groups: plist)
    #expect(code { try owner.set("v", for: name, in: "com.example.new") } == .notEntitled)
    #expect(code { try open().set("v", for: name, in: "com.example.new") } == .notEntitled)
    try fixture.local.store.write { try $0.markLogPublished($0.logLength(), as: []) }
    try owner.set("v", for: name, in: "com.example.new")
    #expect(try open().string(for: name, in: "com.example.new") == "v")
  }

  @Test func `Before anything was pushed, and without a remote, every change takes effect at once`() throws {
    let fixture = try TemporaryVault()
    try fixture.app("com.example.one").set("v", for: name)
    try fixture.local.store.write { try $0.setSetting(.remoteURL, Array("/nowhere".utf8)) }
    let vault = try Vault.open(.bytes(TemporaryVault.plist("com.example.one")), at: fixture.location)
    #expect(try vault.string(for: name) == "v")
  }

  @Test func `A program that opens its vault does not replace a new credential with an old one`() throws {
    let application = try fixture.local.application(named: "com.example.one")
    let file = fixture.local.folder.credentialFile(of: application)
    let old = try file.read(Credential.self)
    let vault = try open()
    let (credential, _) = try AppRegistration(fixture.local, passphrase: .unavailable).install(application)
    try fixture.local.store.write { try $0.markLogPublished($0.logLength(), as: []) }
    try credential.install(in: fixture.local)
    let membership = try fixture.local.membership()
    let new = try file.read(Credential.self).author
    #expect(new != old.author)
    old.advance(to: membership.head, in: file)
    #expect(try file.read(Credential.self).author == new)
    // An open vault continues with the keys that it has, and reports the change when it needs new ones.
    try vault.set("v", for: name)
    vault.lock()
    #expect(code { try vault.unlock() } == .notEntitled)
    #expect(try open().string(for: name) == "v")
  }

  @Test func `The next write removes the secret file of a killed program, but no recent one`() throws {
    let application = try fixture.local.application(named: "com.example.one")
    let path = fixture.local.folder.credentialFile(of: application).path
    for (suffix, age) in [("aaaa", 3600.0), ("bbbb", 0)] {
      try Data("secret".utf8).write(to: URL(fileURLWithPath: "\(path).\(suffix).new"))
      try FileManager.default.setAttributes(
        [.modificationDate: Date() - age], ofItemAtPath: "\(path).\(suffix).new")
    }
    _ = try register("com.example.two")
    try fixture.local.store.write { try $0.markLogPublished($0.logLength(), as: []) }
    _ = try open()
    #expect(!FileManager.default.fileExists(atPath: "\(path).aaaa.new"))
    #expect(FileManager.default.fileExists(atPath: "\(path).bbbb.new"))
  }
}
