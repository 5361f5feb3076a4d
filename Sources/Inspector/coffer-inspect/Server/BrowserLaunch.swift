internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem

/// Opens the user's browser.
///
/// Every user of the machine can read the arguments of a program, and the address contains the one-time token. So the
/// browser is given a file that only this user can read, which leads on to the address.
struct BrowserLaunch: Sendable {
  /// The programs to try, with the words before the file.
  private let programs: [[String]]

  /// Finds the programs that can open a browser. Returns nil if the session has no display, and no browser is set.
  static func find(in environment: [String: String]) -> BrowserLaunch? {
    let chosen = (environment["BROWSER"] ?? "").split(separator: ":").map { $0.split(separator: " ").map(String.init) }
      .filter { !$0.isEmpty }
    #if os(macOS)
      return BrowserLaunch(programs: chosen + [["open"]])
    #else
      let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment[$0] ?? "").isEmpty }
      guard hasDisplay || !chosen.isEmpty else { return nil }
      return BrowserLaunch(programs: hasDisplay ? chosen + [["xdg-open"]] : chosen)
    #endif
  }

  /// Opens an address, which has the token. Returns the file that leads to it, to be deleted when it was used; nil if
  /// no browser could be started.
  func open(_ url: String, environment: [String: String]) -> RedirectFile? {
    guard let file = RedirectFile.create(to: url, environment: environment) else { return nil }
    for words in programs {
      let hasPlace = words.dropFirst().contains("%s")
      let arguments = words.dropFirst().map { $0 == "%s" ? file.path : $0 } + (hasPlace ? [] : [file.path])
      if Self.start(words[0], arguments) { return file }
    }
    file.delete()
    return nil
  }

  /// Starts a program that outlives this one, and waits for its end on a thread of its own.
  private static func start(_ program: String, _ arguments: [String]) -> Bool {
    do throws(SystemError) {
      let child = try ChildProcess.start(
        program, arguments: arguments, searchesPath: true, input: .null, output: .null, errors: .null,
        leadsProcessGroup: true)
      // The program may become the browser itself, which must not end with this program: never released.
      unsafe _ = Unmanaged.passRetained(child)
      return true
    } catch {
      return false
    }
  }
}

/// A file that leads a browser to an address, and that only this user can read.
struct RedirectFile: Sendable {
  let path: String

  /// Writes a file with mode 0600 to the folder that the environment names. Returns nil if it cannot be written.
  static func create(to url: String, environment: [String: String]) -> RedirectFile? {
    let folders = [environment["XDG_RUNTIME_DIR"], environment["TMPDIR"], "/tmp"].compactMap(\.self)
    for folder in folders where folder.hasPrefix("/") {
      let path = "\(folder)/coffer-inspect-\(hexadecimal(Random.bytes(count: 16))).html"
      let number = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard number >= 0 else { continue }
      let descriptor = Descriptor(owning: number)
      let page = """
        <!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">
        <meta http-equiv="refresh" content="0; url=\(url)"><title>Coffer</title></head></html>

        """
      let bytes = Array(page.utf8)
      guard unsafe write(descriptor.rawValue, bytes, bytes.count) == bytes.count else {
        unsafe unlink(path)
        continue
      }
      return RedirectFile(path: path)
    }
    return nil
  }

  /// Deletes the file.
  func delete() { unsafe _ = unlink(path) }
}
