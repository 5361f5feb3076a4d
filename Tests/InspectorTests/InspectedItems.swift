import Coffer
import CofferCrypto
import CofferFormat
import CofferSystem
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation

@testable import CofferInspectProgram

/// A machine with items of the app `com.example.mail`, and a running `coffer inspect` that shows them.
final class InspectedItems {
  static let passphrase = "correct horse 7 battery"

  let machine: Machine
  let app: Vault
  private(set) var inspector: RunningInspector
  private(set) var session: RunningInspector.Session

  /// Creates the vault and starts the program.
  ///
  /// - Parameters:
  ///   - hasPassphrase: Whether the machine has the passphrase ``passphrase``.
  ///   - arguments: Arguments of the program.
  ///   - fill: Stores items.
  /// - Throws: The errors of the programs and of the vault.
  init(hasPassphrase: Bool = false, _ arguments: String..., fill: (Vault) throws -> Void) throws {
    machine = try Machine()
    if hasPassphrase {
      let file = try machine.directory.write("passphrase", Self.passphrase)
      try machine.coffer(
        "init", "--passphrase-file", file, "--vault-key-file", machine.directory.path("vault-key"), "--name", "laptop")
      machine.environment["COFFER_PASSPHRASE_FILE"] = file
    } else {
      try machine.makeVault()
    }
    let plist = entitlementsPlist("com.example.mail", groups: ["~com.example.mail", "~com.example.shared"])
    try machine.coffer("app", "add", try machine.directory.write("app.plist", plist))
    app = try Vault.open(.bytes(Array(plist.utf8)), at: VaultLocation(folder: machine.vault))
    try fill(app)
    inspector = try RunningInspector(
      machine, try machine.start("coffer", ["inspect", "--no-open"] + arguments))
    session = try inspector.enter()
  }

  /// The name of the vault's team.
  var team: String {
    get throws { try LocalVault.open(VaultFolder(machine.vault)).membership().team.description }
  }

  /// Returns the identifier of a machine, as the addresses of pages have it.
  func machineID(of name: String) throws -> String {
    let machines = try LocalVault.open(VaultFolder(machine.vault)).membership().devices.values
    guard let found = machines.first(where: { $0.name == name }) else {
      throw RawConnection.Failure(description: "no machine \(name)")
    }
    return found.id.description
  }

  /// Makes another machine, an admin's, which syncs with this one.
  func addMachine(named name: String) throws -> Machine {
    let remote = machine.directory.path("remote.git")
    try Command.run("git", "init", "--quiet", "--bare", remote)
    try machine.coffer("remote", "set", remote)
    try machine.coffer("sync")
    let other = try Machine()
    try other.coffer(
      "clone", "--name", name, "--no-passphrase", "--vault-key-file", machine.directory.path("vault-key"), remote)
    try machine.coffer("sync")
    return other
  }

  /// The address of an item's page, and the revision that its forms name.
  struct Place {
    let path: String
    let query: String
    let revision: String

    /// The address of a form or an action of the item.
    func address(_ action: String) -> String { "\(path)/\(action)\(query)" }
  }

  /// Finds an item by its service, as a person does.
  func place(of service: String) throws -> Place {
    let list = try get("/items?q=\(service)").text
    guard let link = list.firstMatch(of: /href="(\/items\/[a-z]{4}\/[0-9a-f]{32})([^"]*)"/) else {
      throw RawConnection.Failure(description: "no item: \(list)")
    }
    let (path, query) = (String(link.1), link.2.replacingOccurrences(of: "&amp;", with: "&"))
    let page = try get(path + query).text
    guard let revision = page.firstMatch(of: /name="revision" value="([^"]+)"/) else {
      throw RawConnection.Failure(description: "no revision: \(page)")
    }
    return Place(path: path, query: query, revision: String(revision.1))
  }

  /// Asks for a page. A vault that was locked in the meantime, on a slow machine, is unlocked.
  func get(_ path: String) throws -> RawResponse {
    while true {
      let response = try inspector.send("GET", path, as: session)
      guard response.status == 423 else { return response }
      try unlock()
    }
  }

  /// Sends a form, as ``get(_:)``.
  func post(_ path: String, _ fields: [String: String], _ headers: [String: String] = [:]) throws -> RawResponse {
    let all = fields.merging(["csrf": session.csrf]) { $1 }
    let form = all.map { "\($0.key)=\(Self.encoded($0.value))" }.joined(separator: "&")
    while true {
      let response = try inspector.send("POST", path, headers, form: form, as: session)
      guard response.status == 423 else { return response }
      try unlock()
    }
  }

  /// Asks for the value of an item.
  func value(at address: String, _ fields: [String: String]) throws -> RawResponse {
    try post(address, fields, ["Accept": "application/json"])
  }

  private func unlock() throws {
    let form = "csrf=\(session.csrf)&passphrase=\(Self.encoded(Self.passphrase))"
    let response = try inspector.send("POST", "/unlock", form: form, as: session)
    guard response.status == 303 else { throw RawConnection.Failure(description: "not unlocked: \(response)") }
  }

  private static func encoded(_ text: String) -> String {
    text.utf8.map { "%" + hexadecimal([$0]) }.joined()
  }
}

extension Vault {
  /// Stores a password whose value requires this machine's passphrase each time.
  func addGuarded(_ service: String, value: String) throws {
    let control = AccessControl(protection: "ak", flags: 1)
    let attributes = ItemAttributes([
      .service: .string(service), .account: .string("jane"), .accessible: .string("ak"),
      .accessControl: .data(control.bytes),
    ])
    _ = try add(ItemDraft(itemClass: .genericPassword, attributes: attributes, value: Array(value.utf8)), in: nil)
  }
}
