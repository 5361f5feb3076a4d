internal import CDBus
internal import CofferPlatform
internal import CofferSystem

/// Reads the values of a message, which libdbus has validated.
@safe struct MessageReading: ~Copyable {
  /// libdbus permits arrays and structures within each other up to this depth, and variants count, too.
  private static let maximumDepth = 64

  /// Returns the values as far as the limits permit.
  static func values(in message: OpaquePointer, _ limits: inout ReadingLimits) -> [BusValue] {
    var place = unsafe DBusMessageIter()
    guard unsafe dbus_message_iter_init(message, &place) != 0 else { return [] }
    return unsafe elements(&place, depth: 0, &limits)
  }

  private static func elements(_ place: inout DBusMessageIter, depth: Int, _ limits: inout ReadingLimits) -> [BusValue]
  {
    var values: [BusValue] = []
    while unsafe dbus_message_iter_get_arg_type(&place) != 0, !limits.isExceeded {
      unsafe values.append(value(&place, depth: depth, &limits))
      _ = unsafe dbus_message_iter_next(&place)
    }
    return values
  }

  private static func value(_ place: inout DBusMessageIter, depth: Int, _ limits: inout ReadingLimits) -> BusValue {
    guard depth < maximumDepth, limits.take(0) else { return .other }
    switch unsafe Unicode.Scalar(UInt8(truncatingIfNeeded: dbus_message_iter_get_arg_type(&place))) {
    case "s": return .text(unsafe string(&place, &limits))
    case "o": return .path(unsafe string(&place, &limits))
    case "b":
      var flag: dbus_bool_t = 0
      unsafe dbus_message_iter_get_basic(&place, &flag)
      return .flag(flag != 0)
    case "t":
      var number: UInt64 = 0
      unsafe dbus_message_iter_get_basic(&place, &number)
      return .number(number)
    case "u":
      var number: UInt32 = 0
      unsafe dbus_message_iter_get_basic(&place, &number)
      return .shortNumber(number)
    case "h":
      guard limits.readsDescriptors else { return .other }
      var descriptor: Int32 = -1
      unsafe dbus_message_iter_get_basic(&place, &descriptor)
      return descriptor < 0 ? .other : .descriptor(BusDescriptor(Descriptor(owning: descriptor)))
    case "v":
      var inner = unsafe DBusMessageIter()
      unsafe dbus_message_iter_recurse(&place, &inner)
      return unsafe .variant(value(&inner, depth: depth + 1, &limits))
    case "r":
      var inner = unsafe DBusMessageIter()
      unsafe dbus_message_iter_recurse(&place, &inner)
      return unsafe .structure(elements(&inner, depth: depth + 1, &limits))
    case "a": return unsafe array(&place, depth: depth, &limits)
    default: return .other
    }
  }

  private static func string(_ place: inout DBusMessageIter, _ limits: inout ReadingLimits) -> String {
    var text: UnsafePointer<CChar>?
    unsafe dbus_message_iter_get_basic(&place, &text)
    guard let text = unsafe text, limits.take(unsafe strlen(text)) else { return "" }
    return unsafe String(cString: text)
  }

  private static func array(_ place: inout DBusMessageIter, depth: Int, _ limits: inout ReadingLimits) -> BusValue {
    let kind = unsafe dbus_message_iter_get_element_type(&place)
    var inner = unsafe DBusMessageIter()
    unsafe dbus_message_iter_recurse(&place, &inner)
    switch Unicode.Scalar(UInt8(truncatingIfNeeded: kind)) {
    case "y":
      var start: UnsafePointer<UInt8>?
      var count: Int32 = 0
      unsafe dbus_message_iter_get_fixed_array(&inner, &start, &count)
      guard limits.take(Int(count)) else { return .other }
      return .bytes(unsafe Array(UnsafeBufferPointer(start: start, count: Int(count))))
    case "e":
      let signature = unsafe signature(of: &inner)
      var pairs: [BusValue.Pair] = []
      while unsafe dbus_message_iter_get_arg_type(&inner) == kind, !limits.isExceeded {
        var pair = unsafe DBusMessageIter()
        unsafe dbus_message_iter_recurse(&inner, &pair)
        let contents = unsafe elements(&pair, depth: depth + 1, &limits)
        if contents.count == 2 { pairs.append(BusValue.Pair(contents[0], contents[1])) }
        _ = unsafe dbus_message_iter_next(&inner)
      }
      // {sv}: the first type is the key's, because a key has a basic type.
      let types = signature.dropFirst().dropLast()
      return .pairs(key: String(types.prefix(1)), value: String(types.dropFirst()), pairs)
    default:
      let signature = unsafe signature(of: &inner)
      return unsafe .list(of: signature, elements(&inner, depth: depth + 1, &limits))
    }
  }

