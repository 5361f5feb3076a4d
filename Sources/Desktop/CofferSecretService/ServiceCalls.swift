package import CofferAgent
internal import CofferBus

/// What `coffer` does as a client of the Secret Service that answers on the session bus: it links no library of the
/// bus.
package enum ServiceCalls {
  /// Lets the Coffer that answers drop its keys. Returns how many apps had keys that no agent keeps; nil if Coffer does
  /// not answer. Starts no program.
  package static func lockKeys() -> UInt32? {
    guard let bus = try? SessionBus.connectSoon(), let owner = try? bus.owner(of: ServiceName.bus),
      case .shortNumber(let count)? = try? bus.call(
        owner, ServiceName.root, ServiceName.control, ServiceName.lockKeys, timeout: timeout
      ).first
    else { return nil }
    return count
  }

  /// Looks for an item by its attributes, as every program of the desktop does, and reads its value, which is dropped.
  /// The bus starts the service if it does not run.
  package static func lookUp(_ attributes: [String: String]) -> SecretServiceLookUp {
    do throws(BusError) {
      let bus = try SessionBus.connectSoon()
      let pairs = attributes.sorted { $0.key < $1.key }.map { BusValue.Pair(.text($0.key), .text($0.value)) }
      let found = try call(bus, "SearchItems", [.pairs(key: "s", value: "s", pairs)])
      guard found.count == 2 else { return .failed }
      guard let item = found[0].elements.first else { return found[1].elements.isEmpty ? .absent : .locked }
      let opened = try call(bus, "OpenSession", [.text(TransportSession.plainName), .variant(.text(""))])
      guard opened.count == 2, let session = opened[1].string else { return .failed }
      let secrets = try call(bus, "GetSecrets", [.paths([item.string ?? ""]), .path(session)])
      return secrets.first?.entries.isEmpty == false ? .found : .absent
    } catch {
      return error.name == "org.freedesktop.DBus.Error.AccessDenied" ? .denied : .failed
    }
  }

  /// In seconds: as most programs wait.
  private static let timeout = 25

  private static func call(
    _ bus: SessionBus, _ method: String, _ arguments: [BusValue]
  ) throws(BusError) -> [BusValue] {
    try bus.call(ServiceName.bus, ServiceName.root, ServiceName.service, method, arguments, timeout: timeout)
  }
}

extension SecretServiceReport {
  /// Asks the session bus who owns the names. It starts no program.
  package static func read() -> SecretServiceReport {
    guard let bus = try? SessionBus.connectSoon() else { return SecretServiceReport(hasBus: false, owners: []) }
    let owners = [secretsName, portalName, appsName].compactMap { name -> Owner? in
      guard let connection = try? bus.owner(of: name) else { return nil }
      return Owner(name: name, process: bus.process(of: connection) ?? 0)
    }
    return SecretServiceReport(hasBus: true, owners: owners)
  }

  /// Lets the bus read again which programs it starts. Without a bus, the next one reads that.
  package static func reloadBus() {
    guard let bus = try? SessionBus.connectSoon() else { return }
    _ = try? bus.callBus("ReloadConfig")
  }
}
