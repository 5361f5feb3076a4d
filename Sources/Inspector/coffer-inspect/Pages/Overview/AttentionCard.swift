internal import CofferInspection
internal import CofferVault

/// What needs attention, with a link to where something can be done about it.
struct AttentionCard {
  /// The most urgent first.
  let entries: [Attention]
  let names: TeamNames
  /// Whether the owner looks at it, who has pages that an app has not.
  let isOwner: Bool

  var html: HTML {
    card("Needs attention", id: "attention", isFlush: true) {
      if entries.isEmpty {
        empty(.done, "Nothing needs attention", "Conflicts, expiring certificates and problems of syncs appear here.")
      } else {
        ul(.class("attention")) {
          for entry in entries { row(of: entry) }
        }
      }
    }
  }

  private func row(of entry: Attention) -> HTML {
    li(.class(entry.severity == .urgent ? "danger" : "")) {
      (entry.severity == .notice ? Icon.information : .warning).html
      div {
        h3 {
          switch entry.severity {
          case .urgent: span(.class("visually-hidden")) { "Urgent: " }
          case .warning: span(.class("visually-hidden")) { "Warning: " }
          case .notice: HTML()
          }
          breaking(names.shortened(entry.sentence))
        }
        p { advice(entry.advice) }
      }
      if let target = target(of: entry) {
        linkButton(target.words, to: target.address, style: "small")
      }
    }
  }

  private func target(of entry: Attention) -> (words: HTML, address: PageAddress)? {
    switch entry {
    case .conflicts: ("Show conflicts", PageAddress("conflicts"))
    case .certificate: ("Show certificates", PageAddress("certificates").with("show", "expiring"))
    case .unsynced, .syncFails, .neverSynced, .noRemote, .lostRemote, .logClaim: ("Open sync", PageAddress("sync"))
    case .logFork: ("Show the log", PageAddress("log"))
    case .noCredential, .lackingRights, .unusableCredential, .openCredentials, .ownCredentials:
      ("Show apps", PageAddress("apps"))
    case .noPassphrase: ("Set a passphrase", PassphrasePage.address)
    case .singleMachine, .silent, .expiredCredentials, .unconfirmed, .enrolmentRequests:
      ("Show machines", PageAddress("machines"))
    case .toReplace: ("Show items to replace", PageAddress("replace"))
    case .unadmitted(let records):
      isOwner && records.state == .refused ? ("Show refused versions", PageAddress("refused")) : nil
    case .removed, .storeChanged, .vaultKeyKept: nil
    }
  }
}
