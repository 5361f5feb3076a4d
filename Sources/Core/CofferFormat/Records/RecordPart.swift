/// The parts of a record that are sealed separately, so that a list opens attributes and no values.
package enum RecordPart: UInt8, Sendable {
  case attributes = 1
  case value = 2
}
