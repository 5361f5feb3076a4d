internal import ArgumentParser
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault

/// Whether a command copies what it would print, and for how long.
struct ClipboardOptions: ParsableArguments {
  // pass has the short name too.
  @Flag(name: [.long, .short], help: "Copy it to the clipboard, and print nothing.")
  var clip = false
  @Option(
    help: ArgumentHelp(
      "With --clip: how long it stays in the clipboard, such as 90s.",
      discussion: "Default: 45s. What was copied in between stays.", valueName: "time"))
  var clearAfter: WaitingTime?

  /// The options of a command line that has none of them.
  static var none: ClipboardOptions {
    var options = ClipboardOptions()
    options.clip = false
    options.clearAfter = nil
    return options
  }

  func validate() throws {
    if clearAfter != nil && !clip { throw ValidationError("--clear-after is for --clip") }
  }

  /// Finds the clipboard; nil without `--clip`.
  func find() throws(VaultError) -> Clipboard? { clip ? try Clipboard.find() : nil }

  /// Copies a value, and starts the process that clears the clipboard.
  func copy(_ value: Data, to clipboard: Clipboard) throws(VaultError) {
    let time = clearAfter ?? .clipboard
    try clipboard.copy(value)
    try ClipboardClearing.start(value, after: time.seconds)
    Terminal.printNote("Copied to the clipboard, which is cleared in \(time.defaultValueDescription)")
  }
}
