package import CofferAgent
internal import CofferBus

extension SecretServiceReport {
  /// Asks the session bus who owns the names. It starts no program.
  package static func read() -> SecretServiceReport {
    guard let bus = try? SessionBus.connect() else { return SecretServiceReport(hasBus: false, owners: []) }
    let owners = [secretsName, portalName].compactMap { name -> Owner? in
      guard let connection = ask(bus, "GetNameOwner", name)?.string else { return nil }
      guard case .shortNumber(let number)? = ask(bus, "GetConnectionUnixProcessID", connection) else {
        return Owner(name: name, process: 0)
      }
      return Owner(name: name, process: Int32(clamping: number))
    }
    return SecretServiceReport(hasBus: true, owners: owners)
  }

  /// Lets the bus read again which programs it starts. Without a bus, the next one reads that.
  package static func reloadBus() {
    guard let bus = try? SessionBus.connect() else { return }
    _ = try? bus.call(SessionBus.busName, SessionBus.busPath, SessionBus.busName, "ReloadConfig", timeout: 10)
  }

  private static func ask(_ bus: SessionBus, _ method: String, _ name: String) -> BusValue? {
    try? bus.call(SessionBus.busName, SessionBus.busPath, SessionBus.busName, method, [.text(name)], timeout: 10).first
  }
}
