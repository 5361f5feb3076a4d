internal import CofferSync
internal import CofferVault

extension SyncReport {
  /// The report as lines for people.
  var summary: [String] {
    if isUnchanged {
      return [problems.isEmpty ? "Up to date with \(remote)." : "Compared with \(remote)."] + unadmittedLines
    }
    var lines = ["Synced with \(remote)."]
    if recordsReceived + membershipReceived > 0 {
      lines.append("  received: \(Self.count(recordsReceived, membershipReceived))")
    }
    if recordsSent + membershipSent > 0 { lines.append("  sent:     \(Self.count(recordsSent, membershipSent))") }
    lines += unadmittedLines
    if repaired > 0 { lines.append("  restored: \(repaired) objects that the remote had lost or altered") }
    if removed > 0 { lines.append("  removed:  \(removed) files of the remote that are not valid") }
    if isClonedDevice {
      lines.append(
        "  A copy of this machine has synced under its name, or this machine itself before it was restored from a backup. "
          + "Nothing is lost. If there is a copy, clone the vault there instead."
      )
    }
    return lines
  }

  /// The pending and refused records by author, a line each.
  private var unadmittedLines: [String] {
    unadmittedRecords.entries.map { "  \($0.state.rawValue):  \($0.words)" }
  }

  private static func count(_ records: Int, _ entries: Int) -> String {
    var parts: [String] = []
    if records > 0 { parts.append("\(records) item change\(records == 1 ? "" : "s")") }
    if entries > 0 { parts.append("\(entries) membership entr\(entries == 1 ? "y" : "ies")") }
    return parts.joined(separator: ", ")
  }
}
