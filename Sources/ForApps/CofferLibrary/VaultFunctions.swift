internal import Coffer
internal import CofferCrypto

// The functions of coffer.h for a vault as a whole. The header describes them.

/// `coffer_abi_version`.
@_cdecl("coffer_abi_version") public func abiVersion() -> UInt32 { 0 }

/// `coffer_open`.
@_cdecl("coffer_open") public func open(
  _ plist: Text?, _ plistCount: Int, _ vault: HandleResult?, _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    let vault = try unsafe place(vault, "vault")
    let plist = try unsafe bytes(plist, plistCount, "plist", upTo: 1 << 16)
    unsafe vault.pointee = OpenVault(try Vault.open(plist.map { .bytes($0) } ?? .automatic)).retained()
  }
}

/// `coffer_close`.
@_cdecl("coffer_close") public func close(_ vault: Handle?) {
  (try? unsafe OpenVault.contents(of: vault))?.close()
  unsafe OpenVault.free(vault)
}

/// `coffer_watch`.
@_cdecl("coffer_watch") public func watch(
  _ vault: Handle?, _ group: Text?, _ groupCount: Int, _ descriptor: UnsafeMutablePointer<Int32>?,
  _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    let descriptor = try unsafe place(descriptor, "descriptor")
    unsafe descriptor.pointee = try unsafe OpenVault.contents(of: vault).watch(text(group, groupCount, "group"))
  }
}

/// `coffer_groups`.
@_cdecl("coffer_groups") public func groups(
  _ vault: Handle?, _ groups: HandleResult?, _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    let groups = try unsafe place(groups, "groups")
    let all = try unsafe OpenVault.contents(of: vault).vault.accessGroups
    unsafe groups.pointee = RowList(all.map { RowList.Row($0) }).retained()
  }
}

/// `coffer_enforcement`.
@_cdecl("coffer_enforcement") public func enforcement(
  _ vault: Handle?, _ enforcement: UnsafeMutablePointer<Int32>?, _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    let result = try unsafe place(enforcement, "enforcement")
    unsafe result.pointee =
      switch try unsafe OpenVault.contents(of: vault).vault.enforcement {
      case .none: 0
      case .policy: 1
      case .file: 2
      case .install: 3
      case .sandbox: 4
      }
  }
}

/// `coffer_receipt_buyer`.
@_cdecl("coffer_receipt_buyer") public func receiptBuyer(
  _ vault: Handle?, _ buyer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?,
  _ buyerCount: UnsafeMutablePointer<Int>?, _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    var found: [UInt8]? = Array(try unsafe OpenVault.contents(of: vault).vault.receiptBuyer.utf8)
    try unsafe store(&found, buyer, buyerCount)
  }
}

/// `coffer_redeem`.
@_cdecl("coffer_redeem") public func redeem(
  _ vault: Handle?, _ receipt: Text?, _ receiptCount: Int, _ service: Text?, _ serviceCount: Int, _ account: Text?,
  _ accountCount: Int, _ group: Text?, _ groupCount: Int, _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    let vault = try unsafe OpenVault.contents(of: vault).vault
    guard let receipt = try unsafe text(receipt, receiptCount, "receipt", upTo: 4096) else {
      throw .argument("there is no receipt")
    }
    let item = try unsafe item(service, serviceCount, account, accountCount)
    try vault.redeem(receipt, for: item, in: unsafe text(group, groupCount, "group"))
  }
}

/// `coffer_receipt`.
@_cdecl("coffer_receipt") public func receipt(
  _ vault: Handle?, _ service: Text?, _ serviceCount: Int, _ account: Text?, _ accountCount: Int, _ group: Text?,
  _ groupCount: Int, _ isValid: UnsafeMutablePointer<Int32>?, _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    let vault = try unsafe OpenVault.contents(of: vault).vault
    let isValid = try unsafe place(isValid, "answer")
    let item = try unsafe item(service, serviceCount, account, accountCount)
    unsafe isValid.pointee = try vault.receipt(for: item, in: text(group, groupCount, "group")) == nil ? 0 : 1
  }
}

/// `coffer_is_locked`.
@_cdecl("coffer_is_locked") public func isLocked(_ vault: Handle?) -> Int32 {
  (try? unsafe OpenVault.contents(of: vault)).map { $0.vault.isLocked ? 1 : 0 } ?? -1
}

/// `coffer_unlock`.
@_cdecl("coffer_unlock") public func unlock(
  _ vault: Handle?, _ passphrase: Text?, _ passphraseCount: Int, _ error: HandleResult?
) -> Int32 {
  unsafe status(error) { () throws(VaultError) in
    let vault = try unsafe OpenVault.contents(of: vault).vault
    guard var secret = try unsafe bytes(passphrase, passphraseCount, "passphrase", upTo: 1024) else {
      return try vault.unlock()
    }
    defer { secret.wipe() }
    try vault.unlock(passphrase: secret)
  }
}

/// `coffer_lock`.
@_cdecl("coffer_lock") public func lock(_ vault: Handle?) {
  (try? unsafe OpenVault.contents(of: vault))?.vault.lock()
}

/// `coffer_error_message`.
@_cdecl("coffer_error_message") public func errorMessage(_ error: Handle?) -> Text? {
  unsafe (try? unsafe CallError.contents(of: error))?.message.start
}

/// `coffer_error_suggestion`.
@_cdecl("coffer_error_suggestion") public func errorSuggestion(_ error: Handle?) -> Text? {
  unsafe (try? unsafe CallError.contents(of: error))?.suggestion?.start
}

/// `coffer_error_free`.
@_cdecl("coffer_error_free") public func freeError(_ error: Handle?) { unsafe CallError.free(error) }
