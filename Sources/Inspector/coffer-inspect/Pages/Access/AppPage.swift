internal import Coffer
internal import CofferAdministration
internal import CofferInspection
internal import CofferSystem

/// One app: what it may read and by which right, how it proves that it is this app, and where it is installed.
struct AppPage {
  let app: InspectedApp
  /// The groups of the vault, for the question why the app can or cannot read one.
  let groups: [AccessGraph.Group]
  /// Whether the owner looks at it. An app sees its own page, without links to what is the owner's.
  let isOwner: Bool
  let names: TeamNames

  var page: Page {
    var page = Page(title: names.title(ofApp: app.id), place: .apps)
    if isOwner { page.path = [Page.Step(name: "Apps", address: PageAddress("apps"))] }
    page.lead = code { given(app.id) }
    page.content = div(.class("columns")) {
      div(.class("stack")) {
        rights
        why
        plist
      }
      div(.class("stack")) {
        evidence
        registration
        if isOwner {
          places
          removal
        }
      }
    }
    return page
  }

  private var rights: HTML {
    card("Access groups", id: "groups", isFlush: true) {
      rowTable(
        "The app's access groups, in the order in which it searches them", isTitleHidden: true,
        [(Term.group.html, nil), (Term.right.html, "wide"), ("Items", "number")]
      ) {
        for right in app.rights {
          tr {
            th(.scope("row")) {
              a(.class("open"), .href(PageAddress("groups", right.group))) { dotted(names.short(right.group)) }
              if right.isDefault { " \(tag("Default", "accent"))" }
              p(.class("hint")) {
                span(.class("narrow")) { right.isWritable ? "reads and writes" : "reads" }
                text(right.reason)
              }
            }
            td(.class("wide")) { right.isWritable ? tag("Reads and writes", "accent") : tag("Reads") }
            td(.class("number")) { text(right.itemCount.grouped) }
          }
        }
      }
    }
  }

  private var why: HTML {
    card("Why can or can’t this app read a group?", id: "why") {
      ExplanationPage.question {
        hiddenField("app", app.id)
        ExplanationPage.choice(of: groups)
      }
    }
  }

  private var plist: HTML {
    card("Entitlements as registered", id: "plist") {
      if app.plist.isConverted { p(.class("hint")) { "The registered plist is binary; this is what it contains." } }
      pre(.class("block"), .tabindex(0), .label("Entitlements plist")) { text(app.plist.text) }
    }
  }

  private var evidence: HTML {
    card("On this machine", id: "evidence") {
      p { app.evidence.tag }
      p { text(app.evidence.sentence) }
      if let words = app.evidence.advice { p(.class("hint")) { advice(words) } }
    }
  }

  private var registration: HTML {
    card("Registration", id: "registration") {
      facts(
        [
          ("Registered", moment(app.registered)),
          ("By", given(app.registeredBy)),
          (
            "Log entry",
            isOwner
              ? a(.href(PageAddress("log").with("before", String(app.registrationEntry + 1)))) {
                text(app.registrationEntry.description)
              } : text(app.registrationEntry.description)
          ),
          ("Passphrase", app.requiresPassphrase ? "required on each machine" : "not required"),
          ("Prefix in the plist", app.sourcePrefix.map { prefix in code { given(prefix) } }),
        ])
      if app.isUnpublished {
        p(.class("hint")) {
          """
          The remote does not have this registration yet. Another machine’s change could still replace it; sync to \
          publish it.
          """
        }
      }
    }
  }

  private var places: HTML {
    card("Machines", id: "places") {
      if app.places.isEmpty {
        p(.class("hint")) { "The app has keys on no machine." }
      } else {
        ul(.class("timeline")) {
          for place in app.places {
            li(.class(place.isThisMachine ? "now" : "")) {
              div(.class("what")) {
                a(.href(PageAddress("machines", place.machineID))) { given(place.machine) }
                if place.isThisMachine { tag("This machine", "accent") }
              }
              p(.class("quiet")) {
                if let last = place.lastWrite {
                  "\(counted(place.recordCount, "record")), the last on \(moment(last))"
                } else {
                  "has written nothing yet"
                }
              }
              RemovalPage.link(
                to: .app(app.id, onMachine: place.machineID), "Remove",
                label: "Remove on \(DisplayText(place.machine, limit: 60).text)")
            }
          }
        }
      }
      if !app.formerPlaces.isEmpty {
        h3 { "Removed" }
        ul(.class("timeline")) {
          for place in app.formerPlaces {
            li {
              div(.class("what")) { a(.href(PageAddress("machines", place.machineID))) { given(place.machine) } }
              p(.class("quiet")) { place.revocation.html }
            }
          }
        }
      }
    }
  }

  private var removal: HTML {
    card("Remove from the vault", id: "remove") {
      p {
        """
        Nothing that the app writes from then on counts on any machine, and it gets no new keys. Its items stay. What it \
        could read before, it may have kept.
        """
      }
      RemovalPage.link(to: .app(app.id, onMachine: nil), "Remove from the vault")
    }
  }
}

/// The registered apps.
struct AppListPage {
  let apps: [InspectedApp]
  /// The apps that were removed from the vault, the last one first.
  let removed: [RemovedApp]
  let names: TeamNames

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
      nameCell(.app, dotted(names.title(ofApp: app.id)), opens: PageAddress("apps", app.id)) {
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
    case .open where enforcement == .sandbox:
      CofferInspectProgram.tag(text(enforcement.words.startingSentence), "warning", icon: .warning)
    case .passphrase: CofferInspectProgram.tag("Sealed", "good", icon: .done)
    case .open: CofferInspectProgram.tag("Open to this user", "warning", icon: .warning)
    case .absent: CofferInspectProgram.tag("No credential")
    case .unusable: CofferInspectProgram.tag("Does not work", "danger", icon: .warning)
    }
  }
}
