package import CofferFormat

/// How far another machine has read a stream at the remote.
package struct SeenPosition: Hashable, Coded {
  package let position: StreamPosition
  /// The machine that has seen it.
  package let reader: DeviceID

  package init(position: StreamPosition, reader: DeviceID) {
    self.position = position
    self.reader = reader
  }

  package func write(to writer: inout ByteWriter) {
    position.write(to: &writer)
    reader.write(to: &writer)
  }

  package init(from reader: inout ByteReader) throws(FormatError) {
    position = try StreamPosition(from: &reader)
    self.reader = try DeviceID(from: &reader)
  }
}
