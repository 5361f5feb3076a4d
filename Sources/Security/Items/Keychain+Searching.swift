internal import Coffer
internal import CofferFormat
internal import Foundation

extension Keychain {
  /// What a search hands out.
  func copy(_ request: ItemRequest) throws -> NSObject? {
    guard !request.isElsewhere else { throw Self.notFound }
    let authentication = CallAuthentication(request.authentication, vault)
    var results = try authentication.run {
      switch request.itemClass {
      case .items(let itemClass): try items(itemClass, request, authentication)
      case .identities: try identityResults(request, authentication)
      }
    }
    if results.isEmpty { throw Self.notFound }
    if request.returns.contains(.reference) {
      let whole = results.filter { !$0.lacksObject }
      guard !whole.isEmpty else {
        throw SecurityError(errSecDecode, "the value of what was found is no \(request.itemClass.name)")
      }
      results = whole
    }
    guard !request.returns.isEmpty else { return nil }
    guard request.limit != 1 else { return try results[0].form(request.returns) }
    // By this bridge and no other: a program that links Foundation statically has it only where somebody uses it, and without
    // it no caller could cast the result to an array of Swift's.
    return try results.compactMap { try $0.form(request.returns) }._bridgeToObjectiveC()
  }

  private func items(
    _ itemClass: ItemClass, _ request: ItemRequest, _ authentication: CallAuthentication
  ) throws -> [ItemResult] {
    let opensValues = !request.returns.isDisjoint(with: .values)
    var search = request.search(itemClass, request.attributes)
    if itemClass == .certificate, let issuers = request.matches.issuers {
      search.conditions.append(try condition(issuers))
    }
    if opensValues { addSkipping(to: &search, request, authentication) }
    // Whether there is anything, one tells.
    search.limit = request.returns.isEmpty ? 1 : request.limit
    let found = try find(search, withValues: opensValues)
    // Whoever has to be there is asked before passwords are tried, which takes its time.
    if opensValues { for item in found { try authentication.prove(presenceFor: item.accessControl()) } }
    return try found.map { found in
      let value = try found.value.map { try authentication.open($0, under: found.accessControl()) }
      return ItemResult(request.itemClass, found.attributes, value: value, group: found.group)
    }
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
