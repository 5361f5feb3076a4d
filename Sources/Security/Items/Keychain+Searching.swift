internal import Coffer
internal import CofferFormat
internal import Foundation

extension Keychain {
  /// What a search hands out.
  func copy(_ request: ItemRequest) throws -> NSObject? {
    guard !request.isElsewhere else { throw Self.notFound }
    let authentication = CallAuthentication(request.authentication, vault)
    let forms = try authentication.run {
      switch request.itemClass {
      case .items(let itemClass): try items(itemClass, request, authentication)
      case .identities: try identityForms(request, authentication)
      }
    }
    guard !request.returns.isEmpty else { return nil }
    guard request.limit != 1 else { return forms.first ?? nil }
    // By this bridge and no other: a program that links Foundation statically has it only where somebody uses it, and without
    // it no caller could cast the result to an array of Swift's.
    return forms.compactMap(\.self)._bridgeToObjectiveC()
  }

  /// What is handed out of each item that is found: at least one, and nil where there is nothing to hand out of it.
  private func items(
    _ itemClass: ItemClass, _ request: ItemRequest, _ authentication: CallAuthentication
  ) throws -> [NSObject?] {
    var search = request.search(itemClass, request.attributes)
    if itemClass == .certificate, let issuers = request.matches.issuers {
      search.conditions.append(try condition(issuers))
    }
    if request.returns.needValues { addSkipping(to: &search, request, authentication) }
    // Whether there is anything, one tells.
    search.limit = request.returns.isEmpty ? 1 : request.limit
    do {
      return try forms(search, request, authentication)
    } catch let error as SecurityError where error.status == errSecDecode && search.limit != nil {
      // What is damaged must not stand before what is not.
      search.limit = nil
      return try forms(search, request, authentication, atMost: request.limit)
    }
  }

  private func forms(
    _ search: ItemSearch, _ request: ItemRequest, _ authentication: CallAuthentication, atMost limit: Int? = nil
  ) throws -> [NSObject?] {
    let opensValues = request.returns.needValues
    let found = try find(search, withValues: opensValues)
    // Whoever has to be there is asked before passwords are tried, which takes its time.
    if opensValues, limit == nil {
      for item in found { try authentication.prove(presenceFor: try? item.accessControl()) }
    }
    return try Self.passingDamaged(found, atMost: limit) { item in
      let control = try item.accessControl()
      let value = try item.value.map { try authentication.open($0, under: control) }
      let result = ItemResult(request.itemClass, item.attributes, value: value, group: item.group)
      if request.returns.contains(.reference), result.lacksObject {
        throw SecurityError(errSecDecode, "the value of what was found is no \(request.itemClass.name)")
      }
      return try result.form(request.returns)
    }
  }

  /// What `body` makes of each; those of which it makes nothing since they are damaged are an error only where there is nothing else.
  static func passingDamaged<Found, Made>(
    _ found: [Found], atMost limit: Int? = nil, _ body: (Found) throws -> Made
  ) throws -> [Made] {
    var made: [Made] = []
    var damaged = notFound
    for each in found where made.count < limit ?? .max {
      do {
        made.append(try body(each))
      } catch let error as SecurityError where error.status == errSecDecode {
        damaged = error
      }
    }
    if made.isEmpty { throw damaged }
    return made
  }

  /// Leaves out, where the call says so, what somebody would have to be asked for.
  func addSkipping(to search: inout ItemSearch, _ request: ItemRequest, _ authentication: CallAuthentication) {
    guard request.authentication.interaction == .skip else { return }
    let (provesPresence, hasPassword) = authentication.proofs
    search.conditions.append { attributes in
      guard let control = try? SecAccessControl(of: attributes) else { return true }
      return (provesPresence || !control.requiresPresence) && (hasPassword || !control.requiresApplicationPassword)
    }
  }

  /// Everything that a search finds. What is damaged is passed over, and an error where there is nothing else.
  func find(_ search: ItemSearch, withValues: Bool) throws -> [FoundItem] {
    var damaged: VaultError?
    let found = try vault.find(search, withValues: withValues) { damaged = damaged ?? $0 }
    if found.isEmpty, let damaged { throw damaged }
    return found
  }

  /// Certificates one of whose issuers, up their chain, has one of the names.
  func condition(_ issuers: Set<[UInt8]>) throws -> @Sendable (ItemAttributes) -> Bool {
    let issued = try find(ItemSearch(.certificate), withValues: false).compactMap { certificate in
      certificate.attributes[.issuer].map {
        (issuer: $0.matchBytes, subject: certificate.attributes[.subject]?.matchBytes)
      }
    }
    var names = issuers
    var count = 0
    while names.count != count {
      count = names.count
      for (issuer, subject) in issued where names.contains(issuer) {
        if let subject { names.insert(subject) }
      }
    }
    let chained = names
    return { ($0[.issuer]?.matchBytes).map(chained.contains) ?? false }
  }
}
