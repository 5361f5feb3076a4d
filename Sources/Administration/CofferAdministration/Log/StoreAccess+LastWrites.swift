internal import Coffer
internal import CofferFormat
internal import CofferStore
internal import CofferTrust

extension StoreAccess where Self: ~Copyable {
  /// Returns the time of the newest record of each machine, or of the newest log entry that its admin has signed, by the
  /// machine's own clock.
  func lastWrites(_ membership: Membership) throws -> [DeviceID: Timestamp] {
    var times: [DeviceID: Timestamp] = [:]
    for activity in try authorActivity() {
      guard let device = membership.authors[activity.author]?.device else { continue }
      times[device] = max(times[device] ?? activity.last, activity.last)
    }
    let machines = Dictionary(
      membership.devices.values.compactMap { device in device.admin.map { ($0, device.id) } }
    ) { first, _ in first }
    for bytes in try logEntries(after: 0, through: .max) {
      guard let entry = try? LogEntry(bytes: bytes), case .admin(let author) = entry.signer,
        let device = machines[author]
      else { continue }
      times[device] = max(times[device] ?? entry.time, entry.time)
    }
    return times
  }
}
