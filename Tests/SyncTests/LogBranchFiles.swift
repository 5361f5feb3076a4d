import CofferFormat
import CofferTestSupport
import CofferVault
import Foundation

/// The branches of the log that machines have pushed.
struct LogBranchFiles {
  private struct Entry {
    let path: String
    let file: HostileHost.File
    let entry: LogEntry
  }

  private let entries: [EntryHash: Entry]
  /// The last entry of each branch.
  private let ends: [EntryHash]

  var count: Int { ends.count }

  /// Reads all log entries of a host with the transport keys of a machine.
  init(_ host: HostileHost, openedBy machine: Machine) throws {
    let device = try LocalVault.open(VaultFolder(machine.vault)).deviceFile()
    var entries: [EntryHash: Entry] = [:]
    for (path, ids) in host.genuine where path.hasPrefix("log/") {
      for id in ids {
        let envelope = try Envelope(bytes: host.bytes(of: id))
        guard let key = device.transportKeys.first(where: { $0.generation == envelope.generation }) else { continue }
        let entry = try LogEntry(bytes: envelope.open(with: key.key))
        entries[entry.hash] = Entry(path: path, file: HostileHost.File(id: id), entry: entry)
      }
    }
    self.entries = entries
    let parents = Set(entries.values.map(\.entry.previous))
    ends = entries.values.sorted { ($0.entry.sequence, $0.file.id) < ($1.entry.sequence, $1.file.id) }
      .map(\.entry.hash).filter { !parents.contains($0) }
  }

  /// Returns the files of a branch, from its end to the first entry.
  func files(ofBranch number: Int) -> HostileHost.Files {
    var files: HostileHost.Files = [:]
    var next = entries[ends[number]]
    while let entry = next {
      files[entry.path] = entry.file
      next = entries[entry.entry.previous]
    }
    return files
  }
}
