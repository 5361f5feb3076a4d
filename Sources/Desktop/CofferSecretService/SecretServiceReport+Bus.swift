package import CofferAgent
internal import CofferBus

extension SecretServiceReport {
  /// Asks the session bus who owns the names. It starts no program.
  package static func read() -> SecretServiceReport {
    guard let bus = try? SessionBus.connect() else { return SecretServiceReport(hasBus: false, owners: []) }
    let owners = [secretsName, portalName].compactMap { name -> Owner? in
      guard let connection = try? bus.owner(of: name) else { return nil }
      return Owner(name: name, process: bus.process(of: connection) ?? 0)
    }
    return SecretServiceReport(hasBus: true, owners: owners)
  }

  /// Lets the bus read again which programs it starts. Without a bus, the next one reads that.
  package static func reloadBus() {
    guard let bus = try? SessionBus.connect() else { return }
    _ = try? bus.callBus("ReloadConfig")
  }
}
