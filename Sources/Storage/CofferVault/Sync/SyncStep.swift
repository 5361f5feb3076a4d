package import CofferPlatform
internal import CofferSystem

/// How far a sync is: what `coffer-sync --progress` prints as lines of JSON, for programs that show it.
package struct SyncStep: Hashable, Sendable, Codable {
  /// What a sync does, in this order. It begins again if another machine has pushed in the meantime.
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// It asks the remote what has changed.
    case connecting
    /// Objects arrive.
    case receiving
    /// Changes of other machines are verified and stored.
    case importing
    /// This machine's changes are sent.
    case sending
  }

  package let step: Kind
  /// How much of the step is done, and of how much; both are 0 if that is not known.
  package let done: Int
  package let total: Int
  /// The number of bytes that have arrived or were sent in this step.
  package let bytes: Int

  package init(_ step: Kind, done: Int = 0, total: Int = 0, bytes: Int = 0) {
    self.step = step
    self.done = done
    self.total = total
    self.bytes = bytes
  }
}

extension SyncStep {
  /// The step for people: its phase, how much of it is done, and the bytes. For example "receiving 12 of 48 objects, 4
  /// kB". `bar` is a drawing of how much is done, with a space after it, which stands before the numbers.
  package func words(withBar bar: String = "") -> String {
    let bytes = bytes > 0 ? ", " + bytes.byteCountText : ""
    switch step {
    case .connecting: return step.phase
    case .receiving, .importing: return "\(step.phase) \(amount(bar))\(step == .receiving ? bytes : "")"
    case .sending: return step.phase + bytes
    }
  }

  /// Returns the numbers with their noun; the noun alone if they are not known.
  private func amount(_ bar: String) -> String {
    let noun = step == .receiving ? "objects" : "files of other machines"
    return total > 0 ? "\(bar)\(done) of \(total) \(noun)" : noun
  }
}

extension SyncStep.Kind {
  /// What a sync does, for people.
  package var phase: String {
    switch self {
    case .connecting: "asking the remote"
    case .receiving: "receiving"
    case .importing: "importing"
    case .sending: "sending"
    }
  }
}

/// The time between two syncs: a number with its unit, such as `90s`, `15m` or `2h`.
package struct SyncInterval: Hashable, Sendable, CustomStringConvertible {
  /// 15 minutes.
  package static let standard = SyncInterval(seconds: 900, description: "15m")

  package let seconds: Int
  package let description: String

  package var duration: Duration { .seconds(seconds) }

  private init(seconds: Int, description: String) {
    self.seconds = seconds
    self.description = description
  }

  /// Reads an interval. Returns nil for another text, for less than a second and for more than a week.
  package init?(_ text: String) {
    guard let match = text.wholeMatch(of: /([0-9]{1,6})([smhd])/), let count = Int(match.output.1),
      let unit = ["s": 1, "m": 60, "h": 3_600, "d": 86_400][String(match.output.2)],
      (1...604_800).contains(count * unit)
    else { return nil }
    self.init(seconds: count * unit, description: text)
  }
}

/// What `coffer-sync sync --json` prints in place of a report if it fails.
package struct SyncError: Sendable, Codable {
  /// Why it failed.
  package let error: VaultError.Report

  package init(_ error: VaultError) { self.error = VaultError.Report(error) }

  /// The JSON, with a newline at its end.
  package func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self) + Data("\n".utf8)
  }
}
