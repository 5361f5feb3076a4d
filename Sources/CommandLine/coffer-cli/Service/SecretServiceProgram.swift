internal import Coffer
internal import CofferAgent
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

/// The program `coffer-secret-service`.
enum SecretServiceProgram {
  static let name = "coffer-secret-service"

  private static let maximumByteCount = 65_536

  /// Asks the bus who owns the names of the Secret Service and of the portal. Starts none of them.
  static func report() throws(VaultError) -> SecretServiceReport {
    let output = try run("--report")
    guard let report = try? JSONDecoder().decode(SecretServiceReport.self, from: output) else {
      throw VaultError(
        .io, "\(name) says nothing about the session bus", recoverySuggestion: "install all programs of one version")
    }
    return report
  }

  /// Lets the bus read the files again by which it starts programs. Without a bus, the next one reads them.
  static func reloadBus() { _ = try? run("--reload-bus") }

  /// Lets the service that runs drop the keys that a passphrase has opened. Returns how many apps had keys that no
  /// agent keeps. Starts nothing, and does nothing if the program is not installed.
  static func lockKeys() -> Int {
    (try? run("--lock")).flatMap { Int(String(decoding: $0, as: UTF8.self).filter { !$0.isNewline }) } ?? 0
  }

  /// Looks for an item through the Secret Service of the session, as any program of the desktop does.
  static func lookUp(_ attributes: [String: String]) throws(VaultError) -> SecretServiceLookUp {
    let input = (try? JSONEncoder().encode(attributes)).map { [UInt8]($0) } ?? []
    let output = String(decoding: try run("--look-up", input: input), as: UTF8.self)
    return SecretServiceLookUp(rawValue: output.filter { !$0.isNewline }) ?? .failed
  }

  private static func run(_ argument: String, input: [UInt8]? = nil) throws(VaultError) -> Data {
    let path = try SiblingProgram.locate(name)
    do throws(SystemError) {
      return Data(
        try ChildProcess.run(
          path, arguments: [argument], input: input, maximumOutputByteCount: maximumByteCount
        ).output)
    } catch {
      throw SiblingProgram.startFailure(path, error)
    }
  }
}

/// The program that answers as the Secret Service now, and how to put Coffer in its place and back.
struct SecretServiceOwner: Hashable, Sendable {
  let process: Int32
  /// The name that the kernel keeps: at most 15 bytes.
  let name: String

  /// The programs whose settings are known.
  private enum Kind {
    case coffer, gnomeKeyring, kwallet, keePassXC, other
  }

  init(process: Int32) {
    self.init(process: process, name: ProcessLineage.member(process)?.name ?? "unknown")
  }

  init(process: Int32, name: String) {
    self.process = process
    self.name = name
  }

  private var kind: Kind {
    if name == String(SecretServiceProgram.name.prefix(15)) { return .coffer }
    if name.hasPrefix("gnome-keyring") { return .gnomeKeyring }
    if name.hasPrefix("kwalletd") || name == "ksecretd" { return .kwallet }
    return name.hasPrefix("keepassxc") ? .keePassXC : .other
  }

  var isCoffer: Bool { kind == .coffer }

  /// The program for a table.
  var words: String {
    let program =
      switch kind {
      case .coffer: "Coffer"
      case .gnomeKeyring: "gnome-keyring"
      case .kwallet: "KWallet"
      case .keePassXC: "KeePassXC"
      case .other: name.sanitizedForTerminal(limit: 16)
      }
    return "\(program), process \(process)"
  }

  private static let hiddenEntry = "~/.config/autostart/gnome-keyring-secrets.desktop"

  /// What ends the program and keeps it from coming back: commands in their order, or an instruction for a program that
  /// is set in its window.
  var endingCommands: [String] {
    switch kind {
    case .coffer: ["coffer secret-service remove"]
    case .gnomeKeyring:
      [
        "systemctl --user mask --now gnome-keyring-daemon.socket gnome-keyring-daemon.service",
        "mkdir -p ~/.config/autostart && printf '[Desktop Entry]\\nType=Application\\nHidden=true\\n' > \(Self.hiddenEntry)",
        "kill \(process)",
      ]
    case .kwallet:
      [
        "kwriteconfig6 --file kwalletrc --group org.freedesktop.secrets --key apiEnabled false", "kill \(process)",
      ]
    case .keePassXC: ["In KeePassXC, turn off: Tools, Settings, Secret Service Integration"]
    case .other: ["kill \(process)"]
    }
  }

  /// How each of the known programs gets the name back, after `coffer secret-service remove`.
  static let returningCommands: [(program: String, command: String)] = [
    (
      "gnome-keyring",
      "rm -f \(hiddenEntry) && systemctl --user unmask gnome-keyring-daemon.socket gnome-keyring-daemon.service && systemctl --user start gnome-keyring-daemon.socket"
    ),
    ("KWallet", "kwriteconfig6 --file kwalletrc --group org.freedesktop.secrets --key apiEnabled true"),
    ("KeePassXC", "turn on: Tools, Settings, Secret Service Integration"),
  ]

  /// The commands that put Coffer in its place, with what it keeps.
  var replacingCommands: [String] {
    isCoffer ? [] : ["coffer import secret-service"] + endingCommands + ["coffer secret-service install"]
  }
}

/// A search for one item of the vault through the Secret Service that answers, as a program of the desktop searches.
struct SecretServiceTrial {
  let result: SecretServiceLookUp
  /// The name of the item, for people.
  private let name: String

  /// Searches for an item that the desktop's programs have. Returns nil if they have none, or if their items cannot be
  /// listed without a passphrase: nobody is asked for this.
  static func run() throws(VaultError) -> SecretServiceTrial? {
    let folder = try VaultFolder(.standard())
    guard folder.exists, let application = try OwnApp.desktop.installed(in: LocalVault.open(folder)) else { return nil }
    let vault = try Vault.open(applicationNamed: application.description, in: folder).vault
    if vault.isLocked { _ = try? vault.unlockFromAgent(awaitsPerson: false) }
    guard !vault.isLocked, let group = try vault.defaultAccessGroup else { return nil }
    let items = try vault.find(ItemSearch(.genericPassword, group: group), withValues: false, damaged: { _ in })
    for item in items {
      guard let record = SecretServiceRecord(of: item.attributes), record.aliases == nil, !record.attributes.isEmpty
      else { continue }
      let name = item.attributes.string(.label) ?? item.attributes.string(.service) ?? ""
      return SecretServiceTrial(result: try SecretServiceProgram.lookUp(record.attributes), name: name)
    }
    return nil
  }

  /// Says what the search has found. Throws `io` if it has not found what the vault has.
  func show() throws {
    let name = name.sanitizedForTerminal()
    switch result {
    case .found, .denied:
      try Output.line("Programs find what the vault has: \"\(name)\" was looked up through the new service.")
    case .locked: Terminal.printNote("programs find what the vault has after: coffer unlock")
    case .absent, .failed:
      throw VaultError(
        .io,
        result == .absent
          ? "the Secret Service does not find \"\(name)\", which the vault has" : "the Secret Service does not answer",
        recoverySuggestion: "see which program answers with: coffer secret-service status")
    }
  }
}
