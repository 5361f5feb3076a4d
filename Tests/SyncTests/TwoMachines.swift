import CofferTestSupport

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
