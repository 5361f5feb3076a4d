internal import Coffer
internal import CofferAdministration
internal import CofferInspection
internal import CofferSystem

/// The registered apps.
struct AppListPage {
  let apps: [InspectedApp]
  /// The apps that were removed from the vault, the last one first.
  let removed: [RemovedApp]

  var page: Page {
    var page = Page(title: "Apps", place: .apps)
    page.lead = "The apps that are registered in the membership log, and what each may read."
    page.content = joined {
      registered
      if !removed.isEmpty { former }
    }
    return page
  }

  private var registered: HTML {
    section(.class("card flush"), .label("Apps")) {
      if apps.isEmpty {
        empty(
          .app, "No app is registered",
          "Register one with the entitlements plist that it was built with: \(code { "coffer app add FILE" })")
      } else {
        rowTable(
          text(counted(apps.count, "app")),
          [
            ("App", nil), ("Groups", "number wide"), ("Machines", "wide"), ("On this machine", nil),
            ("Registered", "wide"),
          ]
        ) {
          for app in apps { row(of: app) }
        }
      }
    }
  }

  private var former: HTML {
    card("Removed from the vault", id: "removed") {
      ul(.class("timeline")) {
        for app in removed {
          li {
            div(.class("what")) { strong { given(app.bundleID) } }
            p(.class("quiet")) { app.revocation.html }
          }
        }
      }
      p(.class("hint")) {
        "Their items stay. To register one again: \(code { "coffer app add FILE" })"
      }
    }
  }

  private func row(of app: InspectedApp) -> HTML {
    tr {
      nameCell(.app, dotted(app.bundleID), opens: PageAddress("apps", app.id)) {
        span(.class("second")) { dotted(app.id) }
      }
      td(.class("number wide")) { text(app.rights.count.grouped) }
      td(.class("wide quiet")) { given(app.places.map(\.machine).joined(separator: ", ")) }
      td { app.evidence.tag }
      td(.class("wide")) { moment(app.registered) }
    }
  }
}

extension AppEvidence {
  /// How the app's credential is kept, in a word.
  var tag: HTML {
    switch protection {
    case .installed:
      enforcement == .install
        ? CofferInspectProgram.tag("Enforced by install", "good", icon: .done)
        : CofferInspectProgram.tag("Policy", "warning", icon: .warning)
    case .passphrase: CofferInspectProgram.tag("Sealed", "good", icon: .done)
    case .open: CofferInspectProgram.tag("Open to this user", "warning", icon: .warning)
    case .absent: CofferInspectProgram.tag("No credential")
    case .unusable: CofferInspectProgram.tag("Does not work", "danger", icon: .warning)
    }
  }
}
