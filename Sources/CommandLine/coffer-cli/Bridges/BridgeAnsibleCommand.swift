internal import ArgumentParser
internal import CofferTerminal
internal import CofferVault

struct BridgeAnsibleCommand: Bridge {
  static let configuration = CommandConfiguration(
    commandName: "ansible", abstract: "Answer ansible, which runs this for the password of a vault of its own.",
    discussion: """
      Prints the generic password `ansible-vault` with the vault ID as its account. Exits with 2 if there is none, as \
      ansible expects.
      """)
  @Option(help: ArgumentHelp("The vault ID.", valueName: "id"))
  var vaultID = "default"
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  static let clients = "ansible, ansible-vault"
  private static let service = "ansible-vault"

  static func settings(_ installation: BridgeInstallation) -> [any BridgeSetting] {
    // The end of the name tells ansible to give the vault ID.
    let program = installation.program("coffer-ansible-client")
    let file = UserFile.named(by: "ANSIBLE_CONFIG", or: .home(".ansible.cfg"))
    var entry = installation.entry("vault_password_file", program.path, table: "defaults", in: file)
    // ansible reads the first file that exists, and no other.
    if file.path == UserFile.home(".ansible.cfg").path { entry.hidden = UserFile(path: "/etc/ansible/ansible.cfg") }
    return [program, entry]
  }

  static func advice(_ installation: BridgeInstallation) -> [String] {
    ["Store the password with: coffer set \(service) default"]
  }

  func run() throws {
    do throws(VaultError) {
      try Terminal.write(actor.valueForBridge(of: Self.service, vaultID, group: group.group))
    } catch  where error.code == .itemNotFound {
      Terminal.printError(error.description)
      throw ExitCode(2)
    } catch  where error.code == .invalidArgument {
      // Its own exit code is 2 too, which is for a password that does not exist.
      Terminal.printError(error.description)
      throw ExitCode(1)
    }
  }
}
