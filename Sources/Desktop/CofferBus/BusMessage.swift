package import CofferSystem

/// A message that has arrived.
package struct BusMessage: Sendable {
  package enum Kind: Sendable {
    case call, reply, error, signal
  }

  package let kind: Kind
  /// The unique name of the connection that has sent the message; empty if the bus does not say.
  package let sender: String
  package let path: String
  /// Empty if a call names none.
  package let interface: String
  package let member: String
  package internal(set) var serial: UInt32 = 0
  /// The number of the call that a reply or an error answers.
  var replySerial: UInt32 = 0
  /// The name of an error.
  var errorName = ""
  var expectsReply = true
  /// The types of the values, as D-Bus writes them.
  package internal(set) var signature = ""
  package internal(set) var values: [BusValue] = []
  /// About how many bytes the values take.
  package internal(set) var byteCount: Int
  /// Whether the values were too many or too large, and were not read.
  package internal(set) var isTruncated = false

  package init(
    _ kind: Kind, sender: String, path: String, interface: String, member: String, byteCount: Int = 0
  ) {
    self.kind = kind
    self.sender = sender
    self.path = path
    self.interface = interface
    self.member = member
    self.byteCount = byteCount
  }
}

/// A message to send.
package enum BusOutput: Sendable {
  /// The answer to a call.
  case reply(to: BusMessage, [BusValue])
  /// The answer to a call that has failed. The name is an error's of D-Bus, the text is for people.
  case failure(of: BusMessage, name: String, text: String)
  /// A signal, to one connection or, if `destination` is nil, to all.
  case signal(path: String, interface: String, member: String, [BusValue], destination: String?)
}

/// Why a call of the bus has failed.
package struct BusError: Error, Sendable {
  /// The name of the error, for example `org.freedesktop.DBus.Error.NoReply`; empty if there is no session bus.
  package let name: String
  /// What the other program says. It is not trusted.
  package let text: String

  package init(_ name: String, _ text: String = "") {
    self.name = name
    self.text = text
  }

  /// There is no session bus, or it cannot be reached.
  package static let noBus = BusError("")
}

/// A value in a message of D-Bus.
package indirect enum BusValue: Equatable, Sendable {
  /// An entry of a dictionary.
  package struct Pair: Equatable, Sendable {
    package let key: BusValue
    package let value: BusValue

    package init(_ key: BusValue, _ value: BusValue) {
      self.key = key
      self.value = value
    }
  }

  case text(String)
  case path(String)
  case flag(Bool)
  case number(UInt64)
  case shortNumber(UInt32)
  case bytes([UInt8])
  case structure([BusValue])
  /// An array, with the signature of its elements.
  case list(of: String, [BusValue])
  /// A dictionary, with the signatures of its keys and values.
  case pairs(key: String, value: String, [Pair])
  case variant(BusValue)
  case descriptor(BusDescriptor)
  /// A value of a kind that no part of Coffer reads.
  case other

  /// The value itself, without the variants around it.
  package var unwrapped: BusValue { if case .variant(let inner) = self { inner.unwrapped } else { self } }

  /// The text or the path.
  package var string: String? {
    switch unwrapped {
    case .text(let text), .path(let text): text
    default: nil
    }
  }

  /// The elements of an array or a structure; empty for any other value.
  package var elements: [BusValue] {
    switch unwrapped {
    case .list(_, let elements), .structure(let elements): elements
    default: []
    }
  }

  /// The entries of a dictionary; empty for any other value.
  package var entries: [Pair] { if case .pairs(_, _, let pairs) = unwrapped { pairs } else { [] } }

  /// The value of a dictionary under a text; nil if there is none.
  package subscript(_ key: String) -> BusValue? { entries.first { $0.key == .text(key) }?.value.unwrapped }

  /// An array of object paths.
  package static func paths(_ paths: [String]) -> BusValue { .list(of: "o", paths.map(BusValue.path)) }

  /// A dictionary of texts, in the order of the keys.
  package static func texts(_ texts: [String: String]) -> BusValue {
    .pairs(key: "s", value: "s", texts.sorted { $0.key < $1.key }.map { Pair(.text($0.key), .text($0.value)) })
  }

  /// A dictionary of properties, in the order of their names.
  package static func properties(_ properties: [String: BusValue]) -> BusValue {
    .pairs(
      key: "s", value: "v", properties.sorted { $0.key < $1.key }.map { Pair(.text($0.key), .variant($0.value)) })
  }

  /// The signature by which D-Bus names the type.
  package var signature: String {
    switch self {
    case .text: "s"
    case .path: "o"
    case .flag: "b"
    case .number: "t"
    case .shortNumber: "u"
    case .bytes: "ay"
    case .structure(let elements): "(\(elements.map(\.signature).joined()))"
    case .list(let element, _): "a\(element)"
    case .pairs(let key, let value, _): "a{\(key)\(value)}"
    case .variant: "v"
    case .descriptor: "h"
    case .other: ""
    }
  }
}

/// A file descriptor that a message has brought. It is closed when the last reference is released.
package final class BusDescriptor: Equatable, Sendable {
  package let descriptor: Descriptor

  package init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  package static func == (left: BusDescriptor, right: BusDescriptor) -> Bool { left === right }
}
