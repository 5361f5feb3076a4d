internal import Coffer
internal import CofferAdministration
internal import CofferCrypto
internal import CofferInspection
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault
internal import HTTPTypes
internal import Hummingbird

/// What is removed from the vault, what is to be replaced then, and what is refused. All of it is the owner's.
extension Pages {
  func addRevocation(to routes: PageRoutes) {
    for path in ["machines/:machine/remove", "apps/:app/remove"] as [RouterPath] {
      routes.page(path, ownerOnly: true) { vault, visit in
        let removal = try vault.removal(of: try Self.subject(visit))
        return RemovalPage(removal: removal, names: visit.names, csrf: visit.csrf).page
      }
      routes.form(path, ownerOnly: true) { vault, visit in try remove(vault, visit) }
    }
    routes.page("replace", ownerOnly: true) { vault, visit in
      ReplacementListPage(
        list: try vault.itemsToReplace(), search: visit.parameter("q") ?? "",
        number: visit.parameter("page").flatMap { Int($0) } ?? 1, hasPassphrase: try vault.hasPassphrase,
        names: visit.names, csrf: visit.csrf
      ).page
    }
    routes.form("replace", ownerOnly: true) { vault, visit in try dismiss(vault, visit) }
    routes.page("refused", ownerOnly: true) { vault, visit in
      RefusedListPage(versions: try vault.refusedVersions(), names: visit.names, csrf: visit.csrf).page
    }
    routes.form("refused/adopt", ownerOnly: true) { vault, visit in try Self.adopt(vault, visit) }
  }

  /// What an address removes.
  private static func subject(_ visit: Visit) throws(PageFailure) -> InspectedRemoval.Subject {
    if let app = visit.path["app"] { return .app(app, onMachine: visit.parameter("machine")) }
    guard let machine = visit.path["machine"] else { throw malformed }
    return .machine(machine)
  }

  /// Removes what a person has seen and confirmed. What has changed since is shown anew.
  private func remove(_ vault: InspectedVault, _ visit: Visit) throws -> Answer {
    let subject = try Self.subject(visit)
    let removal = try vault.removal(of: subject)
    guard let scope = visit.form["scope"], visit.form["sure"] == "1" else { throw Self.malformed }
    let passphrase = visit.form.filledSecret("passphrase")
    do {
      try vault.check(removal, confirming: scope, passphrase: passphrase, attempt: inspector.attempt)
      try SyncProgram.publication(for: .program).change(vault.local) { (attempt) throws(VaultError) in
        // As in the terminal: who is removed must not be able to write for ever.
        try vault.remove(removal, confirming: scope, passphrase: passphrase, despiteNewRecords: attempt > 1)
      }
    } catch {
      let failure = PageFailure(error)
      let now = try vault.removal(of: subject)
      let page = RemovalPage(
        removal: now, failure: FailurePage.words(failure), names: visit.names, csrf: visit.csrf)
      let isCorrectable = (error as? VaultError)?.code == .authenticationFailed
      return .show(page.page, isCorrectable ? .unprocessableContent : failure.status)
    }
    let next: PageAddress =
      switch subject {
      case .machine(let id): PageAddress("machines", id)
      case .app(_, nil): PageAddress("apps")
      case .app(let id, _): PageAddress("apps", id)
      }
    return .done(next.with("done", Done.removed.rawValue))
  }

  /// Dismisses the selected items of the list or, if that was chosen, all that it had.
  private func dismiss(_ vault: InspectedVault, _ visit: Visit) throws -> Answer {
    let search = visit.form["q"] ?? ""
    let list = try vault.itemsToReplace()
    let passphrase = visit.form.filledSecret("passphrase")
    do {
      let chosen = try Self.chosen(of: list.items, matching: list.items(matching: search), visit.form)
      let reason = visit.form["reason"] ?? ""
      try MembershipChange.checkDismissal(reason: reason)
      try vault.check(passphrase, attempt: inspector.attempt)
      try SyncProgram.publication(for: .program).change(vault.local) { (_) throws(VaultError) in
        try vault.dismiss(chosen, reason: reason, passphrase: passphrase)
      }
      let list = ReplacementListPage.address(search)
      return .done(list.with("done", Done.dismissed.rawValue).with("count", String(chosen.count)))
    } catch {
      guard !inspector.isLocked else { throw error }
      let page = ReplacementListPage(
        list: list, search: search, number: 1, hasPassphrase: try vault.hasPassphrase,
        failure: FailurePage.words(error), sent: visit.form, names: visit.names, csrf: visit.csrf)
      let isCorrectable = (error as? VaultError)?.code == .authenticationFailed
      return .show(page.page, isCorrectable ? .unprocessableContent : PageFailure(error).status)
    }
  }

  /// Returns the items that a form names, or all that a search finds if it finds those that were shown.
  private static func chosen(
    of items: [ItemToReplace], matching: [ItemToReplace], _ form: InspectorForm
  ) throws(PageFailure) -> [ItemToReplace] {
    let keys = Set(form.all("item"))
    let chosen = form["all"] == nil ? items.filter { keys.contains($0.key) } : matching
    guard form["all"] == nil || form["all"] == ItemSelection(matching).digest, !chosen.isEmpty else {
      throw PageFailure(
        .conflict, "The list has changed", "the list does not have these items any more",
        suggestion: "select the items to dismiss")
    }
    return chosen
  }

  private static func adopt(_ vault: InspectedVault, _ visit: Visit) throws -> Answer {
    guard let version = visit.form["version"] else { throw malformed }
    do throws(VaultError) {
      try vault.adopt(version, replacesNewer: visit.form["replace"] == "1")
      return .done(PageAddress("refused").with("done", Done.adopted.rawValue))
    } catch {
      var failure = PageFailure(error)
      if error.code == .itemChanged {
        failure = PageFailure(
          .conflict, failure.title, "the item was changed by somebody who had not seen this version",
          suggestion: "look at both, and confirm that this one replaces the newer one")
      }
      let page = RefusedListPage(
        versions: try vault.refusedVersions(), failure: FailurePage.words(failure), names: visit.names,
        csrf: visit.csrf)
      return .show(page.page, failure.status)
    }
  }
}
