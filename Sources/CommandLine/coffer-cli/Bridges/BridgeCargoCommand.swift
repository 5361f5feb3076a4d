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

  private static let current = "config.toml"
  /// The earlier name, which cargo reads instead if both files exist.
  private static let former = "config"

  private static func file(_ name: String) -> UserFile {
    .inFolder(namedBy: "CARGO_HOME", name, or: .home(".cargo/\(name)"))
  }

  private static func isInstalled(in name: String, _ mark: String) throws(VaultError) -> Bool {
    try !ConfigurationText(file(name).read() ?? "", mark: mark).entries.isEmpty
  }

  static func settings(_ installation: BridgeInstallation) throws(VaultError) -> [any BridgeSetting] {
    let program = installation.program("cargo-credential-coffer")
    let isInCurrent = try isInstalled(in: current, installation.mark)
    let isCurrent = isInCurrent || isAbsent(Self.file(former).path)
    let file = Self.file(isCurrent ? current : former)
    return [
      program,
      // The last provider is asked first.
      installation.entry(
        "global-credential-providers", "[\"cargo:token\", \"coffer\"]", table: "registry", in: file),
      installation.entry("coffer", "[\(program.path.quotedForTOML)]", table: "credential-alias", in: file),
    ]
  }

  /// A file that somebody has made since, and that cargo reads instead.
  static func findings() throws(VaultError) -> [Finding] {
    let mark = BridgeInstallation(self, app: nil, group: nil, name: nil).mark
    guard try isInstalled(in: current, mark), try !isInstalled(in: former, mark), !isAbsent(file(former).path) else {
      return []
    }
    return [
      Finding(
        .bridgeHiddenFile, .problem, subject: file(former).path,
        message: "cargo reads it instead of \(file(current).path), which has the entries for Coffer.",
        fix: "Move the entries to it: run `coffer bridge remove cargo`, and then: coffer bridge install cargo")
    ]
  }

  func run() throws {
    try Terminal.write(Data("{\"v\":[1]}\n".utf8))
    let bridge = CargoBridge(actor: actor, group: group.group)
    var input = InputLines(maximumByteCount: 16 << 20)
    while let line = input.next() { try Terminal.write(bridge.answer(line)) }
    guard !input.isTooLong else {
      throw VaultError(
        .invalidArgument, "cargo's message has more than 16 MiB",
        recoverySuggestion: "use a version of cargo from 1.74 on")
    }
  }
}

extension String {
  /// The text as a basic string of TOML.
  var quotedForTOML: String {
    var escaped = ""
    for scalar in unicodeScalars {
      if scalar == "\\" || scalar == "\"" {
        escaped += "\\\(scalar)"
      } else if scalar.value < 32 || scalar.value == 127 {
        let digits = String(scalar.value, radix: 16)
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        escaped.unicodeScalars.append(scalar)
      }
    }
    return "\"\(escaped)\""
  }
}
