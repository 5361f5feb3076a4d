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

  init() throws {
    remote = try TemporaryRemote()
    laptop = try Machine()
    key = try laptop.makeVault(name: "laptop")
    try laptop.register("PhotoFree")
    try laptop.register("PhotoPro")
    try laptop.coffer("remote", "set", remote.path)
    try laptop.coffer("sync")
    desktop = try Machine()
    try desktop.coffer("clone", "--name", "desktop", "--no-passphrase", "--vault-key-file", key, remote.path)
    try laptop.coffer("sync")
  }
}

extension TwoMachines {
  init(_ remote: TemporaryRemote, _ laptop: Machine, _ desktop: Machine, key: String) {
    (self.remote, self.laptop, self.desktop, self.key) = (remote, laptop, desktop, key)
  }

  /// Copies both machines and the remote with their state, which takes less time than to make them.
  init(copying other: TwoMachines) throws {
    remote = try TemporaryRemote(copying: other.remote)
    laptop = try Machine()
    desktop = try Machine()
    key = laptop.directory.path("vault-key")
    try Command.run("cp", "-a", other.key, key)
    for (old, new) in [(other.laptop, laptop), (other.desktop, desktop)] {
      try Command.run("cp", "-a", old.home.path, new.home.path)
      let url = Array(remote.path.utf8)
      try LocalVault.open(VaultFolder(new.vault)).store.write { try $0.setSetting(.remoteURL, url) }
    }
  }

  /// Deletes the folders when the test process ends. For machines that a static property holds.
  func deleteAtExit() {
    for directory in [remote.directory, laptop.directory, desktop.directory] { directory.deleteAtExit() }
  }
}
