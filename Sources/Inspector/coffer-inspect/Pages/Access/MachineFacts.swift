internal import Coffer
internal import CofferAdministration
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal

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
          a(.href(PageAddress("apps", app.id))) { dotted(app.bundleID) }
          if let last = app.lastWrite { span(.class("hint")) { ", wrote last on \(moment(last))" } }
        }
      }
    }
  }
}

/// A word for a machine of which nobody has heard for long.
func silentTag(_ days: Int) -> HTML {
  tag("Silent for \(counted(days, "day"))", "warning", icon: .warning)
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
