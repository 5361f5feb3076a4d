internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem

/// Says whether something is valid.
struct ValidityTag {
  private let state: Validity.State
  private let words: String

  init(_ validity: Validity, at now: Date) {
    state = validity.state(at: now)
    words = validity.words(at: now)
  }

  /// The style, which repeats what the words say.
  var kind: String {
    switch state {
    case .future, .expired: "danger"
    case .expiring: "warning"
    case .valid: "good"
    }
  }

  var html: HTML {
    tag(text(words.startingSentence), kind, icon: state == .valid ? .done : .warning)
  }
}
