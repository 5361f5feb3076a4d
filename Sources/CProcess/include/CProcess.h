#ifndef COFFER_CPROCESS_H
#define COFFER_CPROCESS_H

// Calls that Swift cannot import (variadics, feature-test macros), each behind a plain function.

/// Turns off core dumps and attachment by debuggers, and gives fatal signals back to the kernel, so that
/// Swift's backtracer never prints registers that point at keys. Returns 0, or an errno.
int coffer_harden_process(void);

/// 1 where the kernel says this process gained privileges at exec (setuid, setgid, capabilities).
int coffer_is_secure_execution(void);

#endif
