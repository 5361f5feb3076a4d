internal import CofferSystem

extension SyncReport {
  /// The report as lines for people, without the problems.
  package var summary: [String] {
    var lines = [head]
    if recordsReceived + membershipReceived > 0 {
      lines.append("  received: \(Self.count(recordsReceived, membershipReceived))")
    }
    if recordsSent + membershipSent > 0 { lines.append("  sent:     \(Self.count(recordsSent, membershipSent))") }
    if recordsInLanes > 0 {
      lines.append(
        "  sent:     \(counted(recordsInLanes, "item change")), in a lane: many machines sync at once, and the next sync "
          + "of any of them puts them in their place")
    }
    lines += unadmittedLines
    if conflictCount > 0 {
      let verb = conflictCount == 1 ? "was" : "were"
      lines.append(
        "  conflict: \(counted(conflictCount, "item")) \(verb) changed on two machines at once; compare with: coffer conflicts"
      )
    }
    if epochs > 0 { lines.append("  epoch:    \(epoch), which begins with a snapshot") }
    if repaired > 0 { lines.append("  restored: \(repaired) objects that the remote had lost or altered") }
    if removed > 0 { lines.append("  removed:  \(removed) files of the remote that are not valid") }
    if isClonedDevice {
      lines.append(
        "  A copy of this machine has synced under its name, or this machine itself before it was restored from a backup. "
          + "Nothing is lost. If there is a copy, clone the vault there instead."
      )
    }
    if hasNewAppWithoutCredential { lines += appLines }
    lines += invitations.flatMap(\.lines)
    return lines
  }

  /// What the sync has done, and what the remote has now if that is certain.
  private var head: String {
    guard isComplete else { return "\(isUnchanged ? "Compared" : "Synced") with \(remote)." }
    let content = "\(counted(items, "item")), \(counted(membershipEntries, "membership entry", "membership entries"))"
    return "\(isUnchanged ? "Up to date" : "Synced"): \(content) at \(remote)"
  }

  private var appLines: [String] {
    let verb = appsWithoutCredential.count == 1 ? "has" : "have"
    return ["\(counted(appsWithoutCredential.count, "app")) \(verb) no credential on this machine; run:"]
      + appsWithoutCredential.map { "  coffer app install \($0)" }
  }

  /// The pending and refused records by author, a line each.
  private var unadmittedLines: [String] {
    unadmittedRecords.entries.map { "  \($0.state.rawValue):  \($0.words)" }
  }

  private static func count(_ records: Int, _ entries: Int) -> String {
    var parts: [String] = []
    if records > 0 { parts.append(counted(records, "item change")) }
    if entries > 0 { parts.append(counted(entries, "membership entry", "membership entries")) }
    return parts.joined(separator: ", ")
  }
}
