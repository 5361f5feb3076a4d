import CofferTestSupport
import Foundation
import Testing

/// A change of the passphrase beside another program that writes keys of this machine.
@Suite struct PassphraseRaceTests {
  @Test func `An app that gets new keys while the passphrase changes is open under the new passphrase afterwards`()
    throws
  {
    let app = "com.example.photo.pro"
    let machine = try Machine()
    var current = try machine.makeVault(passphrase: "passphrase 0")
    try machine.coffer("app", "add", "--locked", Machine.entitlements(of: "PhotoPro"), "--passphrase-file", current)
    try machine.coffer("set", "--app", app, "--passphrase-file", current, "service", "jane", input: "kept")
    for round in 1...(TestRun.isFull ? 40 : 8) {
      let next = try machine.directory.write("passphrase-\(round)", "passphrase \(round)")
      let change = try machine.start(
        "coffer", ["passphrase", "change", "--passphrase-file", current, "--new-passphrase-file", next])
      let install = try machine.start("coffer", ["app", "install", app, "--passphrase-file", current])
      let (changed, installed) = (try change.wait(), try install.wait())
      #expect(changed.exitCode == 0, "\(changed)")
      // Whoever comes second has the wrong passphrase, and changes nothing.
      #expect(installed.exitCode == 0 || installed.errors.contains("passphrase"), "\(installed)")
      current = next
      #expect(try machine.coffer("get", "--app", app, "--passphrase-file", current, "service", "jane") == "kept")
      #expect(try machine.coffer("app", "install", app, "--passphrase-file", current).isEmpty == false)
    }
    #expect(try machine.run("coffer", "check").exitCode == 0)
  }
}
