package import CofferCrypto

/// A new access group: the first generation of its key, sealed for everybody who may read the group.
///
/// Each box contains the generation's 32-byte key and the group's constant 32-byte identity key.
package struct GroupKeyStatement: Hashable, Fielded {
  /// The access group's full name.
  package let name: String
  /// The commitment to the 64 bytes in the boxes.
  package let commitment: Bytes32
  /// The boxes in ascending order of recipient.
  package let boxes: [AddressedBox]

  package init(name: String, commitment: Bytes32, boxes: [AddressedBox]) {
    self.name = name
    self.commitment = commitment
    self.boxes = boxes.sorted { $0.recipient < $1.recipient }
  }

  package init(_ known: GroupKeyStatement?, _ coder: inout FieldCoder) throws(FormatError) {
    name = try coder.string(known?.name, "group", cap: Limits.identifierByteCount)
    commitment = try coder.bytes32(known?.commitment, "commitment")
    boxes = try coder.ascendingList(known?.boxes, "boxes", cap: Limits.boxes, by: \.recipient)
  }
}

/// The next generation of a group's key, sealed for everybody who may read the group. It names the generation that it
/// wraps, so that one whose boxes are worthless can be passed over.
package struct GroupKeyRenewalStatement: Hashable, Fielded {
  package let group: GroupID
  /// The number of the generation, from 2.
  package let generation: UInt32
  /// The commitment to the 64 bytes in the boxes.
  package let commitment: Bytes32
  /// The newest generation that its maker could open.
  package let wrappedGeneration: UInt32
  /// That generation, sealed under this one.
  package let wrapped: [UInt8]
  /// The boxes in ascending order of recipient.
  package let boxes: [AddressedBox]

  /// The maximum number of boxes in one entry. The other recipients get grants.
  package static let boxCapacity = 8_000

  package init(
    group: GroupID, generation: UInt32, commitment: Bytes32, wrappedGeneration: UInt32, wrapped: [UInt8],
    boxes: [AddressedBox]
  ) {
    self.group = group
    self.generation = generation
    self.commitment = commitment
    self.wrappedGeneration = wrappedGeneration
    self.wrapped = wrapped
    self.boxes = boxes.sorted { $0.recipient < $1.recipient }
  }

  package init(_ known: GroupKeyRenewalStatement?, _ coder: inout FieldCoder) throws(FormatError) {
    group = try coder.id(known?.group, "group")
    generation = try coder.u32(known?.generation, "generation")
    commitment = try coder.bytes32(known?.commitment, "commitment")
    wrappedGeneration = try coder.u32(known?.wrappedGeneration, "wrapped generation")
    try coder.require(generation > 1 && (1..<generation).contains(wrappedGeneration), "wrapped generation")
    wrapped = try coder.fixed(known?.wrapped, count: 64 + SymmetricKey.overheadByteCount, "wrapped")
    boxes = try coder.ascendingList(known?.boxes, "boxes", cap: Limits.boxes, by: \.recipient)
  }
}

/// A generation of a group's key, sealed for recipients that were added after the generation was created.
package struct GrantStatement: Hashable, Fielded {
  package let group: GroupID
  package let generation: UInt32
  /// The boxes in ascending order of recipient.
  package let boxes: [AddressedBox]

  package init(group: GroupID, generation: UInt32, boxes: [AddressedBox]) {
    self.group = group
    self.generation = generation
    self.boxes = boxes.sorted { $0.recipient < $1.recipient }
  }

  package init(_ known: GrantStatement?, _ coder: inout FieldCoder) throws(FormatError) {
    group = try coder.id(known?.group, "group")
    generation = try coder.u32(known?.generation, "generation")
    boxes = try coder.ascendingList(known?.boxes, "boxes", cap: Limits.boxes, by: \.recipient)
  }
}

/// States what an app must have on a machine before it gets keys of an access group there.
package struct GroupRequirementStatement: Hashable, Fielded {
  package let group: GroupID
  package let requirement: GroupRequirement

  package init(group: GroupID, requirement: GroupRequirement) {
    self.group = group
    self.requirement = requirement
  }

  package init(_ known: GroupRequirementStatement?, _ coder: inout FieldCoder) throws(FormatError) {
    group = try coder.id(known?.group, "group")
    requirement = try coder.choice(known?.requirement, "requirement")
  }
}

/// What an access group demands of the machines that give apps its keys. Each machine obeys for itself: the log cannot
/// show how a machine keeps a credential.
package enum GroupRequirement: UInt8, Hashable, Sendable, CaseIterable {
  case none = 0
  /// A person has to answer before a program gets values of the group.
  case lease = 1
  /// The operating system keeps the app's keys from other programs of the same user.
  case strong = 2

  /// The word for it in commands and FORMAT.md.
  package var name: String {
    switch self {
    case .none: "none"
    case .lease: "lease"
    case .strong: "strong"
    }
  }
}
