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
