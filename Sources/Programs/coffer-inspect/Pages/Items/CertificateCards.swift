internal import CofferInspection
internal import CofferSystem
internal import Foundation

/// The fields of a certificate, its validity and the chain of its issuers.
struct CertificateCards {
  let certificate: CertificateDetails
  let now: Date

  init(_ certificate: CertificateDetails, now: Date) {
    self.certificate = certificate
    self.now = now
  }

  @HTMLBuilder var html: HTML {
    card("Validity", id: "validity") { ValidityBar(certificate.validity, now: now).html }
    card("Certificate", id: "certificate") {
      facts([
        ("Subject", name(certificate.subject)),
        ("Issuer", name(certificate.issuer)),
        ("Alternative names", lines(certificate.alternativeNames)),
        ("Key", text(certificate.key)),
        (
          "May be used to", certificate.usages.isEmpty ? "not stated" : text(certificate.usages.joined(separator: ", "))
        ),
        (
          "Authority",
          certificate.isAuthority.map { $0 ? "may issue certificates" : "may not issue certificates" } ?? "not stated"
        ),
        ("Serial number", code { text(certificate.serialNumber) }),
        ("Version", text("X.509 version \(certificate.version)")),
        ("SHA-256", code { text(certificate.sha256) }),
        ("SHA-1", code { text(certificate.sha1) }),
        ("Private key", certificate.privateKey.map { ItemLink($0).html } ?? "not in the groups that you can read"),
      ])
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
    for link in certificate.chain {
      let inner = list
      list = ol {
        li {
          a(.href(PageAddress(of: link.row.reference))) { given(link.title, limit: 120) }
          link.row.expires.map { ExpiryTag($0, now: now).html }
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

  private func name(_ parts: [CertificateDetails.NamePart]) -> HTML {
    guard !parts.isEmpty else { return "empty" }
    return ul {
      for part in parts { li { "\(span(.class("hint")) { text(part.type) }) \(given(part.text))" } }
    }
  }

  private func lines(_ texts: [String]) -> HTML {
    guard !texts.isEmpty else { return "none" }
    return ul {
      for line in texts { li { given(line) } }
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

/// A link to an item's page.
struct ItemLink {
  let row: ItemRow

  init(_ row: ItemRow) { self.row = row }

  var html: HTML {
    a(.href(PageAddress(of: row.reference))) { "\(given(row.title, limit: 120))" }
  }
}
