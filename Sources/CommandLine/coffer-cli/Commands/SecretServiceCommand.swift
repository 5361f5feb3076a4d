internal import ArgumentParser

struct SecretServiceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "secret-service",
    abstract: "Keep the passwords of desktop programs in the vault, as their Secret Service.",
    discussion: """
      Programs such as browsers, mail programs and git keep passwords in the Secret Service of the desktop \
      (org.freedesktop.secrets). With this, `coffer-secret-service` answers them, in place of gnome-keyring, KWallet or KeePassXC. \
      A Flatpak, a snap and a setgid program can have a collection of their own: see coffer app add --desktop.
      """,
    subcommands: [
      SecretServiceInstallCommand.self, SecretServiceStatusCommand.self, SecretServiceRemoveCommand.self,
    ])
}
