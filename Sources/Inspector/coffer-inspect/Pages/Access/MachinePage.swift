internal import CofferAdministration
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal

/// One machine: whether it is in the vault, what this machine has seen of it, what its keys open, and how it is
/// removed.
struct MachinePage {
  let machine: InspectedMachine
  /// Whether the machine has a passphrase; nil for another machine than this one.
  var hasPassphrase: Bool?
  let names: TeamNames

  var page: Page {
    var page = Page(title: machine.name, place: .machines)
    page.path = [Page.Step(name: "Machines", address: PageAddress("machines"))]
    if let revocation = machine.revocation {
      page.lead =
        "This machine was removed from the vault on \(moment(revocation.time)) by \(given(revocation.signer))."
    } else {
      page.lead = "This machine has been in the vault since \(moment(machine.enrolled))."
    }
    let facts = MachineFacts(machine: machine, names: names)
    page.content = div(.class("columns")) {
      card("State", id: "state") {
        div(.class("stack")) {
          facts.tags
          facts.list
          if let hasPassphrase { div(.class("actions")) { PassphrasePage.link(hasPassphrase: hasPassphrase) } }
        }
      }
      div(.class("stack")) {
        if machine.revocation == nil {
          reach
          removal
        } else {
          former
        }
      }
    }
    return page
  }

  private var reach: HTML {
    card("What its keys open", id: "reach") {
      for sentence in machine.reach.sentences { p { text(sentence) } }
      if !machine.reach.groups.isEmpty {
        ul {
          for group in machine.reach.groups {
            li { a(.href(PageAddress("groups", group))) { dotted(names.short(group)) } }
          }
        }
      }
    }
  }

  private var removal: HTML {
    card("Remove from the vault", id: "remove") {
      if machine.isThisMachine {
        p { "A machine cannot remove itself. Do this on another machine." }
      } else {
        p {
          """
          For a machine that was lost, stolen or given away. Nothing that it writes from then on counts on other machines, \
          and it gets no new keys. What it could read before, it may have kept.
          """
        }
        RemovalPage.link(to: .machine(machine.id), "Remove from the vault")
      }
    }
  }

  private var former: HTML {
    card("What it means", id: "meaning") {
      p {
        """
        Nothing that the machine has written since counts on other machines, and it opens nothing that was written after \
        they had synced. What it could read before, it may have kept.
        """
      }
      div(.class("actions")) {
        linkButton("Items to replace", to: PageAddress("replace"))
        linkButton("Refused versions", to: PageAddress("refused"))
      }
    }
  }
}

/// The machines of the vault, and those that were removed.
struct MachineListPage {
  let machines: [InspectedMachine]
  /// The machines that were removed, the last one first.
  let removed: [InspectedMachine]
  let names: TeamNames
  /// The time to compare with.
  var now = Date()

  var page: Page {
    var page = Page(title: "Machines", place: .machines)
    page.lead = "The machines that are enrolled, and what this one has seen of them."
    page.actions = PairingPage.link
    page.content = joined {
      div(.class("cards")) {
        for machine in machines { html(of: machine) }
      }
      if !removed.isEmpty { former }
    }
    return page
  }

  private func html(of machine: InspectedMachine) -> HTML {
    let facts = MachineFacts(machine: machine, names: names, now: now)
    return card(a(.href(PageAddress("machines", machine.id))) { given(machine.name) }, id: machine.id) {
      div(.class("stack")) {
        facts.tags
        facts.list
      }
    }
  }

  private var former: HTML {
    card("Removed from the vault", id: "removed", isFlush: true) {
      rowTable(text(counted(removed.count, "machine")), [("Machine", nil), ("Removed", nil)]) {
        for machine in removed {
          tr {
            nameCell(.machine, given(machine.name), opens: PageAddress("machines", machine.id))
            td { machine.revocation.map { "\(moment($0.time)) by \(given($0.signer))" } }
          }
        }
      }
    }
  }
}

/// What is known of a machine, for the list of machines and for its page.
struct MachineFacts {
  let machine: InspectedMachine
  let names: TeamNames
  /// The time to compare with.
  var now = Date()

  /// Words for the machine's state.
  var tags: HTML {
    div(.class("tags")) {
      if machine.isThisMachine { tag("This machine", "accent", icon: .machine) }
      if machine.revocation != nil {
        tag("Removed from the vault", "warning", icon: .warning)
      } else {
        machine.isAdmin ? tag("Admin", "", icon: .key) : tag(machine.expires == nil ? "Member" : "Read only")
        if let days = machine.machine.silentDays(asOf: now) { silentTag(days) }
        if machine.isExpired { tag("Expired", "warning", icon: .warning) }
        if machine.confirmation?.isGiven == false { tag("Has not confirmed a removal", "warning", icon: .warning) }
      }
    }
  }

  var list: HTML {
    let isInVault = machine.revocation == nil
    return facts([
      ("In the vault", isInVault ? "yes" : "no"),
      ("Removed", machine.revocation.map(\.html)),
      ("Last sign of life", sign),
      ("Last removal confirmed", machine.confirmation.map(html)),
      ("Enrolled", "\(moment(machine.enrolled)) by \(given(machine.enrolledBy))"),
      ("Role", isInVault ? text(machine.role) : nil),
      ("Records written", text(machine.recordCount.grouped)),
      ("Apps", isInVault ? apps : nil),
      ("Identifier", code { text(machine.id) }),
    ])
  }

  /// Whether the machine knows who was removed last.
  private func html(of confirmation: InspectedMachine.Confirmation) -> HTML {
    joined {
      confirmation.isGiven
        ? "yes: that of \(confirmation.revocation.html)" : "no: not that of \(confirmation.revocation.html)"
      if !confirmation.isGiven {
        p(.class("hint")) {
          """
          It has not synced since somebody was removed. Until it does, what it writes may be sealed under an old key, \
          which they may have. Run \(code { "coffer sync" }) on it.
          """
        }
      }
    }
  }

  private var sign: HTML {
    guard let sign = machine.lastSign else {
      return machine.isThisMachine ? "this is it" : "none since its enrolment"
    }
    return joined {
      signOfLife(sign.time, asOf: now)
      p(.class("hint")) { breaking(names.shortened(sign.what)) }
    }
  }

  private var apps: HTML {
    guard !machine.apps.isEmpty else { return "none" }
    return ul {
      for app in machine.apps {
        li {
          a(.href(PageAddress("apps", app.id)), .title(app.bundleID)) { dotted(names.title(ofApp: app.id)) }
          if let last = app.lastWrite { span(.class("hint")) { ", wrote last on \(moment(last))" } }
        }
      }
    }
  }
}

/// A word for a machine of which nobody has heard for long.
func silentTag(_ days: Int) -> HTML {
  tag("Silent for \(counted(days: days))", "warning", icon: .warning)
}

/// The time of a machine's last sign of life, by its own clock, with its age.
func signOfLife(_ time: Date, asOf now: Date) -> HTML {
  "\(moment(time)) (\(text(Output.age(of: time, asOf: now))))"
}

extension InspectedRevocation {
  /// When and by whom something was removed, with a link to the entry of the log.
  var html: HTML {
    "\(moment(time)) by \(given(signer)), \(logEntry(entry))"
  }
}
