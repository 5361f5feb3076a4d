/// States what an app must have on a machine before it gets keys of an access group there.
package struct GroupRequirementStatement: Hashable, Sendable {
  package let group: GroupID
  package let requirement: GroupRequirement

  package init(group: GroupID, requirement: GroupRequirement) {
    self.group = group
    self.requirement = requirement
  }

  func write(to writer: inout ByteWriter) {
    writer.fixed(group.raw)
    writer.u8(requirement.rawValue)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    group = GroupID(try reader.bytes16("group"))
    requirement = try GroupRequirement(from: &reader)
  }
}
