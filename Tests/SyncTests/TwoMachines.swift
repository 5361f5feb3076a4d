import CofferStore
import CofferTestSupport
import CofferVault
import Foundation

/// Two enrolled machines with one remote and both example apps.
struct TwoMachines {
  let remote: TemporaryRemote
  let laptop: Machine
  let desktop: Machine
  let key: String

  // Made once, and its files are only copied.
  nonisolated(unsafe) private static let template = Result {
    let two = try TwoMachines.ofNewVault()
    two.deleteAtExit()
    return two
  }

  /// Copies machines that were enrolled once, which takes a fifth of the time. The vault is the same each time.
  init() throws { try self.init(copying: unsafe Self.template.get()) }

  /// Makes a vault that no other machines have, and enrols both machines.
  static func ofNewVault() throws -> TwoMachines {
    let (remote, laptop, desktop) = (try TemporaryRemote(), try Machine(), try Machine())
    let key = try laptop.makeVault(name: "laptop")
    try laptop.register("PhotoFree")
    try laptop.register("PhotoPro")
    try laptop.coffer("remote", "set", remote.path)
    try laptop.sync()
    try desktop.coffer("clone", "--name", "desktop", "--no-passphrase", "--vault-key-file", key, remote.path)
    try laptop.sync()
    return TwoMachines(remote, laptop, desktop, key: key)
  }
}

extension TwoMachines {
  init(_ remote: TemporaryRemote, _ laptop: Machine, _ desktop: Machine, key: String) {
    (self.remote, self.laptop, self.desktop, self.key) = (remote, laptop, desktop, key)
  }

  /// Copies both machines and the remote with their state, which takes less time than to make them.
  init(copying other: TwoMachines) throws {
    remote = try TemporaryRemote(copying: other.remote)
    laptop = try other.laptop.copied(syncingWith: remote)
    desktop = try other.desktop.copied(syncingWith: remote)
    key = laptop.directory.path("vault-key")
  }

  /// Deletes the folders when the test process ends. For machines that a static property holds.
  func deleteAtExit() {
    for directory in [remote.directory, laptop.directory, desktop.directory] { directory.deleteAtExit() }
  }
}
