package import CofferFormat
package import CofferStore

extension StoredSegment {
  /// Returns the number of records; 1 if the segment cannot be opened.
  package func recordCount(openedBy device: DeviceFile) -> Int {
    do throws(FormatError) {
      let envelope = try Envelope(bytes: envelope)
      guard let key = device.transportKey(envelope.generation) else { return 1 }
      return try Segment(bytes: envelope.open(with: key.key)).records.count
    } catch {
      return 1
    }
  }
}
