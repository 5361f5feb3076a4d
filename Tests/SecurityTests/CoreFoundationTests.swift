internal import Foundation
internal import Security
internal import Testing

@Suite struct CoreFoundationTests {
  @Test func `An NSString equals the String of its characters even if the type is erased`() {
    let hidden: AnyHashable = kSecAttrAccount
    #expect(hidden == AnyHashable("acct"))
    #expect(hidden.hashValue == AnyHashable("acct").hashValue)
    #expect(Set<AnyHashable>([kSecAttrAccount, "acct", NSMutableString(string: "acct")]).count == 1)
    #expect(([kSecAttrAccount: 1] as [AnyHashable: Int])["acct"] == 1)
    #expect((["acct": 1] as [AnyHashable: Int])[kSecAttrAccount] == 1)
    #expect(hidden as? String == "acct")
  }

  @Test func `Every class has its own type number`() {
    let objects: [(CFTypeRef, CFTypeID)] = [
      (NSNull(), CFNullGetTypeID()), (kCFBooleanTrue, CFBooleanGetTypeID()),
      (NSNumber(value: 1), CFNumberGetTypeID()), (NSNumber(value: 1.5), CFNumberGetTypeID()),
      (NSString(string: "a"), CFStringGetTypeID()), (NSMutableString(string: "a"), CFStringGetTypeID()),
      (NSData(), CFDataGetTypeID()), (NSMutableData(), CFDataGetTypeID()), (NSDate(), CFDateGetTypeID()),
      (NSDictionary(), CFDictionaryGetTypeID()), (NSMutableDictionary(), CFDictionaryGetTypeID()),
      (NSArray(), CFArrayGetTypeID()), (NSMutableArray(), CFArrayGetTypeID()), (NSSet(), CFSetGetTypeID()),
      (NSError(domain: "a", code: 1), CFErrorGetTypeID()), (kCFAllocatorDefault, CFAllocatorGetTypeID()),
      ("bridged" as AnyObject, CFStringGetTypeID()), (true as AnyObject, CFBooleanGetTypeID()),
      (1 as AnyObject, CFNumberGetTypeID()), (Data() as AnyObject, CFDataGetTypeID()),
    ]
    for (object, identifier) in objects { #expect(CFGetTypeID(object) == identifier, "\(object)") }
    #expect(Set(objects.map(\.1)).count == 11)
    #expect(CFURLGetTypeID() != CFStringGetTypeID())
  }

  @Test func `Booleans differ from the numbers 0 and 1`() {
    #expect(CFGetTypeID(NSNumber(value: true)) == CFBooleanGetTypeID())
    #expect(CFGetTypeID(NSNumber(value: Int8(1))) == CFNumberGetTypeID())
    #expect(!CFEqual(kCFBooleanTrue, NSNumber(value: 1)))
    #expect(CFEqual(kCFBooleanTrue, NSNumber(value: true)))
    #expect(CFBooleanGetValue(kCFBooleanTrue) && !CFBooleanGetValue(kCFBooleanFalse))
  }

  @Test func `Equality compares values`() {
    #expect(CFEqual(NSString(string: "a"), NSMutableString(string: "a")))
    #expect(!CFEqual(NSString(string: "1"), NSNumber(value: 1)))
    #expect(CFHash(NSString(string: "a")) == CFHash(NSMutableString(string: "a")))
    #expect(CFCopyDescription(NSString(string: "a")) as String == "a")
  }

  @Test func `Bytes are converted in both directions`() {
    let bytes: [UInt8] = [1, 2, 3, 4]
    let data = unsafe CFDataCreate(kCFAllocatorDefault, bytes, bytes.count)
    #expect(CFDataGetLength(data) == 4)
    let pointer: UnsafePointer<UInt8>? = unsafe CFDataGetBytePtr(data)
    let third = unsafe pointer?[2]
    #expect(third == 3)
    var part = [UInt8](repeating: 0, count: 8)
    unsafe CFDataGetBytes(data, CFRangeMake(2, 100), &part)
    #expect(part == [3, 4, 0, 0, 0, 0, 0, 0])
    unsafe CFDataGetBytes(data, CFRangeMake(-1, 2), &part)
    unsafe CFDataGetBytes(data, CFRangeMake(4, Int.max), &part)
    #expect(part.prefix(2) == [3, 4])
    let refused = unsafe CFDataCreate(nil, bytes, -1)
    #expect(refused == nil)
    let empty = CFDataCreate(nil, nil, 0)
    #expect(CFDataGetLength(empty) == 0)
    let grown = CFDataCreateMutable(nil, 0)
    unsafe CFDataAppendBytes(grown, bytes, 2)
    #expect(grown as Data? == Data([1, 2]))
  }

  @Test func `Bytes that are not copied stay where they are, and belong to the caller with kCFAllocatorNull`() throws {
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 4)
    defer { unsafe bytes.deallocate() }
    unsafe bytes.initialize(repeating: 7, count: 4)
    do {
      let data = unsafe CFDataCreateWithBytesNoCopy(kCFAllocatorDefault, bytes, 4, kCFAllocatorNull)
      #expect(data as Data? == Data([7, 7, 7, 7]))
      let isSame = unsafe CFDataGetBytePtr(data) == UnsafePointer(bytes)
      #expect(isSame)
      unsafe bytes[0] = 8
      #expect(data as Data? == Data([8, 7, 7, 7]))
    }
    // Freed memory would have been given to this allocation, or be reported by the allocator below.
    let other = UnsafeMutablePointer<UInt8>.allocate(capacity: 4)
    defer { unsafe other.deallocate() }
    let isOther = unsafe other != bytes
    #expect(isOther)
    let (negative, missing) = unsafe (
      CFDataCreateWithBytesNoCopy(nil, bytes, -1, kCFAllocatorNull),
      CFDataCreateWithBytesNoCopy(nil, nil, 1, kCFAllocatorNull)
    )
    #expect(negative == nil && missing == nil)
    let empty = CFDataCreateWithBytesNoCopy(nil, nil, 0, nil)
    #expect(CFDataGetLength(empty) == 0)
  }

