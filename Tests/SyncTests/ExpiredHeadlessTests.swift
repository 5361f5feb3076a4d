import CofferTestSupport
import Foundation
import Testing

/// A headless credential after its expiry. Its entries in the log state times in the past.
@Suite struct ExpiredHeadlessTests {
  private let suite: HeadlessMachine

  init() throws { suite = try HeadlessMachine.copy(withCredential: false) }

  private static var warning: Regex<Substring> {
    /coffer: read the vault up to entry [0-9]+ .*; head phrase: [a-z-]+\ncoffer: the credential ci expired on [0-9]{4}-[0-9-]+ [0-9:]+: .*coffer device revoke ci\n/
  }

  /// Replaces the key of the group of purchases, and no other.
  private func renewPurchases() throws {
    let narrow = try suite.laptop.directory.write(
      "narrow.entitlements", entitlementsPlist("com.example.photo.pro", groups: ["~com.example.photo.pro"]))
    try suite.laptop.coffer("app", "add", narrow, "--yes")
    try suite.laptop.coffer(
      "set", "service", "later", "--group", HeadlessMachine.purchases, input: "under the next key")
    try suite.laptop.sync()
  }

  @Test func `Until it is removed, it is shown as expired, and each use of it warns`() throws {
    try suite.createExpired()
    for command in [["get", "service", "token"], ["list"], ["status"], ["why", HeadlessMachine.freeApp], ["log"]] {
      let outcome = try suite.runner.start(
        "coffer", command,
        environment: ["COFFER_CREDENTIAL_FILE": suite.credential, "COFFER_REPOSITORY": suite.remote.path]
      ).wait()
      #expect(outcome.exitCode == 0 && outcome.errors.wholeMatch(of: Self.warning) != nil, "\(command): \(outcome)")
    }
    #expect(try suite.run("get", "service", "token").text == "of the free app")
    for machine in [suite.laptop, suite.desktop] {
      try machine.sync()
      #expect(try machine.coffer("device", "list").contains(/ci +[0-9a-f]{8} +read-only .*expired [0-9]{4}-/))
      #expect(try machine.coffer("status").contains(/Expired +The headless credential ci has expired on 20/))
      #expect(try machine.coffer("device", "list", "--json").contains("\"isExpired\" : true"))
    }
    try suite.laptop.coffer("device", "revoke", "ci", "--yes")
    #expect(!(try suite.laptop.coffer("status").contains("Expired")))
    #expect(!(try suite.laptop.coffer("device", "list", "--revoked", "--json").contains("\"isExpired\" : true")))
  }

  @Test func `One that has not expired gets each later key`() throws {
    try suite.createExpired(created: 100, expired: -10)
    try renewPurchases()
    let later = try suite.run("get", "service", "later", "--group", HeadlessMachine.purchases)
    #expect(later.text == "under the next key" && later.isQuiet, "\(later)")
    // With a new transport key.
    try suite.laptop.coffer("device", "revoke", "desktop", "--vault-key-file", suite.key, "--yes")
    try suite.laptop.coffer("set", "service", "last", "--app", HeadlessMachine.freeApp, input: "under both")
    try suite.laptop.sync()
    let last = try suite.run("get", "service", "last")
    #expect(last.text == "under both" && last.isQuiet, "\(last)")
    #expect(try suite.run("get", "service", "token").text == "of the free app")
  }

  @Test func `A key that was made after its expiry does not open with it`() throws {
    try suite.createExpired()
    try renewPurchases()
    let later = try suite.run("get", "service", "later", "--group", HeadlessMachine.purchases)
    #expect(later.exitCode == 4 && later.text.isEmpty, "\(later)")
    #expect(
      later.errors.contains(
        /a newer key of \S+com.example.photo.purchases is not sealed to the credential ci, which exp/),
      "\(later)")
    let why = try suite.run("why", HeadlessMachine.freeApp, HeadlessMachine.purchases)
    #expect(why.exitCode == 4 && why.text.contains("which expired on"), "\(why)")
    // The other groups keep their keys.
    #expect(try suite.run("get", "service", "token").text == "of the free app")
  }

  @Test func `After another machine was removed, it opens nothing that is new`() throws {
    try suite.createExpired()
    try suite.laptop.coffer("device", "revoke", "desktop", "--vault-key-file", suite.key, "--yes")
    try suite.laptop.coffer("set", "service", "new", "--app", HeadlessMachine.freeApp, input: "after")
    try suite.laptop.sync()
    let new = try suite.run("get", "service", "new")
    #expect(new.exitCode == 3 && new.text.isEmpty && new.errors.contains("the credential ci expired on"), "\(new)")
    let old = try suite.run("get", "service", "token")
    #expect(old.text == "of the free app" && old.errors.contains("cannot be read with it"), "\(old)")
  }
}
