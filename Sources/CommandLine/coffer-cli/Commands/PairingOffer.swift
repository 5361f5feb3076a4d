internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// The places where two machines could meet that this machine knows: mounted drives, and hosts of ssh.
struct PairingOffer {
  let places: [String]

  /// The maximum number of places of each kind.
  private static let limit = 8

  /// Looks for drives where systems mount them, and for hosts in the configuration of ssh.
  static func read(_ environment: [String: String] = CurrentProcess.environment) -> PairingOffer {
    let user = environment["USER"] ?? ""
    let parents = ["/run/media/\(user)", "/media/\(user)", "/mnt", "/Volumes"]
    let drives = parents.flatMap { parent in
      ((try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []).sorted().map { "\(parent)/\($0)" }
    }.filter { unsafe isMountPoint($0) && access($0, W_OK | X_OK) == 0 }
    let home = environment["HOME"] ?? ""
    let text = try? String(contentsOfFile: environment["COFFER_SSH_CONFIG"] ?? "\(home)/.ssh/config", encoding: .utf8)
    return PairingOffer(places: Array(drives.prefix(limit)) + hosts(in: text ?? "").prefix(limit))
  }

  /// Returns the names after `Host` in a configuration, without patterns.
  static func hosts(in configuration: String) -> [String] {
    configuration.split(separator: "\n").flatMap { line -> [String] in
      let words = line.split { " \t=".contains($0) }
      guard words.first?.lowercased() == "host" else { return [] }
      return words.dropFirst().map(String.init).filter { !$0.contains { "*?!".contains($0) } }
    }
  }

  private static func isMountPoint(_ path: String) -> Bool {
    var (own, parent) = (stat(), stat())
    let isRead = unsafe stat(path, &own) == 0 && stat(path.parentFolder, &parent) == 0
    return isRead && own.st_dev != parent.st_dev
  }

  /// Asks for a place on the terminal: a number of the list, or another one. Throws `invalidArgument` if nobody can be
  /// asked, or nothing was typed.
  func ask() throws(VaultError) -> String {
    let suggestion =
      "name a host (coffer pair user@host), a folder that both machines reach (coffer pair /media/STICK), or a repository's URL"
    let list = places.map { Output.cell($0) }
    guard Terminal.isInput else {
      let known = list.isEmpty ? "" : ", for example: \(list.joined(separator: ", "))"
      throw VaultError(
        .invalidArgument, "no place is named where the machines meet", recoverySuggestion: suggestion + known)
    }
    for (index, place) in list.enumerated() { Terminal.printNote("  \(index + 1)  \(place)") }
    let numbers = places.isEmpty ? "" : "a number, or "
    let answer = try Terminal.askLine(
      "Where do the machines meet (\(numbers)user@host, a folder or a URL)", for: "the place", otherwise: suggestion
    ).trimmedSpace
    guard !answer.isEmpty else {
      throw VaultError(.invalidArgument, "no place is named; nothing was changed", recoverySuggestion: suggestion)
    }
    guard let number = Int(answer), places.indices.contains(number - 1) else { return answer }
    return places[number - 1]
  }
}