  @Test func `Bytes that are not copied are freed with the object for every other allocator`() throws {
    for allocator in [nil, kCFAllocatorDefault, kCFAllocatorSystemDefault, kCFAllocatorMalloc] {
      // Large memory has pages of its own, which are unmapped when it is freed.
      let count = 64 << 20
      let memory = try unsafe #require(malloc(count))
      let page = unsafe UnsafeMutableRawPointer(
        bitPattern: (UInt(bitPattern: memory) + UInt(count / 2)) & ~UInt(getpagesize() - 1))
      func isMapped() -> Bool {
        var state: UInt8 = 0
        return unsafe mincore(page, 1, &state) == 0
      }
      do {
        let data = unsafe CFDataCreateWithBytesNoCopy(nil, memory.assumingMemoryBound(to: UInt8.self), count, allocator)
        #expect(CFDataGetLength(data) == count)
        #expect(isMapped())
      }
      #expect(!isMapped())
    }
  }

  @Test func `The key of the bundle identifier is the one of an Info.plist`() {
    #expect(kCFBundleIdentifierKey as String == "CFBundleIdentifier")
  }

  @Test func `Dictionaries and arrays accept and return pointers to objects`() throws {
    let key = NSString(string: "key")
    let value = NSDate()
    let keyPointer = unsafe UnsafeRawPointer(Unmanaged.passUnretained(key).toOpaque())
    let valuePointer = unsafe UnsafeRawPointer(Unmanaged.passUnretained(value).toOpaque())
    var keys: [UnsafeRawPointer?] = unsafe [keyPointer]
    var values: [UnsafeRawPointer?] = unsafe [valuePointer]
    let dictionary = unsafe CFDictionaryCreate(kCFAllocatorDefault, &keys, &values, 1, nil, nil)
    #expect(CFDictionaryGetCount(dictionary) == 1)
    let found: UnsafeRawPointer? = unsafe CFDictionaryGetValue(dictionary, keyPointer)
    let object = unsafe found.map { unsafe Unmanaged<NSObject>.fromOpaque($0).takeUnretainedValue() }
    #expect(object?.isEqual(value) == true)
    let hasKey = unsafe CFDictionaryContainsKey(dictionary, keyPointer)
    #expect(hasKey)
    let missing: UnsafeRawPointer? = unsafe CFDictionaryGetValue(dictionary, valuePointer)
    let isMissing = unsafe missing == nil
    #expect(isMissing)
    let copy = CFDictionaryCreateMutableCopy(nil, 0, dictionary)
    unsafe CFDictionaryRemoveValue(copy, keyPointer)
    #expect(CFDictionaryGetCount(copy) == 0 && CFDictionaryGetCount(dictionary) == 1)

    let array = CFArrayCreateMutable(kCFAllocatorDefault, 0, nil)
    unsafe CFArrayAppendValue(array, keyPointer)
    #expect(CFArrayGetCount(array) == 1)
    let first: UnsafeRawPointer? = unsafe CFArrayGetValueAtIndex(array, 0)
    let text = unsafe first.map { unsafe Unmanaged<NSString>.fromOpaque($0).takeUnretainedValue() }
    #expect(text == key)
    let outside: UnsafeRawPointer? = unsafe CFArrayGetValueAtIndex(array, 1)
    let isOutside = unsafe outside == nil
    #expect(isOutside)
  }

  @Test func `Errors return the values they were made from`() throws {
    let error = CFErrorCreate(
      nil, kCFErrorDomainOSStatus, Int(errSecIO), [NSLocalizedDescriptionKey: "why"] as CFDictionary)
    #expect(CFErrorGetCode(error) == -36)
    #expect(CFErrorGetDomain(error) as String == NSOSStatusErrorDomain)
    #expect(CFErrorCopyDescription(error) as String == "why")
    #expect((CFErrorCopyUserInfo(error) as? [String: Any])?[NSLocalizedDescriptionKey] as? String == "why")
  }
}