  private static func signature(of place: inout DBusMessageIter) -> String {
    guard let text = unsafe dbus_message_iter_get_signature(&place) else { return "" }
    defer { unsafe dbus_free(text) }
    return unsafe String(cString: text)
  }
}

/// How much of a message is read. What exceeds a limit leaves the message without values, see
/// ``BusMessage/isTruncated``.
struct ReadingLimits {
  /// How many values and bytes may still be read.
  private(set) var values: Int
  private(set) var bytes: Int
  /// Whether descriptors are read: each that is read counts among those of this process until it is closed.
  let readsDescriptors: Bool
  private(set) var isExceeded = false

  /// A value has at most 16 MiB, with its padding.
  init(values: Int = 20_000, bytes: Int = 24 << 20, readsDescriptors: Bool) {
    self.values = values
    self.bytes = bytes
    self.readsDescriptors = readsDescriptors
  }

  /// Counts a value with a number of bytes. Returns false if it must not be read.
  mutating func take(_ byteCount: Int) -> Bool {
    guard !isExceeded, values > 0, byteCount <= bytes else {
      isExceeded = true
      return false
    }
    values -= 1
    bytes -= byteCount
    return true
  }
}

/// Appends values to a message.
enum MessageWriting {
  /// Appends values. Returns false if no memory is left.
  static func append(_ values: [BusValue], to message: OpaquePointer) -> Bool {
    var place = unsafe DBusMessageIter()
    unsafe dbus_message_iter_init_append(message, &place)
    return values.allSatisfy { unsafe append($0, to: &place) }
  }

  private static func append(_ value: BusValue, to place: inout DBusMessageIter) -> Bool {
    switch value {
    case .text(let text): return unsafe append(text, "s", to: &place)
    case .path(let path): return unsafe append(path, "o", to: &place)
    case .flag(let flag):
      var number: dbus_bool_t = flag ? 1 : 0
      return unsafe dbus_message_iter_append_basic(&place, code("b"), &number) != 0
    case .number(var number): return unsafe dbus_message_iter_append_basic(&place, code("t"), &number) != 0
    case .shortNumber(var number): return unsafe dbus_message_iter_append_basic(&place, code("u"), &number) != 0
    case .bytes(let bytes): return unsafe append(bytes, to: &place)
    case .structure(let elements):
      return unsafe container("r", nil, in: &place) { inner in
        elements.allSatisfy { unsafe append($0, to: &inner) }
      }
    case .list(let element, let elements):
      return unsafe container("a", element, in: &place) { inner in
        elements.allSatisfy { unsafe append($0, to: &inner) }
      }
    case .pairs(let key, let value, let pairs):
      return unsafe container("a", "{\(key)\(value)}", in: &place) { inner in
        pairs.allSatisfy { pair in
          unsafe container("e", nil, in: &inner) { entry in
            unsafe append(pair.key, to: &entry) && append(pair.value, to: &entry)
          }
        }
      }
    case .variant(let inside):
      return unsafe container("v", inside.signature, in: &place) { inner in unsafe append(inside, to: &inner) }
    case .descriptor(let descriptor):
      var number = descriptor.descriptor.rawValue
      return unsafe dbus_message_iter_append_basic(&place, code("h"), &number) != 0
    case .other: return false
    }
  }

  private static func container(
    _ kind: Unicode.Scalar, _ signature: String?, in place: inout DBusMessageIter,
    _ body: (inout DBusMessageIter) -> Bool
  ) -> Bool {
    var inner = unsafe DBusMessageIter()
    guard unsafe dbus_message_iter_open_container(&place, code(kind), signature, &inner) != 0 else { return false }
    guard unsafe body(&inner) else {
      unsafe dbus_message_iter_abandon_container(&place, &inner)
      return false
    }
    return unsafe dbus_message_iter_close_container(&place, &inner) != 0
  }

  private static func append(_ text: String, _ kind: Unicode.Scalar, to place: inout DBusMessageIter) -> Bool {
    unsafe text.withCString { text in
      var pointer: UnsafePointer<CChar>? = unsafe text
      return unsafe dbus_message_iter_append_basic(&place, code(kind), &pointer) != 0
    }
  }

  private static func append(_ bytes: [UInt8], to place: inout DBusMessageIter) -> Bool {
    unsafe container("a", "y", in: &place) { inner in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        guard bytes.count > 0 else { return true }
        var start = bytes.baseAddress
        return unsafe dbus_message_iter_append_fixed_array(&inner, code("y"), &start, Int32(bytes.count)) != 0
      }
    }
  }

  private static func code(_ kind: Unicode.Scalar) -> Int32 { Int32(kind.value) }
}
