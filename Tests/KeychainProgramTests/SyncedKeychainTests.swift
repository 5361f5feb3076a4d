import CofferTestSupport
import Foundation
import Testing

@Suite struct SyncedKeychainTests {
  @Test func `The paid app's item unlocks the free app on another machine, which cannot forge or remove it`() throws {
    let host = try TemporaryDirectory()
    let remote = host.path("vault.git")
    try Command.run("git", "init", "--quiet", "--bare", remote)
    let laptop = try Machine()
    let key = try laptop.makeVault()
    let pro = try InstalledApp("pro", on: laptop, groups: ["~com.example.pro", "~com.example.purchases"])
    try InstalledApp.plist(
      "free", in: laptop, groups: ["~com.example.free"], readOnly: ["~com.example.purchases"])
    try laptop.coffer("app", "add", laptop.directory.path("free.entitlements"))
    try laptop.coffer("remote", "set", remote)
    let purchases = try laptop.group("purchases")

    // Every item of a group is synced; kSecAttrSynchronizable only distinguishes items, and ThisDeviceOnly items stay.
    try pro.succeed("--group", purchases, "--synchronizable", "add", "marker", input: "bought")
    try pro.succeed("--group", purchases, "add", "plain", input: "travels as well")
    try pro.succeed("--group", purchases, "--accessible", "aku", "add", "local", input: "stays")
    // As in Apple's implementation, an item can have both attributes; it stays.
    try pro.succeed("--group", purchases, "--synchronizable", "--accessible", "aku", "add", "both", input: "stays too")
    try pro.succeed("add", "session", input: "the paid app's own")
    try laptop.coffer("sync")

    let desktop = try Machine()
    try desktop.coffer("clone", "--name", "desktop", "--no-passphrase", "--vault-key-file", key, remote)
    let free = try InstalledApp(
      "free", on: desktop, groups: ["~com.example.free"], readOnly: ["~com.example.purchases"], isRegistered: false)
    #expect(try free.succeed("--group", purchases, "--synchronizable", "get", "marker") == "bought")
    expectFailure(try free.run("--group", purchases, "get", "marker"), Status.itemNotFound)
    #expect(try free.succeed("list") == "\(purchases) service plain")
    #expect(try free.succeed("get", "plain") == "travels as well")
    expectFailure(try free.run("get", "session"), Status.itemNotFound)
    for options in [["--synchronizable"], []] {
      let arguments = ["--group", purchases] + options + ["get", "both"]
      expectFailure(try desktop.start(free.program, arguments).wait(), Status.itemNotFound)
    }
    for (command, call) in [("add", "SecItemAdd"), ("update", "SecItemUpdate"), ("delete", "SecItemDelete")] {
      expectFailure(
        try free.run("--group", purchases, "--synchronizable", command, "marker", input: "forged"),
        Status.missingEntitlement, of: call)
    }

    // The same app on the other machine changes the item, and the change is synced back.
    let desktopPro = try InstalledApp(
      "pro", on: desktop, groups: ["~com.example.pro", "~com.example.purchases"], isRegistered: false)
    #expect(try desktopPro.succeed("get", "session") == "the paid app's own")
    try desktopPro.succeed("--synchronizable", "update", "marker", input: "bought again")
    try desktopPro.succeed("delete", "plain")
    for machine in [desktop, laptop] { try machine.coffer("sync") }
    #expect(try pro.succeed("--synchronizable", "get", "marker") == "bought again")
    expectFailure(try pro.run("get", "plain"), Status.itemNotFound)
    #expect(try pro.succeed("get", "local") == "stays")
    #expect(try pro.succeed("--synchronizable", "get", "both") == "stays too")

    try pro.succeed("--synchronizable", "delete", "marker")
    for machine in [laptop, desktop] { try machine.coffer("sync") }
    expectFailure(try free.run("--synchronizable", "get", "marker"), Status.itemNotFound)
  }

  @Test func `Programs with Coffer's API and with Keychain calls read each other's items`() throws {
    let machine = try Machine()
    try machine.makeVault()
    for example in ["PhotoFree", "PhotoPro"] { try machine.register(example) }
    // Has the same entitlements as PhotoPro, and so is the same app.
    let named = ["COFFER_ENTITLEMENTS": Machine.entitlements(of: "PhotoPro")]
    let purchases = try "\(machine.status("team")).com.example.photo.purchases"
    let options = ["--group", purchases, "--service", "store.example.com"]
    #expect(try machine.succeed("PhotoFree").hasPrefix("free"))
    func keychain(_ arguments: String..., input: String = "") throws -> Machine.Outcome {
      try machine.start("KeychainProgram", options + arguments, input: Data(input.utf8), environment: named).wait()
    }
    try machine.succeed("PhotoPro", ["buy"])
    let receipt = try keychain("get", "photo-pro")
    #expect(receipt.text.hasPrefix("coffer-receipt-1:"), "\(receipt)")
    #expect(try keychain("delete", "photo-pro").exitCode == 0)
    #expect(try machine.succeed("PhotoFree").hasPrefix("free"))
    #expect(try keychain("add", "photo-pro", input: receipt.text).exitCode == 0)
    #expect(try machine.succeed("PhotoFree").hasPrefix("Pro unlocked"))
    try machine.succeed("PhotoPro", ["refund"])
    #expect(try machine.succeed("PhotoFree").hasPrefix("free"))
    // The refund is a receipt, too.
    #expect(try keychain("get", "photo-pro").text != receipt.text)
  }
}
