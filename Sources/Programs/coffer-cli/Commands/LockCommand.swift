internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferVault

struct LockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock", abstract: "Lock every vault that `coffer inspect` has open.",
    discussion: """
      Each `coffer inspect` of this user drops the keys of its vault, of all vaults in the folder that COFFER_HOME names, and \
      its page asks for the passphrase. One whose vault needs no passphrase ends. The command returns when all have done so. \
      A screen locker can run it:

      swayidle -w lock 'coffer lock'
      """)

  func run() throws {
    var processes: [Int32] = []
    var failure: VaultError?
    for folder in try VaultFolder.all() {
      do throws(VaultError) {
        processes += try InspectLock.lockAll(in: folder)
      } catch {
        // The others are locked all the same.
        failure = failure ?? error
      }
    }
    if !processes.isEmpty {
      let names = processes.sorted().map(String.init).joined(separator: ", ")
      try Output.line("Locked coffer inspect in process \(names).")
    }
    if let failure { throw failure }
    if processes.isEmpty { Terminal.printNote("No coffer inspect has a vault unlocked.") }
  }
}
