internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// Clears the clipboard some time after a value was copied, unless something else was copied in between: in a process of its
/// own, which knows a hash of the value only.
enum ClipboardClearing {
  /// The only argument of that process, before the number of seconds.
  static let argument = "---clear-clipboard"

  /// Starts the process, which outlives this one.
  static func start(_ value: Data, after seconds: Int) throws(VaultError) {
    do throws(SystemError) {
      let input = try Descriptor.socketPair()
      let child = try ChildProcess.start(
        CurrentProcess.executablePath, arguments: [argument, "\(seconds)"],
        input: .descriptor(input.theirs.rawValue), output: .null)
      send(Array(digest(Array(value)).utf8), through: input.closeTheirs())
      if child.wait() == .code(0) { return }
    } catch {
      throw failure("\(error)")
    }
    throw failure("the process that clears the clipboard could not start")
  }

  private static func failure(_ message: String) -> VaultError {
    VaultError(
      .io, "\(message); the value stays in the clipboard", recoverySuggestion: "copy something else afterwards")
  }

  private static func send(_ bytes: [UInt8], through end: consuming Descriptor) {
    unsafe bytes.withUnsafeBytes { unsafe end.sendAll($0) }
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
