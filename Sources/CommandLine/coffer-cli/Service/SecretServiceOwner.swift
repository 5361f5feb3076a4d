internal import CofferSystem

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

  /// What ends the program and keeps it from coming back: commands in their order, or an instruction for a program that is set in
  /// its window.
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
