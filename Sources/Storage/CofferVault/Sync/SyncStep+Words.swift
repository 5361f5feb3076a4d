internal import CofferSystem

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
