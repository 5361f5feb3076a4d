internal import Coffer
internal import CofferAdministration
internal import CofferInspection
internal import CofferSystem

/// One machine: whether it is in the vault, what this machine has seen of it, what its keys open, and how it is removed.
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
