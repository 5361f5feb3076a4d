internal import ArgumentParser
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct BridgeCargoCommand: Bridge {
  static let configuration = CommandConfiguration(
    commandName: "cargo", abstract: "Answer cargo, which runs this as its credential provider.",
    discussion: "cargo writes what it wants to standard input, one JSON object in each line.")
  @Flag(help: "What cargo adds to the command line.")
  var cargoPlugin = false
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  static let clients = "cargo"

  static func settings(_ installation: BridgeInstallation) -> [any BridgeSetting] {
    let program = installation.program("cargo-credential-coffer")
    let file = UserFile.inFolder(namedBy: "CARGO_HOME", "config.toml", or: .home(".cargo/config.toml"))
    return [
      program,
      // The last provider is asked first.
      installation.entry(
        "global-credential-providers", "[\"cargo:token\", \"coffer\"]", table: "registry", in: file),
      installation.entry("coffer", "[\(program.path.quotedForTOML)]", table: "credential-alias", in: file),
    ]
  }

  func run() throws {
    try Terminal.write(Data("{\"v\":[1]}\n".utf8))
    let bridge = CargoBridge(actor: actor, group: group.group)
    var input = InputLines(maximumByteCount: 16 << 20)
    while let line = input.next() { try Terminal.write(bridge.answer(line)) }
  }
}

extension String {
  /// The text as a basic string of TOML.
  var quotedForTOML: String { "\"\(replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"" }
}
