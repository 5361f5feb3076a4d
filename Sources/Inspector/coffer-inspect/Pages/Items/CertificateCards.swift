internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem

/// The fields of a certificate, its validity and the chain of its issuers.
struct CertificateCards {
  let certificate: CertificateDetails
  let names: TeamNames
  let now: Date

  @HTMLBuilder var html: HTML {
    card(Term.validity.html, id: "validity") { validityBar(certificate.validity, at: now) }
    card(Term.certificate.html, id: "certificate") {
      facts(
        [
          (Term.subject.html, name(certificate.subject)),
          (Term.issuer.html, name(certificate.issuer)),
          (Term.serialNumber.html, code { text(certificate.serialNumber) }),
          (Term.certificateVersion.html, text("\(certificate.version)")),
        ] + factRows(certificate.contents, names))
      p(.class("hint")) { "The signature of the certificate was not verified." }
    }
    card("Chain of issuers", id: "chain") {
      div(.class("chain")) { chain }
      p(.class("hint")) { "The chain \(certificate.chainEnd.words)." }
    }
  }

  /// The furthest issuer first, each certificate below its issuer.
  private var chain: HTML {
    var list = ol { li { strong { "This certificate" } } }
    for issuer in certificate.chain {
      let inner = list
      list = ol {
        li {
          a(.href(PageAddress(of: issuer.reference))) { given(issuer.title, limit: 120) }
          issuer.expires.map { validityTag(Validity(until: $0), at: now) }
          inner
        }
      }
    }
    if case .missing(let issuer) = certificate.chainEnd {
      let inner = list
      list = ol {
        li {
          "\(given(issuer, limit: 120)) \(tag("Not in the vault", "warning", icon: .warning))"
          inner
        }
      }
    }
    return list
  }

  private func name(_ parts: [(type: String, text: String)]) -> HTML {
    guard !parts.isEmpty else { return "empty" }
    return ul {
      for part in parts { li { "\(span(.class("hint")) { text(part.type) }) \(given(part.text))" } }
    }
  }
}

extension CertificateDetails.ChainEnd {
  /// How the chain ends, as a clause after "the chain".
  fileprivate var words: String {
    switch self {
    case .selfIssued: text
    case .missing: "is not complete: \(text)"
    case .tooLong: "has no end: \(text)"
    }
  }
}

/// What a key is, and what belongs to it.
func keyCard(_ key: KeyDetails, _ names: TeamNames) -> HTML {
  card("Key", id: "key") {
    facts(
      [
        (Term.keyKind.html, text(key.summary.kind)), (Term.algorithm.html, text(key.summary.algorithm)),
        (Term.sizeInBits.html, key.summary.sizeInBits.map { text("\($0)") }),
      ] + factRows(key.facts, names))
  }
}

/// The validity of a certificate as a bar, with the same in words.
func validityBar(_ validity: Validity, at now: Date) -> HTML {
  let share = Int(validity.elapsedShare(at: now) * 1000)
  return div(.class("validity \(validity.state(at: now).style)")) {
    validityTag(validity, at: now)
    HTML.element(
      "svg", [.viewBox("0 0 1000 10"), .preserveAspectRatio("none"), .decorative],
      joined {
        HTML.element("rect", [.class("track"), .width(1000), .height(10)], HTML())
        HTML.element("rect", [.class("used"), .width(share), .height(10)], HTML())
      })
    div(.class("ends")) {
      if let start = validity.start { span { "From \(day(start))" } }
      span { "until \(day(validity.end))" }
    }
  }
}

/// Says whether something is valid.
func validityTag(_ validity: Validity, at now: Date) -> HTML {
  let state = validity.state(at: now)
  return tag(
    text(validity.words(at: now).startingSentence), state.style, icon: state == .valid ? .done : .warning)
}

extension Validity.State {
  /// The style, which repeats what the words say.
  fileprivate var style: String {
    switch self {
    case .future, .expired: "danger"
    case .expiring: "warning"
    case .valid: "good"
    }
  }
}
