// VaultError, VaultLocation and CofferVersion are declared below this module, because CofferExchange needs them and
// must not see the engine.
@_exported public import CofferVault
