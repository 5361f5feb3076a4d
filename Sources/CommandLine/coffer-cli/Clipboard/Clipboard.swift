internal import Coffer
internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// The clipboard of the desktop, through the programs that it has for that. Values are on their standard input, and never in
/// their arguments.
struct Clipboard {
  private let copying: [String]
  private let pasting: [String]

  /// Finds the programs. Throws `io` if there is no desktop, or none of them is installed.
  static func find() throws(VaultError) -> Clipboard {
    var candidates: [Clipboard] = []
    func has(_ variable: String) -> Bool { CurrentProcess.environment[variable]?.isEmpty == false }
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
    let folders = (CurrentProcess.environment["PATH"] ?? "").split(separator: ":")
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
      let input = try Descriptor.socketPair()
      // The program goes on in the background, to serve the value: it must not keep this one's streams open.
      let child = try ChildProcess.start(
        copying[0], arguments: Array(copying.dropFirst()), searchesPath: true,
        input: .descriptor(input.theirs.rawValue), output: .null)
      Self.send(value, through: input.closeTheirs())
      if child.wait() == .code(0) { return }
    } catch {
      throw VaultError(.io, "\(error)", recoverySuggestion: "try again, or print the value without --clip")
    }
    throw VaultError(
      .io, "\(copying[0]) could not copy the value",
      recoverySuggestion: "see why with: echo text | \(copying.joined(separator: " "))")
  }

  private static func send(_ value: Data, through end: consuming Descriptor) {
    unsafe value.withUnsafeBytes { unsafe end.sendAll($0) }
  }

  /// Returns what is in the clipboard; nil if that cannot be read.
  func content() -> [UInt8]? {
    do throws(SystemError) {
      let pipe = try Descriptor.pipe()
      let child = try ChildProcess.start(
        pasting[0], arguments: Array(pasting.dropFirst()), searchesPath: true, input: .null,
        output: .descriptor(pipe.theirs.rawValue), errors: .null)
      let content = pipe.closeTheirs().readToEnd(maximumByteCount: Vault.maximumValueByteCount)
      return child.wait() == .code(0) ? content : nil
    } catch {
      return nil
    }
  }
}
