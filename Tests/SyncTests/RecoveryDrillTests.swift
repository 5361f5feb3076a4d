import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

@Suite struct RecoveryDrillTests {
  // In the full run with ten thousand items, of which the new machine must read one within a minute.
  @Test(arguments: TestRun.rows([TestRun.isFull ? ["--items", "10000"] : [], ["--attacked"]]))
  func `All machines are lost, and the repository and the vault key recover the vault`(options: [String]) throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Scripts/recovery-drill").path
    let machine = try Machine()
    defer { extendLifetime(machine) }
    let outcome = try machine.start(script, ["--programs", Machine.programs.path] + options).wait()
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.text.contains("nothing that was lost or replaced opens anything new"))
  }

  @Test func `device revoke --all-others removes every other machine, and takes no names`() throws {
    let suite = try ThreeMachines()
    for arguments in [["device", "revoke"], ["device", "revoke", "--all-others", "desktop"]] {
      #expect(try suite.laptop.start("coffer", arguments).wait().exitCode == 2)
    }
    let revoke = try suite.remove(on: suite.laptop, "device", "revoke", "--all-others")
    #expect(revoke.exitCode == 0 && revoke.text.contains("2 machines are removed"), "\(revoke)")
    #expect(try suite.laptop.local.membership().members.map(\.name) == ["laptop"])
    for machine in [suite.desktop, suite.third] { #expect(try machine.run("coffer", "sync").exitCode == 4) }
    let again = try suite.remove(on: suite.laptop, "device", "revoke", "--all-others")
    #expect(again.exitCode == 3 && again.errors.contains("the vault has no other machine"), "\(again)")
  }
}
