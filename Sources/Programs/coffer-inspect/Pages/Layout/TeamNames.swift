internal import Coffer

/// Shortens names of apps and groups by the vault's team, with which all of them begin.
struct TeamNames: Sendable {
  private let prefix: String

  /// - Parameter team: The vault's team.
  init(team: String) { prefix = team + "." }

  /// Returns a name without the team.
  func short(_ name: String) -> String { name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name }

  /// Returns a sentence in which no name has the team.
  func shortened(_ sentence: String) -> String { sentence.replacing(prefix, with: "") }

  /// Returns who wrote a version, in words.
  func words(_ writer: ItemWriter) -> String {
    "\(writer.application.map { short($0) } ?? "the owner") on \(writer.device)"
  }
}
