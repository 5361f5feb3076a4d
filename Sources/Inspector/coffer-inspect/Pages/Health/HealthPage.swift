internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem

/// Which passwords are used more than once, common, weak, or old. The page has no value.
struct HealthPage {
  let health: PasswordHealth
  let names: TeamNames

  /// The largest number of items in each list, and of passwords that are used more than once.
  static let limit = 200

  var page: Page {
    var page = Page(title: "Password health", place: .health)
    page.lead = "Passwords that several items share, that are easy to guess, or old. Nothing leaves this machine."
    page.content = joined {
      figures
      if health.damagedCount > 0 {
        damagedNotice(counted(health.damagedCount, "item is", "items are") + " damaged and may be missing here")
      }
      for problem in PasswordHealth.Problem.allCases where health.count(of: problem) > 0 { list(of: problem) }
      scope
    }
    return page
  }

  private var figures: HTML {
    dl(.class("figures health")) {
      for problem in PasswordHealth.Problem.allCases {
        let count = health.count(of: problem)
        div(.class(count == 0 ? "good" : problem == .old ? "" : "warning")) {
          dt { text(problem.name) }
          dd {
            if count == 0 { "0" } else { a(.href(.here(problem.rawValue))) { text(count.grouped) } }
          }
        }
      }
    }
  }

  private func list(of problem: PasswordHealth.Problem) -> HTML {
    let tables = health.passwords(with: problem)
    let missing = tables.map { max(0, $0.count - Self.limit) }.reduce(max(0, tables.count - Self.limit), +)
    return card(text(problem.name), id: problem.rawValue, isFlush: true) {
      p(.class("hint")) { text(problem.advice) }
      for (index, passwords) in tables.prefix(Self.limit).enumerated() {
        let isReused = problem == .reused
        rowTable(
          isReused
            ? "\(counted(passwords.count, "item")) with the same password\(numbered("password", index))"
            : text(problem.name),
          isTitleHidden: !isReused,
          [("Name", nil), ("Strength", nil), (Term.group.html, "wide"), (Term.modified.html, "wide")]
        ) {
          for password in passwords.prefix(Self.limit) { html(of: password) }
        }
      }
      if missing > 0 { p(.class("hint")) { "More are not shown. All of them: \(code { "coffer health" })" } }
    }
  }

  private func html(of password: PasswordHealth.Password) -> HTML {
    let row = password.row
    return tr {
      nameCell(
        row.kind.icon, dotted(row.title, limit: 100),
        opens: ItemPlace(reference: row.reference, group: row.group).address()
      ) {
        span(.class("second")) { subtitle(row.subtitle, of: row.kind, limit: 100) }
        span(.class("second narrow")) { "\(given(names.short(row.group), limit: 60)) · \(moment(row.modified))" }
      }
      td { tag(text(password.strength.label), password.strength.grade == .weak ? "warning" : "") }
      td(.class("wide quiet")) { given(names.short(row.group), limit: 80) }
      td(.class("wide")) { moment(row.modified) }
    }
  }

  /// What was looked at, and what was not.
  private var scope: HTML {
    card("What was looked at", id: "scope") {
      p {
        "\(counted(health.examinedCount, "password was", "passwords were")) opened one by one, compared, and overwritten in memory."
      }
      if !health.omissions.isEmpty { p { "Not looked at: \(CofferSystem.list(health.omissions))." } }
      p(.class("hint")) {
        """
        The bits are an estimate for somebody who knows words, common passwords, repetitions, rows of keyboards, and digits \
        in place of letters. The list of common passwords is Coffer’s own, and small: it has \
        \(PasswordHealth.commonPasswordCount.grouped).
        """
      }
    }
  }
}
