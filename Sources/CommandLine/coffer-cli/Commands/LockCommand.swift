internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferTerminal
internal import CofferVault

struct LockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Lock the agent, the Secret Service, and every vault that `coffer inspect` has open.",
    discussion: """
      The agent of this user (see `coffer unlock`) drops all keys. Each `coffer inspect` of this user drops the keys of its \
      vault, of all vaults in the folder that COFFER_HOME names, and \
      its page asks for the passphrase. One whose vault needs no passphrase ends. `coffer-secret-service` drops the keys that \
      a passphrase has opened. The command returns when all have done so. \
      A screen locker can run it:

      swayidle -w lock 'coffer lock'
      """)
  @Flag(help: "Print JSON.")
  var json = false

  private struct Report: Encodable {
    let keyCount: Int
    let processes: [Int32]
    /// How many apps had keys in `coffer-secret-service`, because no agent runs.
    let secretServiceKeyCount: Int
  }

  func run() throws {
    var processes: [Int32] = []
    var failure: VaultError?
    var keyCount = 0
    do throws(VaultError) {
      keyCount = try AgentClient.lock() ?? 0
    } catch {
      // The others are locked all the same.
      failure = error
    }
    for folder in try VaultFolder.all() {
      do throws(VaultError) {
        processes += try InspectLock.lockAll(in: folder)
      } catch {
        failure = failure ?? error
      }
    }
    processes.sort()
    let secretServiceKeyCount = SecretServiceProgram.lockKeys()
    if json {
      try Output.json(
        Report(keyCount: keyCount, processes: processes, secretServiceKeyCount: secretServiceKeyCount))
    } else {
      if keyCount > 0 { try Output.line("Locked the agent, which had \(keyCount) key\(keyCount == 1 ? "" : "s").") }
      if !processes.isEmpty {
        try Output.line("Locked coffer inspect in process \(processes.map(String.init).joined(separator: ", ")).")
      }
    }
    if secretServiceKeyCount > 0, !json { try Output.line("Locked the Secret Service.") }
    if let failure { throw failure }
    if processes.isEmpty, keyCount == 0, secretServiceKeyCount == 0, !json {
      Terminal.printNote("Nothing was unlocked: no agent or service has keys, and no coffer inspect a vault.")
    }
  }
}
