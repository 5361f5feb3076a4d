package import CofferFormat
package import CofferStore

extension StoredSegment {
  /// Returns the segment; nil if it cannot be opened. The caller must verify its signature, unless this machine wrote
  /// it.
  package func segment(openedBy device: DeviceFile) -> Segment? {
    guard let envelope = try? Envelope(bytes: envelope), let key = device.transportKey(envelope.generation) else {
      return nil
    }
    return try? Segment(bytes: envelope.open(with: key.key))
  }

  /// Returns the number of records; 1 if the segment cannot be opened.
  package func recordCount(openedBy device: DeviceFile) -> Int { segment(openedBy: device)?.records.count ?? 1 }
}
