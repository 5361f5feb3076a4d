import Coffer
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// The change of this machine's passphrase in a browser.
@Suite struct PassphrasePageTests {
  private static let new = "a new + longer & passphrase"

  private func items(hasPassphrase: Bool = true) throws -> InspectedItems {
    try InspectedItems(hasPassphrase: hasPassphrase) { app in
      try app.add("value-of-it", for: GenericPassword(service: "first", account: "jane"))
    }
  }

  /// The exit code of a command that needs the passphrase.
  private func open(_ items: InspectedItems, with passphrase: String) throws -> Int32? {
    let file = try items.machine.directory.write("\(UUID().uuidString)", passphrase)
    return try items.machine.run("coffer", "get", "first", "jane", "--passphrase-file", file).exitCode
  }

  @Test func `The passphrase is changed as by the command, and the pages go on`() throws {
    let items = try items()
    let form = try items.get("/passphrase").text
    #expect(form.contains("Current passphrase") && form.contains("autocomplete=\"new-password\""))
    #expect(try items.get("/").text.contains("href=\"/passphrase\""))
    let done = try items.post(
      "/passphrase", ["current": InspectedItems.passphrase, "new": Self.new, "repeated": Self.new])
    #expect(done.status == 303 && done["location"] == "/?done=passphrase", "\(done)")
    #expect(try items.get("/?done=passphrase").text.contains("The passphrase of this machine was changed."))
    #expect(try open(items, with: InspectedItems.passphrase) == 5)
    #expect(try open(items, with: Self.new) == 0)
    // The vault is locked and opened again by the new one only.
    try items.inspector.lock(items.session)
    for (passphrase, status) in [(InspectedItems.passphrase, 423), (Self.new, 303)] {
      let encoded = passphrase.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      let form = "csrf=\(items.session.csrf)&passphrase=\(encoded)"
      #expect(try items.inspector.send("POST", "/unlock", form: form, as: items.session).status == status)
    }
  }

  @Test func `A wrong current passphrase, and two different new ones, change nothing and are named`() throws {
    let items = try items()
    let right = InspectedItems.passphrase
    let long = String(repeating: "x", count: 2_000)
    for (fields, words) in [
      (["current": "wrong", "new": Self.new, "repeated": Self.new], "Wrong passphrase for"),
      (["current": "", "new": Self.new, "repeated": Self.new], "is needed"),
      (["current": right, "new": Self.new, "repeated": "other"], "differ"),
      (["current": right, "new": "", "repeated": ""], "is empty"),
      (["current": right, "new": long, "repeated": long], "passphrase"),
    ] {
      let refused = try items.post("/passphrase", fields)
      #expect(refused.status == 422 && refused.text.contains("The passphrase was not changed."), "\(refused)")
      #expect(refused.text.contains(words), "\(words): \(refused.text)")
      #expect(!refused.text.contains("a new +") && !refused.text.contains(right))
    }
    #expect(try items.post("/passphrase", ["current": right]).status == 400)
    #expect(try open(items, with: right) == 0)
  }

  @Test func `Five wrong current passphrases end the program`() throws {
    let items = try items()
    for _ in 1...4 {
      #expect(try items.post("/passphrase", ["current": "wrong", "new": "n", "repeated": "n"]).status == 422)
    }
    _ = try? items.post("/passphrase", ["current": "wrong", "new": "n", "repeated": "n"])
    try waitUntil("the program has ended") { !items.inspector.program.isRunning }
    let outcome = try items.inspector.program.wait()
    #expect(outcome.exitCode == 0 && outcome.errors.contains("Too many wrong passphrases"), "\(outcome)")
    #expect(try open(items, with: InspectedItems.passphrase) == 0)
  }

  @Test func `A machine without a passphrase gets its first one, and a short one is called short`() throws {
    let items = try items(hasPassphrase: false)
    let overview = try items.get("/").text
    #expect(overview.contains(">Set a passphrase</a>"))
    let done = try items.post("/passphrase", ["new": "short", "repeated": "short"])
    #expect(done.status == 303 && done["location"] == "/?done=passphrase&short=1", "\(done)")
    #expect(try items.get("/?done=passphrase&short=1").text.contains("It is short"))
    #expect(try LocalVault.open(VaultFolder(items.machine.vault)).hasPassphrase)
    #expect(try open(items, with: "short") == 0)
  }
}
