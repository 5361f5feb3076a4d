package import Coffer
internal import CofferTrust

/// Shortens names of apps and groups by the vault's team, with which all of them begin.
package struct TeamNames: Sendable {
  private let team: TeamID?

  /// Takes the vault's team. Another text shortens nothing.
  package init(team: String) { self.team = TeamID(team) }

  /// Returns a name without the team.
  package func short(_ name: String) -> String { team?.removed(from: name) ?? name }

  /// Returns a sentence in which no name has the team.
  package func shortened(_ sentence: String) -> String {
    team.map { sentence.replacing($0.prefix, with: "") } ?? sentence
  }

  /// Returns who wrote a version, in words.
  package func words(_ writer: ItemWriter) -> String { writer.words(application: short) }
}
