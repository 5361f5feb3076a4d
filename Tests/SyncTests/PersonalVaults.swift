import Coffer
import CofferAdministration
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// Two machines of one person, each with a vault of its own that its first secret has created. The laptop's is on a
/// remote.
struct PersonalVaults {
  let laptop: Machine
  let desktop: Machine
  let remote: TemporaryRemote

  /// The values that the laptop has alone, the desktop has alone, and both have once the vaults are one.
  private(set) var laptopValues: [String: String] = [:]
  private(set) var desktopValues: [String: String] = [:]

  /// All values once the vaults are one: of items that differ, the desktop's are newer.
  var allValues: [String: String] { laptopValues.merging(desktopValues) { $1 } }

  /// The file with the vault key of the laptop's vault.
  var key: String { laptop.directory.path("vault-key") }

  /// - Parameters:
  ///   - count: The number of items on each machine.
  ///   - same: How many of them both machines have with the same value.
  ///   - different: How many of them both machines have with different values.
  /// - Throws: An error of a program that must succeed.
  init(count: Int, same: Int, different: Int) throws {
    remote = try TemporaryRemote()
    laptop = try Machine()
    desktop = try Machine()
    for account in (0..<count).map(String.init) {
      let number = Int(account) ?? 0
      let isShared = number < same + different
      laptopValues[isShared ? account : "laptop \(account)"] = number < same ? "same" : "of the laptop"
      desktopValues[isShared ? account : "desktop \(account)"] = number < same ? "same" : "of the desktop"
    }
    for (machine, name, values) in [(laptop, "laptop", laptopValues), (desktop, "desktop", desktopValues)] {
      try machine.coffer("set", "own", name, input: "of the \(name)")
      try machine.register("PhotoPro")
      let vault = try machine.exampleVault()
      try vault.transaction {
        for (account, value) in values {
          try vault.set(value, for: GenericPassword(service: "service", account: account))
        }
      }
    }
    try laptop.coffer("vault-key", "show", "--vault-key-file", key)
  }

  /// Copies machines and remote with their state.
  init(copying other: PersonalVaults) throws {
    remote = try TemporaryRemote(copying: other.remote)
    laptop = try other.laptop.copied()
    desktop = try other.desktop.copied()
    laptopValues = other.laptopValues
    desktopValues = other.desktopValues
  }

  /// The arguments of `coffer` with which the desktop's vault joins.
  func joining(_ url: String? = nil) -> [String] {
    [
      "clone", "--yes", "--name", "desktop", "--no-passphrase", "--vault-key-file", key, url ?? remote.path,
    ]
  }

  /// Expects that the desktop has the joined vault with every item once, that its program works, and that nothing else
  /// is beside the vault.
  func expectJoined(_ comment: Comment? = nil, location: SourceLocation = #_sourceLocation) throws {
    #expect(try desktop.joinedValues(location) == allValues, comment, sourceLocation: location)
    #expect(try desktop.coffer("get", "own", "laptop") == "of the laptop", comment, sourceLocation: location)
    #expect(try desktop.coffer("get", "own", "desktop") == "of the desktop", comment, sourceLocation: location)
    let names = try FileManager.default.contentsOfDirectory(atPath: desktop.home.appending(path: "vaults").path)
    #expect(names == ["default"], comment, sourceLocation: location)
    try desktop.coffer("check")
  }
}

extension Machine {
  /// Accounts and values of the example app's items, each of which must be there once.
  func joinedValues(_ location: SourceLocation = #_sourceLocation) throws -> [String: String] {
    let vault = try exampleVault()
    let list = try vault.list(GenericPassword.self)
    #expect(list.damaged.isEmpty, sourceLocation: location)
    var values: [String: String] = [:]
    for stored in list.items where stored.item.service == "service" {
      #expect(values[stored.item.account] == nil, sourceLocation: location)
      values[stored.item.account] = try vault.string(for: stored.item)
    }
    return values
  }
}
