internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem

/// All certificates with their validity.
struct CertificateListPage {
  /// The certificates, each with what it says itself; nil if it cannot be read.
  let entries: [(row: ItemRow, certificate: (validity: Validity, key: String)?)]
  let list: ItemPage
  let query: ItemListQuery
  /// Whether there is a group that can be written.
  let canAdd: Bool
  let names: TeamNames
  var now = Date()

  var page: Page {
    var page = Page(title: "Certificates", place: .certificates)
    page.lead = "The certificates of all groups that you can read."
    if canAdd { page.actions = ItemCreationPage.link(in: nil, kind: .certificate) }
    page.content = joined {
      CertificateListPage.filters(query, address: PageAddress("certificates"))
      section(.class("card flush"), .label("Certificates")) {
        if entries.isEmpty {
          empty(
            .certificate, query.isExpiringOnly ? "No certificate expires soon" : "No certificates yet",
            "Apps add them with \(code { "SecItemAdd" }) or \(code { "SecPKCS12Import" }).")
        } else {
          certificates
          pageLinks(list, query, PageAddress("certificates"))
        }
      }
    }
    return page
  }

  /// The filter above certificates: all, or those that expire soon.
  static func filters(_ query: ItemListQuery, address: PageAddress) -> HTML {
    nav(.class("actions"), .label("Filter")) {
      linkButton("All", to: address, style: "small", .current(!query.isExpiringOnly))
      linkButton(
        "Expiring or expired", to: address.with("show", ItemListQuery.Shown.expiring.rawValue), style: "small",
        .current(query.isExpiringOnly))
    }
  }

  private var certificates: HTML {
    rowTable(
      text(counted(list.total, "certificate")),
      [
        ("Certificate", nil), (Term.issuer.html, "wide"), (Term.publicKey.html, "wide"), (Term.validity.html, "wide"),
      ]
    ) {
      for entry in entries { html(of: entry.row, entry.certificate) }
    }
  }

  private func html(of row: ItemRow, _ certificate: (validity: Validity, key: String)?) -> HTML {
    tr {
      nameCell(.certificate, given(row.title, limit: 120), opens: PageAddress(of: row.reference)) {
        span(.class("second")) { given(names.short(row.group), limit: 80) }
        span(.class("second narrow")) { row.expires.map { validityTag(Validity(until: $0), at: now) } }
      }
      td(.class("wide quiet")) { given(row.subtitle, limit: 120) }
      td(.class("wide quiet")) { text(certificate?.key ?? row.detail ?? "") }
      td(.class("wide")) {
        if let certificate {
          validityBar(certificate.validity, at: now)
        } else {
          row.expires.map { validityTag(Validity(until: $0), at: now) }
        }
      }
    }
  }
}

extension ItemListQuery {
  /// Whether only what expires soon is listed.
  var isExpiringOnly: Bool { shown == .expiring }
}

/// All keys with kind, size and use.
struct KeyListPage {
  let list: ItemPage
  let query: ItemListQuery
  /// Whether there is a group that can be written.
  let canAdd: Bool
  let names: TeamNames

  var page: Page {
    var page = Page(title: "Keys", place: .keys)
    page.lead = "The cryptographic keys of all groups that you can read."
    if canAdd { page.actions = ItemCreationPage.link(in: nil, kind: .key) }
    page.content = section(.class("card flush"), .label("Keys")) {
      if list.rows.isEmpty {
        empty(
          .key, "No keys yet", "Apps add them with \(code { "SecKeyCreateRandomKey" }) or \(code { "SecItemAdd" }).")
      } else {
        rowTable(
          text(counted(list.total, "key")),
          [
            ("Key", nil), (Term.keyKind.html, nil), ("Algorithm and size", "wide"), (Term.usages.html, "wide"),
            (Term.group.html, "wide"),
          ]
        ) {
          for row in list.rows { html(of: row) }
        }
        pageLinks(list, query, PageAddress("keys"))
      }
    }
    return page
  }

  private func html(of row: ItemRow) -> HTML {
    tr {
      nameCell(.key, given(row.title, limit: 120), opens: PageAddress(of: row.reference)) {
        span(.class("second")) { given(row.subtitle, limit: 120) }
      }
      td { tag(text(row.key?.kind ?? "unknown"), row.key?.kind == "private" ? "accent" : "") }
      td(.class("wide quiet")) { text(row.detail ?? row.key?.algorithm ?? "") }
      td(.class("wide quiet")) { text(row.key?.usages.joined(separator: ", ") ?? "") }
      td(.class("wide quiet")) { given(names.short(row.group), limit: 80) }
    }
  }
}
