import CofferTestSupport
import Foundation
import Testing

@Suite struct ReceiptCommandTests {
  @Test func `A shop issues receipts without a vault, for the buyer that an app names, and the app redeems them`()
    throws
  {
    let machine = try Machine()
    try machine.makeVault()
    try machine.register("PhotoFree")
    try machine.register("PhotoPro")
    // The test shop of the examples, whose public key their plists have.
    let source = try String(
      contentsOf: DocumentationPage.root.appending(path: "Sources/ForApps/Examples/PhotoPro/TestShop.swift"),
      encoding: .utf8)
    let key = try #require(source.firstMatch(of: /"(COFFERSHOP1[^"]*)"/)?.output.1)
    let file = machine.directory.path("shop-key")
    try Data("\(key)\n".utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)

    let shop = try Machine()
    let buyer = try machine.succeed("PhotoPro", ["order"])
    func issue(_ options: String...) throws -> String {
      try shop.succeed("coffer", ["receipt", "issue", "photo-pro", buyer, "--key", file] + options)
    }
    let receipt = try issue("--expires", "2w", "--note", "order 4711")
    #expect(try machine.run("PhotoPro", "redeem", input: Data(receipt.utf8)).text == "Thank you for buying Photo Pro.")
    #expect(try machine.succeed("PhotoFree").hasPrefix("Pro unlocked"))
    #expect(try machine.run("PhotoPro", "redeem", input: Data(issue("--refund").utf8)).text == "Photo Pro is refunded.")
    #expect(try machine.succeed("PhotoFree") == "free: 3 filters")
    let older = try machine.run("PhotoPro", "redeem", input: Data(receipt.utf8))
    #expect(older.exitCode == 1 && older.errors.contains("not older"))
    #expect(!FileManager.default.fileExists(atPath: shop.directory.path("coffer")))
  }

  @Test func `receipt show verifies by the key of the shop, and says so in words and as JSON`() throws {
    let shop = try Machine()
    let file = shop.directory.path("shop-key")
    let made = try shop.json([String: String].self, "receipt", "key", file)
    let key = try #require(made["publicKey"])
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let buyer = String(repeating: "0a", count: 16)
    let receipt = try shop.succeed("coffer", ["receipt", "issue", "pro", buyer, "--key", file, "--note", "n\u{1B}[1m"])
    let shown = try shop.run("coffer", "receipt", "show", input: Data(receipt.utf8))
    #expect(
      shown.text.contains("pro for \(buyer)") && shown.text.contains("not verified") && !shown.text.contains("\u{1B}"))
    let verified = try shop.run("coffer", "receipt", "show", "--shop", key, "--json", input: Data(receipt.utf8))
    let object = try #require(JSONSerialization.jsonObject(with: Data(verified.text.utf8)) as? [String: Any])
    #expect(object["isVerified"] as? Bool == true && object["product"] as? String == "pro")
    let other = try #require(
      shop.json([String: String].self, "receipt", "key", shop.directory.path("other"))["publicKey"])
    #expect(try shop.run("coffer", "receipt", "show", "--shop", other, input: Data(receipt.utf8)).exitCode == 6)
    #expect(try shop.run("coffer", "receipt", "show", input: Data("receipt".utf8)).exitCode == 2)
    #expect(try shop.run("coffer", "receipt", "issue", "pro", "0a", "--key", file).exitCode == 2)
    #expect(try shop.run("coffer", "receipt", "key", file).exitCode != 0)
  }
}
