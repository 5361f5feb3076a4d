internal import ArgumentParser
internal import Coffer
internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
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

/// The clipboard of the desktop, through the programs that it has for that. Values are on their standard input, and
/// never in their arguments.
struct Clipboard {
  private let copying: [String]
  private let pasting: [String]

  /// Finds the programs. Throws `io` if there is no desktop, or none of them is installed.
  static func find() throws(VaultError) -> Clipboard {
    var candidates: [Clipboard] = []
    func has(_ variable: String) -> Bool { CurrentProcess.variable(variable)?.isEmpty == false }
    if has("WAYLAND_DISPLAY") {
      candidates.append(Clipboard(copying: ["wl-copy"], pasting: ["wl-paste", "--no-newline"]))
    }
    if has("DISPLAY") {
      let selection = ["xclip", "-selection", "clipboard"]
      candidates.append(Clipboard(copying: selection, pasting: selection + ["-o"]))
      candidates.append(
        Clipboard(copying: ["xsel", "--clipboard", "--input"], pasting: ["xsel", "--clipboard", "--output"]))
    }
    #if canImport(Darwin)
      candidates.append(Clipboard(copying: ["pbcopy"], pasting: ["pbpaste"]))
    #endif
    let folders = (CurrentProcess.variable("PATH") ?? "").split(separator: ":")
    let installed = candidates.first { candidate in
      folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(candidate.copying[0])") }
    }
    guard let installed else {
      throw VaultError(
        .io, "there is no clipboard",
        recoverySuggestion: candidates.isEmpty
          ? "run this on a desktop, or print the value without --clip"
          : "install wl-clipboard for Wayland, or xclip or xsel for X11")
    }
    return installed
  }

  /// Puts a value into the clipboard.
  func copy(_ value: Data) throws(VaultError) {
    do throws(SystemError) {
      // The program goes on in the background, to serve the value.
      let exit = try ChildProcess.give(value, to: copying[0], arguments: Array(copying.dropFirst()))
      if exit == .code(0) { return }
    } catch {
      throw VaultError(.io, "\(error)", recoverySuggestion: "try again, or print the value without --clip")
    }
    throw VaultError(
      .io, "\(copying[0]) could not copy the value",
      recoverySuggestion: "see why with: echo text | \(copying.joined(separator: " "))")
  }

  /// Returns what is in the clipboard; nil if that cannot be read.
  func content() -> [UInt8]? {
    let pasted = try? ChildProcess.output(
      of: pasting[0], arguments: Array(pasting.dropFirst()), errors: .null,
      maximumByteCount: Vault.maximumValueByteCount)
    return pasted?.exit == .code(0) ? pasted?.output : nil
  }
}

/// Clears the clipboard some time after a value was copied, unless something else was copied in between: in a process
/// of its own, which knows a hash of the value only.
enum ClipboardClearing {
  /// The only argument of that process, before the number of seconds.
  static let argument = "---clear-clipboard"

  /// Starts the process, which outlives this one.
  static func start(_ value: Data, after seconds: Int) throws(VaultError) {
    do throws(SystemError) {
      let exit = try ChildProcess.give(
        Data(digest(Array(value)).utf8), to: CurrentProcess.executablePath, arguments: [argument, "\(seconds)"])
      if exit == .code(0) { return }
    } catch {
      throw failure("\(error)")
    }
    throw failure("the process that clears the clipboard could not start")
  }

  private static func failure(_ message: String) -> VaultError {
    VaultError(
      .io, "\(message); the value stays in the clipboard", recoverySuggestion: "copy something else afterwards")
  }

  /// Does the work of that process.
  static func run(_ arguments: [String]) throws {
    guard arguments.count == 2, let seconds = UInt32(arguments[1]) else { return }
    let wanted = String(decoding: try SecretInput.contents(of: "-", what: "hash"), as: UTF8.self)
    let background = try BackgroundProcess.enter()
    let clipboard = try Clipboard.find()
    background.report(0)
    var remaining = seconds
    while remaining > 0 { remaining = sleep(remaining) }
    guard var content = clipboard.content() else { return }
    defer { content.wipe() }
    if digest(content) == wanted { try clipboard.copy(Data()) }
  }

  private static func digest(_ bytes: [UInt8]) -> String { Hash.digest(bytes, domain: .clipboard).hex }
}

extension Domain {
  fileprivate static let clipboard = Domain("coffer.clip.1")
}
