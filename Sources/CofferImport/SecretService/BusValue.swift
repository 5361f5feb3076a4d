internal import CDBus

/// A value in a message of D-Bus. The kinds that no secret service sends are left out.
indirect enum BusValue: Equatable {
  /// An entry of a dictionary.
  struct Pair: Equatable {
    let key: String
    let value: BusValue
  }

  case text(String)
  case path(String)
  case bytes([UInt8])
  case number(UInt64)
  case flag(Bool)
  case list([BusValue])
  case pairs([Pair])
  case other

  /// The text or the path.
  var string: String? {
    switch self {
    case .text(let text), .path(let text): text
    default: nil
    }
  }

  var elements: [BusValue] { if case .list(let elements) = self { elements } else { [] } }
}

extension BusValue {
  private static let maximumDepth = 32

  /// Reads the values of a message. libdbus has validated them.
  static func all(in message: OpaquePointer) -> [BusValue] {
    var place = unsafe DBusMessageIter()
    guard unsafe dbus_message_iter_init(message, &place) != 0 else { return [] }
    return unsafe elements(&place, depth: 0)
  }

  private static func elements(_ place: inout DBusMessageIter, depth: Int) -> [BusValue] {
    var values: [BusValue] = []
    while unsafe dbus_message_iter_get_arg_type(&place) != 0 {
      unsafe values.append(value(&place, depth: depth))
      _ = unsafe dbus_message_iter_next(&place)
    }
    return values
  }

  private static func value(_ place: inout DBusMessageIter, depth: Int) -> BusValue {
    guard depth < maximumDepth else { return .other }
    switch unsafe dbus_message_iter_get_arg_type(&place) {
    case Int32(UInt8(ascii: "s")): return .text(unsafe string(&place))
    case Int32(UInt8(ascii: "o")): return .path(unsafe string(&place))
    case Int32(UInt8(ascii: "b")):
      var flag: dbus_bool_t = 0
      unsafe dbus_message_iter_get_basic(&place, &flag)
      return .flag(flag != 0)
    case Int32(UInt8(ascii: "t")):
      var number: UInt64 = 0
      unsafe dbus_message_iter_get_basic(&place, &number)
      return .number(number)
    case Int32(UInt8(ascii: "v")):
      var inner = unsafe DBusMessageIter()
      unsafe dbus_message_iter_recurse(&place, &inner)
      return unsafe value(&inner, depth: depth + 1)
    case Int32(UInt8(ascii: "r")):
      var inner = unsafe DBusMessageIter()
      unsafe dbus_message_iter_recurse(&place, &inner)
      return unsafe .list(elements(&inner, depth: depth + 1))
    case Int32(UInt8(ascii: "a")): return unsafe array(&place, depth: depth)
    default: return .other
    }
  }

  private static func string(_ place: inout DBusMessageIter) -> String {
    var text: UnsafePointer<CChar>?
    unsafe dbus_message_iter_get_basic(&place, &text)
    return unsafe text.map { unsafe String(cString: $0) } ?? ""
  }

  private static func array(_ place: inout DBusMessageIter, depth: Int) -> BusValue {
    let kind = unsafe dbus_message_iter_get_element_type(&place)
    var inner = unsafe DBusMessageIter()
    unsafe dbus_message_iter_recurse(&place, &inner)
    switch kind {
    case Int32(UInt8(ascii: "y")):
      var start: UnsafePointer<UInt8>?
      var count: Int32 = 0
      unsafe dbus_message_iter_get_fixed_array(&inner, &start, &count)
      return .bytes(unsafe Array(UnsafeBufferPointer(start: start, count: Int(count))))
    case Int32(UInt8(ascii: "e")):
      var pairs: [Pair] = []
      while unsafe dbus_message_iter_get_arg_type(&inner) == kind {
        var pair = unsafe DBusMessageIter()
        unsafe dbus_message_iter_recurse(&inner, &pair)
        let contents = unsafe elements(&pair, depth: depth + 1)
        if contents.count == 2, let key = contents[0].string { pairs.append(Pair(key: key, value: contents[1])) }
        _ = unsafe dbus_message_iter_next(&inner)
      }
      return .pairs(pairs)
    default: return unsafe .list(elements(&inner, depth: depth + 1))
    }
  }
}
