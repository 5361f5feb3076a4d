internal import ArgumentParser
internal import CofferCrypto
internal import CofferTerminal
internal import CofferVault

/// The place to which a private key is written.
struct KeyOutputOptions: ParsableArguments {
  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      "The file to write, with mode 0600, completely or not at all. Default: standard output, unless it is a terminal.",
      valueName: "file"), completion: .file())
  var output: String?

  /// Nil for standard output.
  private var file: String? { output == "-" ? nil : output }

  /// Throws `invalidArgument` if a private key would be shown on a terminal and nobody has asked for that. The advice is
  /// what to do instead.
  func check(or advice: String = "") throws(VaultError) {
    guard file == nil, Terminal.isOutput else { return }
    throw VaultError(
      .invalidArgument, "a private key is not shown on the terminal",
      recoverySuggestion: "name a file with --output\(advice)")
  }

  /// Writes the bytes, and wipes them.
  func write(_ bytes: inout [UInt8]) throws(VaultError) {
    defer { bytes.wipe() }
    if let file { return try ReplacedFile.write(bytes, to: file) }
    try Terminal.write(SecretText(moving: &bytes))
  }
}
