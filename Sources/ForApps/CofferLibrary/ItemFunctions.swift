internal import Coffer
internal import CofferCrypto
internal import CofferPlatform

// The functions of coffer.h that reach items. The header describes them.

/// `coffer_find`.
@_cdecl("coffer_find") public func find(
  _ vault: Handle?, _ service: Text?, _ serviceCount: Int, _ account: Text?, _ accountCount: Int, _ group: Text?,
  _ groupCount: Int, _ items: HandleResult?, _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    let vault = try unsafe OpenVault.contents(of: vault).vault
    let items = try unsafe place(items, "items")
    var query = ItemQuery<GenericPassword>(in: try unsafe text(group, groupCount, "group"))
    if let service = try unsafe text(service, serviceCount, "service") { query = query.matching(.service, service) }
    if let account = try unsafe text(account, accountCount, "account") { query = query.matching(.account, account) }
    let found = try vault.list(query)
    let rows = found.items.map { RowList.Row($0, in: vault) }
    unsafe items.pointee = RowList(rows, damagedCount: found.damaged.count).retained()
  }
}

/// `coffer_read`.
@_cdecl("coffer_read") public func read(
  _ vault: Handle?, _ service: Text?, _ serviceCount: Int, _ account: Text?, _ accountCount: Int, _ group: Text?,
  _ groupCount: Int, _ value: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?,
  _ valueCount: UnsafeMutablePointer<Int>?, _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    let vault = try unsafe OpenVault.contents(of: vault).vault
    let item = try unsafe item(service, serviceCount, account, accountCount)
    var found = try vault.bytes(for: item, in: unsafe text(group, groupCount, "group"))
    try unsafe store(&found, value, valueCount)
  }
}

/// `coffer_write`.
@_cdecl("coffer_write") public func write(
  _ vault: Handle?, _ service: Text?, _ serviceCount: Int, _ account: Text?, _ accountCount: Int, _ group: Text?,
  _ groupCount: Int, _ label: Text?, _ labelCount: Int, _ value: UnsafePointer<UInt8>?, _ valueCount: Int,
  _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    let vault = try unsafe OpenVault.contents(of: vault).vault
    var item = try unsafe item(service, serviceCount, account, accountCount)
    if let label = try unsafe text(label, labelCount, "label") { item.label = label }
    let group = try unsafe text(group, groupCount, "group")
    var secret = try unsafe bytes(value, valueCount, "value", upTo: Vault.maximumValueByteCount) ?? []
    defer { secret.wipe() }
    try vault.set(secret, for: item, in: group)
  }
}

/// `coffer_delete`.
@_cdecl("coffer_delete") public func delete(
  _ vault: Handle?, _ service: Text?, _ serviceCount: Int, _ account: Text?, _ accountCount: Int, _ group: Text?,
  _ groupCount: Int, _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    let vault = try unsafe OpenVault.contents(of: vault).vault
    let item = try unsafe item(service, serviceCount, account, accountCount)
    guard try vault.delete(item, in: unsafe text(group, groupCount, "group")) else { throw .missing }
  }
}

/// `coffer_transaction`.
@_cdecl("coffer_transaction") public func transaction(
  _ vault: Handle?, _ body: (@convention(c) (UnsafeMutableRawPointer?) -> Int32)?, _ context: UnsafeMutableRawPointer?,
  _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    let vault = try unsafe OpenVault.contents(of: vault).vault
    guard let body = unsafe body else { throw .argument("the transaction has no body") }
    do {
      try vault.transaction {
        guard unsafe body(context) == 0 else {
          throw VaultError(.cancelled, "the transaction was undone by its body")
        }
      }
    } catch {
      throw error as? VaultError ?? VaultError(.io, "the transaction failed", recoverySuggestion: "try again")
    }
  }
}

/// `coffer_versions`.
@_cdecl("coffer_versions") public func versions(
  _ vault: Handle?, _ service: Text?, _ serviceCount: Int, _ account: Text?, _ accountCount: Int, _ group: Text?,
  _ groupCount: Int, _ versions: HandleResult?, _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    let vault = try unsafe OpenVault.contents(of: vault).vault
    let versions = try unsafe place(versions, "versions")
    let item = try unsafe item(service, serviceCount, account, accountCount)
    let history = try vault.history(of: item, in: unsafe text(group, groupCount, "group"))
    let rows = history.versions.map { RowList.Row($0, in: vault) }
    unsafe versions.pointee = RowList(rows, damagedCount: history.damaged.count).retained()
  }
}

/// `coffer_list_value`.
@_cdecl("coffer_list_value") public func listValue(
  _ list: Handle?, _ row: Int, _ value: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?,
  _ valueCount: UnsafeMutablePointer<Int>?, _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    guard let row = try unsafe RowList.contents(of: list).row(row) else { throw .argument("the list has no such row") }
    var found = try row.value()
    try unsafe store(&found, value, valueCount)
  }
}

/// `coffer_list_count`.
@_cdecl("coffer_list_count") public func listCount(_ list: Handle?) -> Int {
  (try? unsafe RowList.contents(of: list).rows.count) ?? 0
}

/// `coffer_list_damaged`.
@_cdecl("coffer_list_damaged") public func listDamaged(_ list: Handle?) -> Int {
  (try? unsafe RowList.contents(of: list).damagedCount) ?? 0
}

/// `coffer_list_text`.
@_cdecl("coffer_list_text") public func listText(
  _ list: Handle?, _ row: Int, _ text: Int32, _ count: UnsafeMutablePointer<Int>?
) -> Text? {
  let found = (try? unsafe RowList.contents(of: list))?.row(row)?.texts[text]
  if let count = unsafe count { unsafe count.pointee = found?.count ?? 0 }
  return unsafe found?.start
}

/// `coffer_list_number`.
@_cdecl("coffer_list_number") public func listNumber(_ list: Handle?, _ row: Int, _ number: Int32) -> Int64 {
  (try? unsafe RowList.contents(of: list))?.row(row)?.numbers[number] ?? -1
}

/// `coffer_list_free`.
@_cdecl("coffer_list_free") public func freeList(_ list: Handle?) { unsafe RowList.free(list) }

/// `coffer_value_free`.
@_cdecl("coffer_value_free") public func freeValue(_ value: UnsafeMutablePointer<UInt8>?, _ valueCount: Int) {
  unsafe UnsafeMutableRawBufferPointer(start: value, count: max(valueCount, 0)).wipe()
  unsafe free(value)
}
